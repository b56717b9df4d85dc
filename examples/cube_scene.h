/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cube itself: vertices, texture, pipeline, and drawing it into an image. It knows nothing of
 * windows, so the same pictures can be made without any.
 */
#ifndef CUBE_SCENE_H
#define CUBE_SCENE_H

#include "cube_gpu.h"
#include "cube_math.h"

#define SCENE_DEPTH_FORMAT VK_FORMAT_D16_UNORM

struct vertex {
	float position[3];
	float normal[3];
	float place[2];
};

/* What the vertex shader gets with each draw. */
struct turn {
	struct matrix project;
	struct matrix turn;
};

struct scene {
	const struct gpu *gpu;
	VkRenderPass pass;
	VkDescriptorSetLayout set_layout;
	VkDescriptorPool set_pool;
	VkDescriptorSet set;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkSampler sampler;
	const struct gpu_image *given; /* the caller's, of scene_create */
	struct gpu_image texture;
	struct gpu_buffer vertices;
};

/* One image to draw into, with a depth buffer of its own. */
struct target {
	VkExtent2D extent;
	VkImageView view;
	struct gpu_image depth;
	VkFramebuffer framebuffer;
};

/*
 * `final_layout` is where the pass leaves its colour images. `texture` is what each face shows, in
 * SHADER_READ_ONLY_OPTIMAL when something is drawn; NULL: a chequer.
 */
void scene_create(struct scene *scene, const struct gpu *gpu, VkFormat format,
	VkImageLayout final_layout, const struct gpu_image *texture);
/* Its second half: pass, set, pipeline (cube_pipeline.c). */
void scene_create_pipeline(struct scene *scene, VkFormat format, VkImageLayout final_layout);
void scene_destroy(struct scene *scene);
void target_create(struct target *target, const struct scene *scene, VkFormat format, VkImage image,
	VkExtent2D extent);
void target_destroy(struct target *target, const struct scene *scene);
/* The picture depends on the frame number and the target's size alone. */
void scene_draw(const struct scene *scene, const struct target *target, VkCommandBuffer commands,
	uint64_t frame);

#endif
