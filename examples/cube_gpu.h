/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instance, device and memory for the cube, and for share.c. An example ends at the first error,
 * with its name; a program that lives longer would pass results on.
 */
#ifndef CUBE_GPU_H
#define CUBE_GPU_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

struct gpu {
	bool shares_buffers; /* set before all else: the device shall take AHardwareBuffers */
	VkInstance instance;
	VkPhysicalDevice physical;
	VkPhysicalDeviceMemoryProperties memory;
	VkDevice device;
	uint32_t family;
	VkQueue queue;
	VkCommandPool pool;
};

struct gpu_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *data; /* mapped, coherent */
};

struct gpu_image {
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
};

/* Ends the program unless `result` is a success; `what` names the call. */
void check(VkResult result, const char *what);
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* `surface_extension` NULL: nothing will be presented. */
void gpu_open_instance(struct gpu *gpu, const char *surface_extension);
/* The device of that index with a queue that draws, and presents to `surface` unless it is null. */
void gpu_open_device(struct gpu *gpu, uint32_t index, VkSurfaceKHR surface);
void gpu_close(struct gpu *gpu);

struct gpu_buffer gpu_buffer_create(
	const struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage);
void gpu_buffer_destroy(const struct gpu *gpu, struct gpu_buffer *buffer);
struct gpu_image gpu_image_create(const struct gpu *gpu, VkFormat format, VkExtent2D extent,
	VkImageUsageFlags usage, VkImageAspectFlags aspect);
void gpu_image_destroy(const struct gpu *gpu, struct gpu_image *image);

/* Commands that run once, and are waited for. */
VkCommandBuffer gpu_begin(const struct gpu *gpu);
void gpu_finish(const struct gpu *gpu, VkCommandBuffer commands);
/* Moves a colour image from one layout to another; waits for everything, which is fine once. */
void gpu_change_layout(
	VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to);

#endif
