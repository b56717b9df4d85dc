/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rotating triangle, as plain as a program can be, on a surface or in images of its own: what
 * frames/s are made of. Functions that return int return 0, or 1 with a message.
 */
#ifndef KR_BENCH_TRIANGLE_H
#define KR_BENCH_TRIANGLE_H

#include "bench/vulkan_child.h"

#define TRIANGLE_MAX_IMAGES 8

struct triangle {
	struct vulkan_child *vk;
	VkSurfaceKHR surface;
	VkFormat format;
	VkExtent2D extent;
	VkSwapchainKHR swapchain;
	uint32_t image_count;
	VkImage images[TRIANGLE_MAX_IMAGES];
	VkDeviceMemory memories[TRIANGLE_MAX_IMAGES]; /* offscreen; else NULL */
	VkImageLayout layout_after;                   /* that drawing leaves an image in */
	VkImageView views[TRIANGLE_MAX_IMAGES];
	VkFramebuffer framebuffers[TRIANGLE_MAX_IMAGES];
	VkSemaphore rendered[TRIANGLE_MAX_IMAGES];
	VkRenderPass pass;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkSemaphore acquired;
	VkFence done;
	VkFence released;
};

/* IMMEDIATE where the surface has it, else MAILBOX, else FIFO; *mode says which. */
int triangle_create(
	struct triangle *t, struct vulkan_child *vk, VkSurfaceKHR surface, VkPresentModeKHR *mode);
/* Without a surface: three RGBA images of t->extent, as the GPU likes them best, to copy from. */
int triangle_create_offscreen(struct triangle *t, struct vulkan_child *vk);

/* What it is drawn with, once there are images. */
int triangle_create_drawing(struct triangle *t);
int triangle_begin(struct triangle *t, VkCommandBuffer cb);
void triangle_draw(struct triangle *t, VkCommandBuffer cb, uint32_t index, unsigned number);
int triangle_end(struct triangle *t, VkCommandBuffer cb);
/* The first type of memory that has all of `flags`, -1 when none has. */
int triangle_memory_type(struct triangle *t, uint32_t types, VkMemoryPropertyFlags flags);

/* One frame: acquire, record, submit, present, wait for the submit. */
int triangle_frame(struct triangle *t, unsigned number);
/* The same work without acquire and present. */
int triangle_offscreen_frame(struct triangle *t, unsigned number);
/*
 * The same, with the submits that a window system can't do without where a driver has no SYNC_FD:
 * one that signals the acquire's semaphore, and one behind the drawing that is waited for.
 */
int triangle_handshake_frame(struct triangle *t, unsigned number);
void triangle_destroy(struct triangle *t);

#endif
