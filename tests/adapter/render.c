/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture: a clear, and over it a triangle whose colours differ in every pixel, so that a wrong
 * pitch, offset or format shows. Drawn into a native image and, for comparison, into memory of the
 * driver's own.
 */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

/*
 * layout(location = 0) out vec4 color;
 * vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
 * gl_Position = vec4(p * 0.9 - 0.9, 0.0, 1.0);
 * color = vec4(p * 0.5, 1.0 - p.x * 0.5, 1.0);
 * and: result = color;
 */
/* clang-format off */
static const uint32_t vertex_code[] = {
	0x07230203, 0x00010000, 0x0008000b, 0x00000038, 0x00000000, 0x00020011, 0x00000001,
	0x0006000b, 0x00000001, 0x4c534c47, 0x6474732e, 0x3035342e, 0x00000000, 0x0003000e,
	0x00000000, 0x00000001, 0x0008000f, 0x00000000, 0x00000004, 0x6e69616d, 0x00000000,
	0x0000000c, 0x0000001d, 0x0000002b, 0x00040047, 0x0000000c, 0x0000000b, 0x0000002a,
	0x00050048, 0x0000001b, 0x00000000, 0x0000000b, 0x00000000, 0x00050048, 0x0000001b,
	0x00000001, 0x0000000b, 0x00000001, 0x00050048, 0x0000001b, 0x00000002, 0x0000000b,
	0x00000003, 0x00050048, 0x0000001b, 0x00000003, 0x0000000b, 0x00000004, 0x00030047,
	0x0000001b, 0x00000002, 0x00040047, 0x0000002b, 0x0000001e, 0x00000000, 0x00020013,
	0x00000002, 0x00030021, 0x00000003, 0x00000002, 0x00030016, 0x00000006, 0x00000020,
	0x00040017, 0x00000007, 0x00000006, 0x00000002, 0x00040020, 0x00000008, 0x00000007,
	0x00000007, 0x00040015, 0x0000000a, 0x00000020, 0x00000001, 0x00040020, 0x0000000b,
	0x00000001, 0x0000000a, 0x0004003b, 0x0000000b, 0x0000000c, 0x00000001, 0x0004002b,
	0x0000000a, 0x0000000e, 0x00000001, 0x0004002b, 0x0000000a, 0x00000010, 0x00000002,
	0x00040017, 0x00000017, 0x00000006, 0x00000004, 0x00040015, 0x00000018, 0x00000020,
	0x00000000, 0x0004002b, 0x00000018, 0x00000019, 0x00000001, 0x0004001c, 0x0000001a,
	0x00000006, 0x00000019, 0x0006001e, 0x0000001b, 0x00000017, 0x00000006, 0x0000001a,
	0x0000001a, 0x00040020, 0x0000001c, 0x00000003, 0x0000001b, 0x0004003b, 0x0000001c,
	0x0000001d, 0x00000003, 0x0004002b, 0x0000000a, 0x0000001e, 0x00000000, 0x0004002b,
	0x00000006, 0x00000020, 0x3f666666, 0x0004002b, 0x00000006, 0x00000024, 0x00000000,
	0x0004002b, 0x00000006, 0x00000025, 0x3f800000, 0x00040020, 0x00000029, 0x00000003,
	0x00000017, 0x0004003b, 0x00000029, 0x0000002b, 0x00000003, 0x0004002b, 0x00000006,
	0x0000002d, 0x3f000000, 0x0004002b, 0x00000018, 0x0000002f, 0x00000000, 0x00040020,
	0x00000030, 0x00000007, 0x00000006, 0x00050036, 0x00000002, 0x00000004, 0x00000000,
	0x00000003, 0x000200f8, 0x00000005, 0x0004003b, 0x00000008, 0x00000009, 0x00000007,
	0x0004003d, 0x0000000a, 0x0000000d, 0x0000000c, 0x000500c4, 0x0000000a, 0x0000000f,
	0x0000000d, 0x0000000e, 0x000500c7, 0x0000000a, 0x00000011, 0x0000000f, 0x00000010,
	0x0004006f, 0x00000006, 0x00000012, 0x00000011, 0x0004003d, 0x0000000a, 0x00000013,
	0x0000000c, 0x000500c7, 0x0000000a, 0x00000014, 0x00000013, 0x00000010, 0x0004006f,
	0x00000006, 0x00000015, 0x00000014, 0x00050050, 0x00000007, 0x00000016, 0x00000012,
	0x00000015, 0x0003003e, 0x00000009, 0x00000016, 0x0004003d, 0x00000007, 0x0000001f,
	0x00000009, 0x0005008e, 0x00000007, 0x00000021, 0x0000001f, 0x00000020, 0x00050050,
	0x00000007, 0x00000022, 0x00000020, 0x00000020, 0x00050083, 0x00000007, 0x00000023,
	0x00000021, 0x00000022, 0x00050051, 0x00000006, 0x00000026, 0x00000023, 0x00000000,
	0x00050051, 0x00000006, 0x00000027, 0x00000023, 0x00000001, 0x00070050, 0x00000017,
	0x00000028, 0x00000026, 0x00000027, 0x00000024, 0x00000025, 0x00050041, 0x00000029,
	0x0000002a, 0x0000001d, 0x0000001e, 0x0003003e, 0x0000002a, 0x00000028, 0x0004003d,
	0x00000007, 0x0000002c, 0x00000009, 0x0005008e, 0x00000007, 0x0000002e, 0x0000002c,
	0x0000002d, 0x00050041, 0x00000030, 0x00000031, 0x00000009, 0x0000002f, 0x0004003d,
	0x00000006, 0x00000032, 0x00000031, 0x00050085, 0x00000006, 0x00000033, 0x00000032,
	0x0000002d, 0x00050083, 0x00000006, 0x00000034, 0x00000025, 0x00000033, 0x00050051,
	0x00000006, 0x00000035, 0x0000002e, 0x00000000, 0x00050051, 0x00000006, 0x00000036,
	0x0000002e, 0x00000001, 0x00070050, 0x00000017, 0x00000037, 0x00000035, 0x00000036,
	0x00000034, 0x00000025, 0x0003003e, 0x0000002b, 0x00000037, 0x000100fd, 0x00010038,
};

static const uint32_t fragment_code[] = {
	0x07230203, 0x00010000, 0x0008000b, 0x0000000d, 0x00000000, 0x00020011, 0x00000001,
	0x0006000b, 0x00000001, 0x4c534c47, 0x6474732e, 0x3035342e, 0x00000000, 0x0003000e,
	0x00000000, 0x00000001, 0x0007000f, 0x00000004, 0x00000004, 0x6e69616d, 0x00000000,
	0x00000009, 0x0000000b, 0x00030010, 0x00000004, 0x00000007, 0x00040047, 0x00000009,
	0x0000001e, 0x00000000, 0x00040047, 0x0000000b, 0x0000001e, 0x00000000, 0x00020013,
	0x00000002, 0x00030021, 0x00000003, 0x00000002, 0x00030016, 0x00000006, 0x00000020,
	0x00040017, 0x00000007, 0x00000006, 0x00000004, 0x00040020, 0x00000008, 0x00000003,
	0x00000007, 0x0004003b, 0x00000008, 0x00000009, 0x00000003, 0x00040020, 0x0000000a,
	0x00000001, 0x00000007, 0x0004003b, 0x0000000a, 0x0000000b, 0x00000001, 0x00050036,
	0x00000002, 0x00000004, 0x00000000, 0x00000003, 0x000200f8, 0x00000005, 0x0004003d,
	0x00000007, 0x0000000c, 0x0000000b, 0x0003003e, 0x00000009, 0x0000000c, 0x000100fd,
	0x00010038,
};
/* clang-format on */

struct drawing {
	VkRenderPass pass;
	VkImageView view;
	VkFramebuffer framebuffer;
	VkShaderModule vertex, fragment;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
};

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

static void
make_pass(struct gpu *gpu, struct drawing *d, VkFormat format)
{
	const VkAttachmentDescription attachment = {
		.format = format,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
	};
	const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	const VkSubpassDescription subpass = {
		.colorAttachmentCount = 1,
		.pColorAttachments = &reference,
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};

	CHECK(gpu->d.CreateRenderPass(gpu->device, &info, NULL, &d->pass));
}

static void
make_target(struct gpu *gpu, struct drawing *d, VkImage image, VkFormat format, uint32_t width,
	uint32_t height)
{
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkFramebufferCreateInfo framebuffer = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = d->pass,
		.attachmentCount = 1,
		.pAttachments = &d->view,
		.width = width,
		.height = height,
		.layers = 1,
	};

	CHECK(gpu->d.CreateImageView(gpu->device, &view, NULL, &d->view));
	CHECK(gpu->d.CreateFramebuffer(gpu->device, &framebuffer, NULL, &d->framebuffer));
}

static VkShaderModule
make_shader(struct gpu *gpu, const uint32_t *code, size_t size)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size,
		.pCode = code,
	};
	VkShaderModule module;

	CHECK(gpu->d.CreateShaderModule(gpu->device, &info, NULL, &module));
	return module;
}

static void
make_pipeline(struct gpu *gpu, struct drawing *d, uint32_t width, uint32_t height)
{
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	const VkPipelineShaderStageCreateInfo stages[] = {
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_VERTEX_BIT,
			.module = d->vertex,
			.pName = "main"},
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
			.module = d->fragment,
			.pName = "main"},
	};
	const VkPipelineVertexInputStateCreateInfo input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	const VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	const VkViewport viewport = {0, 0, (float)width, (float)height, 0, 1};
	const VkRect2D scissor = {{0, 0}, {width, height}};
	const VkPipelineViewportStateCreateInfo viewports = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor};
	const VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.lineWidth = 1.0f};
	const VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	const VkPipelineColorBlendAttachmentState blend = {.colorWriteMask = 0xf};
	const VkPipelineColorBlendStateCreateInfo blends = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &blend};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
		.pViewportState = &viewports,
		.pRasterizationState = &raster,
		.pMultisampleState = &samples,
		.pColorBlendState = &blends,
		.renderPass = d->pass};

	CHECK(gpu->d.CreatePipelineLayout(gpu->device, &layout, NULL, &d->layout));
	info.layout = d->layout;
	CHECK(gpu->d.CreateGraphicsPipelines(
		gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &d->pipeline));
}

static void
record(struct gpu *gpu, struct drawing *d, uint32_t width, uint32_t height)
{
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkClearValue clear = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}};
	const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = d->pass,
		.framebuffer = d->framebuffer,
		.renderArea = {{0, 0}, {width, height}},
		.clearValueCount = 1,
		.pClearValues = &clear};

	CHECK(gpu->d.CreateCommandPool(gpu->device, &pool, NULL, &d->pool));
	allocate.commandPool = d->pool;
	CHECK(gpu->d.AllocateCommandBuffers(gpu->device, &allocate, &d->commands));
	CHECK(gpu->d.BeginCommandBuffer(d->commands, &begin));
	gpu->d.CmdBeginRenderPass(d->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
	gpu->d.CmdBindPipeline(d->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline);
	gpu->d.CmdDraw(d->commands, 3, 1, 0, 0);
	gpu->d.CmdEndRenderPass(d->commands);
	CHECK(gpu->d.EndCommandBuffer(d->commands));
}

struct drawing *
gpu_draw(struct gpu *gpu, VkImage image, VkFormat format, uint32_t width, uint32_t height,
	VkSemaphore wait, VkSemaphore signal)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	struct drawing *d = calloc(1, sizeof(*d));
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait ? 1 : 0,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &d->commands,
		.signalSemaphoreCount = signal ? 1 : 0,
		.pSignalSemaphores = &signal};

	make_pass(gpu, d, format);
	make_target(gpu, d, image, format, width, height);
	d->vertex = make_shader(gpu, vertex_code, sizeof(vertex_code));
	d->fragment = make_shader(gpu, fragment_code, sizeof(fragment_code));
	make_pipeline(gpu, d, width, height);
	record(gpu, d, width, height);
	d->fence = gpu_fence(gpu);
	CHECK(gpu->d.QueueSubmit(gpu->queue, 1, &submit, d->fence));
	return d;
}

void
gpu_drawing_finish(struct gpu *gpu, struct drawing *d)
{
	gpu_wait_fence(gpu, d->fence);
	gpu->d.DestroyFence(gpu->device, d->fence, NULL);
	gpu->d.DestroyCommandPool(gpu->device, d->pool, NULL);
	gpu->d.DestroyPipeline(gpu->device, d->pipeline, NULL);
	gpu->d.DestroyPipelineLayout(gpu->device, d->layout, NULL);
	gpu->d.DestroyShaderModule(gpu->device, d->vertex, NULL);
	gpu->d.DestroyShaderModule(gpu->device, d->fragment, NULL);
	gpu->d.DestroyFramebuffer(gpu->device, d->framebuffer, NULL);
	gpu->d.DestroyImageView(gpu->device, d->view, NULL);
	gpu->d.DestroyRenderPass(gpu->device, d->pass, NULL);
	free(d);
}

/* lavapipe has one memory type, which can do everything. */
static VkDeviceMemory
allocate(struct gpu *gpu, VkDeviceSize size)
{
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size};
	VkDeviceMemory memory;

	CHECK(gpu->d.AllocateMemory(gpu->device, &info, NULL, &memory));
	return memory;
}

/* Reads a LINEAR image of lavapipe through its memory: nothing of ours takes part. */
void *
gpu_reference(struct gpu *gpu, VkFormat format, uint32_t bytes, uint32_t width, uint32_t height)
{
	VkImageCreateInfo info = gpu_image_info(format, width, height, NULL);
	const VkImageSubresource color = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
	char *pixels = malloc((size_t)width * height * bytes);
	VkSubresourceLayout layout;
	VkMemoryRequirements needs;
	VkDeviceMemory memory;
	VkImage image;
	void *map;

	info.tiling = VK_IMAGE_TILING_LINEAR;
	CHECK(gpu->d.CreateImage(gpu->device, &info, NULL, &image));
	gpu->d.GetImageMemoryRequirements(gpu->device, image, &needs);
	memory = allocate(gpu, needs.size);
	CHECK(gpu->d.BindImageMemory(gpu->device, image, memory, 0));
	gpu_drawing_finish(gpu, gpu_draw(gpu, image, format, width, height, NULL, NULL));
	gpu->d.GetImageSubresourceLayout(gpu->device, image, &color, &layout);
	CHECK(gpu->d.MapMemory(gpu->device, memory, 0, VK_WHOLE_SIZE, 0, &map));
	for (uint32_t y = 0; y < height; y++)
		memcpy(pixels + (size_t)y * width * bytes,
			(char *)map + layout.offset + y * layout.rowPitch, (size_t)width * bytes);
	gpu->d.DestroyImage(gpu->device, image, NULL);
	gpu->d.FreeMemory(gpu->device, memory, NULL);
	return pixels;
}

void
gpu_assert_picture(struct gpu *gpu, const struct kr_buffer *buffer, VkFormat format)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	uint32_t bytes = kr_format_bytes(info->desc.format);
	size_t row = (size_t)info->desc.width * bytes;
	char *expected = gpu_reference(gpu, format, bytes, info->desc.width, info->desc.height);
	struct kr_buffer *other;
	void *pixels;

	assert_int_equal(kr_buffer_import(kr_buffer_handle(buffer), &other), 0);
	assert_int_equal(kr_buffer_map(other, &pixels), 0);
	for (uint32_t y = 0; y < info->desc.height; y++)
		assert_memory_equal(
			(char *)pixels + (size_t)y * info->row_bytes, expected + y * row, row);
	kr_buffer_unref(other);
	free(expected);
}
