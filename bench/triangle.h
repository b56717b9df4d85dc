/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rotating triangle on a surface, as plain as a swapchain program can be: what
 * frames/s are made of.
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

/* IMMEDIATE where the surface has it, else MAILBOX, else FIFO; *mode says which. 0 or 1. */
int triangle_create(
	struct triangle *t, struct vulkan_child *vk, VkSurfaceKHR surface, VkPresentModeKHR *mode);
/* One frame: acquire, record, submit, present, wait for the submit. 0 or 1. */
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
