/* SPDX-License-Identifier: Apache-2.0 */
/* The cube: see cube_scene.h. */
#include "cube_scene.h"

#include <string.h>

#include "cube_math.h"

#define TEXTURE_SIZE  64
#define VERTEX_COUNT  36
#define FRAMES_A_TURN 180
#define PI            3.14159265f

/*
 * Six faces of two triangles, counter-clockwise when seen from outside. A face is its normal and
 * two vectors in it, right and up, with right x up = normal.
 */
static void
fill_vertices(struct vertex *out)
{
	static const float corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};

	for (int face = 0; face < 6; face++) {
		int axis = face / 2;
		float side = face % 2 ? -1 : 1;

		for (int corner = 0; corner < 6; corner++, out++) {
			float right = corners[corner][0], up = corners[corner][1];

			memset(out, 0, sizeof(*out));
			out->normal[axis] = side;
			out->position[axis] = side;
			out->position[(axis + 1) % 3] = right * side;
			out->position[(axis + 2) % 3] = up;
			out->place[0] = (1 + right) / 2;
			out->place[1] = (1 - up) / 2;
		}
	}
}

/* A chequer with a bright diagonal, so that each face has an up and a left. */
static void
fill_texture(uint8_t *out)
{
	for (int y = 0; y < TEXTURE_SIZE; y++) {
		for (int x = 0; x < TEXTURE_SIZE; x++, out += 4) {
			int light = (x / 8 + y / 8) % 2 ? 230 : 120;

			if (x > y - 3 && x < y + 3)
				light = 255;
			out[0] = (uint8_t)light;
			out[1] = (uint8_t)(light - x / 2);
			out[2] = (uint8_t)(light - y);
			out[3] = 255;
		}
	}
}

static void
create_texture(struct scene *scene)
{
	const VkExtent2D size = {TEXTURE_SIZE, TEXTURE_SIZE};
	const VkBufferImageCopy copy = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {TEXTURE_SIZE, TEXTURE_SIZE, 1},
	};
	const struct gpu *gpu = scene->gpu;
	struct gpu_buffer staging = gpu_buffer_create(
		gpu, TEXTURE_SIZE * TEXTURE_SIZE * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	VkCommandBuffer commands = gpu_begin(gpu);

	fill_texture(staging.data);
	scene->texture = gpu_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, size,
		VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
		VK_IMAGE_ASPECT_COLOR_BIT);
	gpu_change_layout(commands, scene->texture.image, VK_IMAGE_LAYOUT_UNDEFINED,
		VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	vkCmdCopyBufferToImage(commands, staging.buffer, scene->texture.image,
		VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
	gpu_change_layout(commands, scene->texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	gpu_finish(gpu, commands);
	gpu_buffer_destroy(gpu, &staging);
}

static void
create_sampler(struct scene *scene)
{
	const VkSamplerCreateInfo sampler = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.magFilter = VK_FILTER_LINEAR,
		.minFilter = VK_FILTER_LINEAR,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
	};

	check(vkCreateSampler(scene->gpu->device, &sampler, NULL, &scene->sampler),
		"vkCreateSampler");
}

void
scene_create(struct scene *scene, const struct gpu *gpu, VkFormat format,
	VkImageLayout final_layout, const struct gpu_image *texture)
{
	scene->gpu = gpu;
	scene->given = texture;
	scene->vertices = gpu_buffer_create(
		gpu, VERTEX_COUNT * sizeof(struct vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
	fill_vertices(scene->vertices.data);
	create_sampler(scene);
	if (texture)
		scene->texture = *texture;
	else
		create_texture(scene);
	scene_create_pipeline(scene, format, final_layout);
}

void
scene_destroy(struct scene *scene)
{
	VkDevice device = scene->gpu->device;

	vkDestroyPipeline(device, scene->pipeline, NULL);
	vkDestroyPipelineLayout(device, scene->layout, NULL);
	vkDestroyRenderPass(device, scene->pass, NULL);
	vkDestroyDescriptorPool(device, scene->set_pool, NULL);
	vkDestroyDescriptorSetLayout(device, scene->set_layout, NULL);
	vkDestroySampler(device, scene->sampler, NULL);
	if (!scene->given)
		gpu_image_destroy(scene->gpu, &scene->texture);
	gpu_buffer_destroy(scene->gpu, &scene->vertices);
}

void
target_create(struct target *target, const struct scene *scene, VkFormat format, VkImage image,
	VkExtent2D extent)
{
	VkDevice device = scene->gpu->device;
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkImageView views[2];
	const VkFramebufferCreateInfo framebuffer = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = scene->pass,
		.attachmentCount = 2,
		.pAttachments = views,
		.width = extent.width,
		.height = extent.height,
		.layers = 1,
	};

	target->extent = extent;
	check(vkCreateImageView(device, &view, NULL, &target->view), "vkCreateImageView");
	target->depth = gpu_image_create(scene->gpu, SCENE_DEPTH_FORMAT, extent,
		VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
	views[0] = target->view;
	views[1] = target->depth.view;
	check(vkCreateFramebuffer(device, &framebuffer, NULL, &target->framebuffer),
		"vkCreateFramebuffer");
}

void
target_destroy(struct target *target, const struct scene *scene)
{
	vkDestroyFramebuffer(scene->gpu->device, target->framebuffer, NULL);
	gpu_image_destroy(scene->gpu, &target->depth);
	vkDestroyImageView(scene->gpu->device, target->view, NULL);
}

/* The cube turns about a tilted axis; the frame number is all that it depends on. */
static struct turn
turn_at(uint64_t frame, VkExtent2D extent)
{
	float angle = 2 * PI * (float)(frame % FRAMES_A_TURN) / FRAMES_A_TURN;
	float aspect = (float)extent.width / (float)extent.height;
	struct matrix turn = matrix_multiply(matrix_turn_x(0.5f), matrix_turn_y(angle));
	struct matrix seen = matrix_multiply(matrix_move_z(-5), turn);

	return (struct turn){matrix_multiply(matrix_perspective(0.4f, aspect, 1, 20), seen), turn};
}

void
scene_draw(const struct scene *scene, const struct target *target, VkCommandBuffer commands,
	uint64_t frame)
{
	const struct turn turn = turn_at(frame, target->extent);
	const VkClearValue clear[2] = {
		{.color = {.float32 = {0.08f, 0.09f, 0.12f, 1}}}, {.depthStencil = {1, 0}}};
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = scene->pass,
		.framebuffer = target->framebuffer,
		.renderArea = {.extent = target->extent},
		.clearValueCount = 2,
		.pClearValues = clear,
	};
	const VkViewport viewport = {
		0, 0, (float)target->extent.width, (float)target->extent.height, 0, 1};
	const VkRect2D scissor = {.extent = target->extent};
	const VkDeviceSize offset = 0;

	vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->pipeline);
	vkCmdSetViewport(commands, 0, 1, &viewport);
	vkCmdSetScissor(commands, 0, 1, &scissor);
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->layout, 0, 1,
		&scene->set, 0, NULL);
	vkCmdBindVertexBuffers(commands, 0, 1, &scene->vertices.buffer, &offset);
	vkCmdPushConstants(
		commands, scene->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(turn), &turn);
	vkCmdDraw(commands, VERTEX_COUNT, 1, 0, 0);
	vkCmdEndRenderPass(commands);
}
