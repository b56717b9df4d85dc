/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triangle: what it is drawn with, into whatever images there are. Every failure is reported by
 * name and ends the program: it is a measuring device.
 */
#include "bench/triangle.h"

#include <string.h>

#include "bench/vulkan_calls.h"

#include "bench/triangle_frag.h"
#include "bench/triangle_vert.h"

static int
create_pass(struct triangle *t)
{
	VkAttachmentDescription color = {
		.format = t->format,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.finalLayout = t->layout_after,
	};
	VkAttachmentReference ref = {.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &ref};
	VkSubpassDependency before = {
		.srcSubpass = VK_SUBPASS_EXTERNAL,
		.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
	};
	VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &color,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 1,
		.pDependencies = &before,
	};

	TRY(DEVICE_FN(t->vk, vkCreateRenderPass)(t->vk->device, &info, NULL, &t->pass));
	return 0;
}

static int
create_targets(struct triangle *t)
{
	VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	for (uint32_t i = 0; i < t->image_count; i++) {
		VkImageViewCreateInfo view = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
			.image = t->images[i],
			.viewType = VK_IMAGE_VIEW_TYPE_2D,
			.format = t->format,
			.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
		};
		VkFramebufferCreateInfo target = {
			.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
			.renderPass = t->pass,
			.attachmentCount = 1,
			.width = t->extent.width,
			.height = t->extent.height,
			.layers = 1,
		};

		TRY(DEVICE_FN(t->vk, vkCreateImageView)(t->vk->device, &view, NULL, &t->views[i]));
		target.pAttachments = &t->views[i];
		TRY(DEVICE_FN(t->vk, vkCreateFramebuffer)(
			t->vk->device, &target, NULL, &t->framebuffers[i]));
		TRY(DEVICE_FN(t->vk, vkCreateSemaphore)(
			t->vk->device, &semaphore, NULL, &t->rendered[i]));
	}
	TRY(DEVICE_FN(t->vk, vkCreateSemaphore)(t->vk->device, &semaphore, NULL, &t->acquired));
	TRY(DEVICE_FN(t->vk, vkCreateFence)(t->vk->device, &fence, NULL, &t->done));
	TRY(DEVICE_FN(t->vk, vkCreateFence)(t->vk->device, &fence, NULL, &t->released));
	return 0;
}

static int
create_module(struct triangle *t, const uint32_t *code, size_t size, VkShaderModule *module)
{
	VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size,
		.pCode = code,
	};

	TRY(DEVICE_FN(t->vk, vkCreateShaderModule)(t->vk->device, &info, NULL, module));
	return 0;
}

static int
build_pipeline(struct triangle *t, const VkPipelineShaderStageCreateInfo stages[2])
{
	VkPipelineVertexInputStateCreateInfo input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	VkViewport viewport = {0, 0, (float)t->extent.width, (float)t->extent.height, 0, 1};
	VkRect2D scissor = {{0, 0}, t->extent};
	VkPipelineViewportStateCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor};
	VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineColorBlendAttachmentState mask = {.colorWriteMask = 0xf};
	VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &mask};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = &input,
		.pInputAssemblyState = &assembly,
		.pViewportState = &view,
		.pRasterizationState = &raster,
		.pMultisampleState = &samples,
		.pColorBlendState = &blend,
		.layout = t->layout,
		.renderPass = t->pass};

	TRY(DEVICE_FN(t->vk, vkCreateGraphicsPipelines)(
		t->vk->device, VK_NULL_HANDLE, 1, &info, NULL, &t->pipeline));
	return 0;
}

static int
create_pipeline(struct triangle *t)
{
	VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(float)};
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &push,
	};
	VkPipelineShaderStageCreateInfo stages[2] = {
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_VERTEX_BIT,
			.pName = "main"},
		{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_FRAGMENT_BIT,
			.pName = "main"},
	};
	int ret;

	TRY(DEVICE_FN(t->vk, vkCreatePipelineLayout)(t->vk->device, &layout, NULL, &t->layout));
	if (create_module(t, triangle_vert, sizeof(triangle_vert), &stages[0].module) ||
		create_module(t, triangle_frag, sizeof(triangle_frag), &stages[1].module))
		return 1;
	ret = build_pipeline(t, stages);
	DEVICE_FN(t->vk, vkDestroyShaderModule)(t->vk->device, stages[0].module, NULL);
	DEVICE_FN(t->vk, vkDestroyShaderModule)(t->vk->device, stages[1].module, NULL);
	return ret;
}

int
triangle_create_drawing(struct triangle *t)
{
	return create_pass(t) || create_targets(t) || create_pipeline(t);
}

void
triangle_draw(struct triangle *t, VkCommandBuffer cb, uint32_t index, unsigned number)
{
	VkClearValue clear = {.color = {.float32 = {0.1f, 0.1f, 0.15f, 1}}};
	VkRenderPassBeginInfo pass = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = t->pass,
		.framebuffer = t->framebuffers[index],
		.renderArea = {{0, 0}, t->extent},
		.clearValueCount = 1,
		.pClearValues = &clear,
	};
	float angle = (float)number * 0.05f;

	DEVICE_FN(t->vk, vkCmdBeginRenderPass)(cb, &pass, VK_SUBPASS_CONTENTS_INLINE);
	DEVICE_FN(t->vk, vkCmdBindPipeline)(cb, VK_PIPELINE_BIND_POINT_GRAPHICS, t->pipeline);
	DEVICE_FN(t->vk, vkCmdPushConstants)
	(cb, t->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(angle), &angle);
	DEVICE_FN(t->vk, vkCmdDraw)(cb, 3, 1, 0, 0);
	DEVICE_FN(t->vk, vkCmdEndRenderPass)(cb);
}

int
triangle_begin(struct triangle *t, VkCommandBuffer cb)
{
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};

	TRY(DEVICE_FN(t->vk, vkBeginCommandBuffer)(cb, &begin));
	return 0;
}

int
triangle_end(struct triangle *t, VkCommandBuffer cb)
{
	TRY(DEVICE_FN(t->vk, vkEndCommandBuffer)(cb));
	return 0;
}

void
triangle_destroy(struct triangle *t)
{
	VkDevice device = t->vk->device;

	DEVICE_FN(t->vk, vkDeviceWaitIdle)(device);
	for (uint32_t i = 0; i < t->image_count; i++) {
		DEVICE_FN(t->vk, vkDestroyFramebuffer)(device, t->framebuffers[i], NULL);
		DEVICE_FN(t->vk, vkDestroyImageView)(device, t->views[i], NULL);
		DEVICE_FN(t->vk, vkDestroySemaphore)(device, t->rendered[i], NULL);
	}
	DEVICE_FN(t->vk, vkDestroySemaphore)(device, t->acquired, NULL);
	DEVICE_FN(t->vk, vkDestroyFence)(device, t->done, NULL);
	DEVICE_FN(t->vk, vkDestroyFence)(device, t->released, NULL);
	DEVICE_FN(t->vk, vkDestroyPipeline)(device, t->pipeline, NULL);
	DEVICE_FN(t->vk, vkDestroyPipelineLayout)(device, t->layout, NULL);
	DEVICE_FN(t->vk, vkDestroyRenderPass)(device, t->pass, NULL);
	if (t->swapchain)
		DEVICE_FN(t->vk, vkDestroySwapchainKHR)(device, t->swapchain, NULL);
	for (uint32_t i = 0; i < t->image_count && t->memories[i]; i++) {
		DEVICE_FN(t->vk, vkDestroyImage)(device, t->images[i], NULL);
		DEVICE_FN(t->vk, vkFreeMemory)(device, t->memories[i], NULL);
	}
	memset(t, 0, sizeof(*t));
}
