/* SPDX-License-Identifier: Apache-2.0 */
/* The swapchain, and the frames in flight: one is drawn while another is still being rendered. */
#ifndef CUBE_SWAPCHAIN_H
#define CUBE_SWAPCHAIN_H

#include "cube_gpu.h"
#include "cube_scene.h"

#define SWAPCHAIN_MAX_IMAGES 16
#define FRAMES_IN_FLIGHT     2

struct flight {
	VkCommandBuffer commands;
	VkFence done;
	VkSemaphore acquired;
};

struct swapchain {
	const struct gpu *gpu;
	const struct scene *scene;
	VkSurfaceKHR surface;
	VkPresentModeKHR mode;
	VkFormat format;
	VkColorSpaceKHR colour_space;
	VkExtent2D wanted; /* when the window leaves the size to us */
	VkSwapchainKHR handle;
	uint32_t count;
	struct target targets[SWAPCHAIN_MAX_IMAGES];
	VkSemaphore rendered[SWAPCHAIN_MAX_IMAGES]; /* presenting waits for it */
	struct flight flights[FRAMES_IN_FLIGHT];
};

/* How many bits a channel has: 8, 10, or 16 of a floating point number. */
enum swapchain_depth {
	SWAPCHAIN_DEPTH_8,
	SWAPCHAIN_DEPTH_10,
	SWAPCHAIN_DEPTH_FLOAT,
};

/* A format of the surface that is good for a picture: colours are stored as they are. */
VkSurfaceFormatKHR swapchain_choose_format(
	const struct gpu *gpu, VkSurfaceKHR surface, enum swapchain_depth depth);
/* Everything above `handle` is filled in by the caller. */
void swapchain_create(struct swapchain *swapchain);
void swapchain_destroy(struct swapchain *swapchain);
/* Draws and presents a frame; a window that changed gets a new swapchain. */
void swapchain_show(struct swapchain *swapchain, uint64_t frame);

#endif
