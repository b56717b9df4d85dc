/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small Vulkan program for tests: an instance, a device, a swapchain whose images are
 * cleared to a colour. It links libvulkan.so.1 as any program does. Functions return what
 * Vulkan returned and clean up after themselves when that was an error, so that allocation
 * failures can be put everywhere.
 */
#ifndef KR_TESTS_APP_H
#define KR_TESTS_APP_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define APP_MAX_IMAGES 16

/* Beyond what every program asks for; all zero: nothing. Set before the calls. */
struct app_more {
	const char *const *instance_extensions;
	uint32_t instance_extension_count;
	const char *const *extensions; /* of the device */
	uint32_t extension_count;
	const void *device; /* chained to its info */
	const void *swapchain;
	VkSwapchainCreateFlagsKHR flags;
	const void *present;
	const VkSurfaceFormatKHR *format; /* NULL: one of 8 bits of sRGB */
	const float *colour;              /* four, instead of a frame's grey */
};

struct app {
	const VkAllocationCallbacks *allocator; /* NULL: none; set before app_open_instance */
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkSurfaceKHR surface;
	VkSwapchainKHR swapchain;
	VkFormat format;
	uint32_t image_count;
	VkImage images[APP_MAX_IMAGES];
	VkSemaphore rendered[APP_MAX_IMAGES]; /* of the image of that index */
	VkSemaphore acquired;
	VkFence done;
	VkCommandPool pool;
	VkCommandBuffer commands;
	struct app_more more;
};

/* With VK_KHR_surface and one or two (NULL: one) other extensions. */
VkResult app_open_instance(struct app *app, const char *extension, const char *another);
VkResult app_create_headless_surface(struct app *app);
/* The device of that number, its first queue, and VK_KHR_swapchain. */
VkResult app_open_device(struct app *app, uint32_t number);
/* Images that can be cleared; replaces the one before. */
VkResult app_create_swapchain(
	struct app *app, VkPresentModeKHR mode, uint32_t min_images, VkExtent2D extent);
/* All after the swapchain that app_frame needs. */
VkResult app_create_frame_objects(struct app *app);
/* Acquires within `timeout` and clears to the grey of `number`; rendered[*index] tells when. */
VkResult app_draw(struct app *app, uint64_t timeout, unsigned number, uint32_t *index);
/* Presents the image of that index, after app_draw. */
VkResult app_present(struct app *app, uint32_t index);
/* Draws and presents. */
VkResult app_frame(struct app *app, uint64_t timeout, unsigned number);
/* Undoes frame objects, swapchain and surface; what is half done too. */
void app_close_window(struct app *app);
/* And the device. */
void app_close_device(struct app *app);
/* Undoes everything. */
void app_close(struct app *app);

#endif
