/* SPDX-License-Identifier: Apache-2.0 */
/* Swapchain and frame loop body: see cube_swapchain.h. */
#include "cube_swapchain.h"

#define MAX_FORMATS 64
#define MAX_MODES   16

VkSurfaceFormatKHR
swapchain_choose_format(const struct gpu *gpu, VkSurfaceKHR surface, enum swapchain_depth depth)
{
	static const VkFormat good[][2] = {
		[SWAPCHAIN_DEPTH_8] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM},
		[SWAPCHAIN_DEPTH_10] = {VK_FORMAT_A2B10G10R10_UNORM_PACK32,
			VK_FORMAT_A2R10G10B10_UNORM_PACK32},
		[SWAPCHAIN_DEPTH_FLOAT] = {VK_FORMAT_R16G16B16A16_SFLOAT,
			VK_FORMAT_R16G16B16A16_SFLOAT},
	};
	VkSurfaceFormatKHR formats[MAX_FORMATS];
	uint32_t count = MAX_FORMATS;

	check(vkGetPhysicalDeviceSurfaceFormatsKHR(gpu->physical, surface, &count, formats),
		"vkGetPhysicalDeviceSurfaceFormatsKHR");
	for (uint32_t i = 0; i < count; i++) {
		if (formats[i].format == good[depth][0] || formats[i].format == good[depth][1])
			return formats[i];
	}
	die("the surface takes no format of this --depth");
}

static void
check_mode(const struct swapchain *swapchain)
{
	VkPresentModeKHR modes[MAX_MODES];
	uint32_t count = MAX_MODES;

	check(vkGetPhysicalDeviceSurfacePresentModesKHR(
		      swapchain->gpu->physical, swapchain->surface, &count, modes),
		"vkGetPhysicalDeviceSurfacePresentModesKHR");
	for (uint32_t i = 0; i < count; i++) {
		if (modes[i] == swapchain->mode)
			return;
	}
	die("the surface doesn't offer this present mode");
}

static uint32_t
clamp(uint32_t value, uint32_t low, uint32_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* One image more than the least that works, so that drawing needn't wait for the display. */
static void
create_handle(struct swapchain *swapchain, VkSwapchainKHR old, VkExtent2D *extent)
{
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = swapchain->surface,
		.imageFormat = swapchain->format,
		.imageColorSpace = swapchain->colour_space,
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.presentMode = swapchain->mode,
		.clipped = VK_TRUE,
		.oldSwapchain = old,
	};
	VkSurfaceCapabilitiesKHR caps;

	check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
		      swapchain->gpu->physical, swapchain->surface, &caps),
		"vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
	info.minImageCount = caps.minImageCount + 1;
	if (caps.maxImageCount && info.minImageCount > caps.maxImageCount)
		info.minImageCount = caps.maxImageCount;
	*extent = caps.currentExtent;
	if (extent->width == UINT32_MAX) {
		extent->width = clamp(swapchain->wanted.width, caps.minImageExtent.width,
			caps.maxImageExtent.width);
		extent->height = clamp(swapchain->wanted.height, caps.minImageExtent.height,
			caps.maxImageExtent.height);
	}
	info.imageExtent = *extent;
	info.preTransform = caps.supportedTransforms & VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR
		? VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR
		: caps.currentTransform;
	info.compositeAlpha = caps.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
		? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
		: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
	check(vkCreateSwapchainKHR(swapchain->gpu->device, &info, NULL, &swapchain->handle),
		"vkCreateSwapchainKHR");
}

static VkSemaphore
create_semaphore(const struct gpu *gpu)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore;

	check(vkCreateSemaphore(gpu->device, &info, NULL, &semaphore), "vkCreateSemaphore");
	return semaphore;
}

static void
create_images(struct swapchain *swapchain, VkSwapchainKHR old)
{
	VkImage images[SWAPCHAIN_MAX_IMAGES];
	VkExtent2D extent;

	create_handle(swapchain, old, &extent);
	swapchain->count = SWAPCHAIN_MAX_IMAGES;
	check(vkGetSwapchainImagesKHR(
		      swapchain->gpu->device, swapchain->handle, &swapchain->count, images),
		"vkGetSwapchainImagesKHR");
	for (uint32_t i = 0; i < swapchain->count; i++) {
		target_create(&swapchain->targets[i], swapchain->scene, swapchain->format,
			images[i], extent);
		swapchain->rendered[i] = create_semaphore(swapchain->gpu);
	}
}

static void
destroy_images(struct swapchain *swapchain)
{
	for (uint32_t i = 0; i < swapchain->count; i++) {
		target_destroy(&swapchain->targets[i], swapchain->scene);
		vkDestroySemaphore(swapchain->gpu->device, swapchain->rendered[i], NULL);
	}
}

void
swapchain_create(struct swapchain *swapchain)
{
	const VkFenceCreateInfo fence = {
		.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
		.flags = VK_FENCE_CREATE_SIGNALED_BIT,
	};
	const VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = swapchain->gpu->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkDevice device = swapchain->gpu->device;

	check_mode(swapchain);
	create_images(swapchain, VK_NULL_HANDLE);
	for (int i = 0; i < FRAMES_IN_FLIGHT; i++) {
		struct flight *flight = &swapchain->flights[i];

		check(vkAllocateCommandBuffers(device, &commands, &flight->commands),
			"vkAllocateCommandBuffers");
		check(vkCreateFence(device, &fence, NULL, &flight->done), "vkCreateFence");
		flight->acquired = create_semaphore(swapchain->gpu);
	}
}

void
swapchain_destroy(struct swapchain *swapchain)
{
	VkDevice device = swapchain->gpu->device;

	check(vkDeviceWaitIdle(device), "vkDeviceWaitIdle");
	for (int i = 0; i < FRAMES_IN_FLIGHT; i++) {
		vkDestroyFence(device, swapchain->flights[i].done, NULL);
		vkDestroySemaphore(device, swapchain->flights[i].acquired, NULL);
	}
	destroy_images(swapchain);
	vkDestroySwapchainKHR(device, swapchain->handle, NULL);
}

static void
recreate(struct swapchain *swapchain)
{
	VkSwapchainKHR old = swapchain->handle;

	check(vkDeviceWaitIdle(swapchain->gpu->device), "vkDeviceWaitIdle");
	destroy_images(swapchain);
	create_images(swapchain, old);
	vkDestroySwapchainKHR(swapchain->gpu->device, old, NULL);
}

static uint32_t
acquire(struct swapchain *swapchain, const struct flight *flight)
{
	VkResult result;
	uint32_t index;

	do {
		result = vkAcquireNextImageKHR(swapchain->gpu->device, swapchain->handle,
			UINT64_MAX, flight->acquired, VK_NULL_HANDLE, &index);
		if (result == VK_ERROR_OUT_OF_DATE_KHR)
			recreate(swapchain);
	} while (result == VK_ERROR_OUT_OF_DATE_KHR);
	check(result, "vkAcquireNextImageKHR");
	/* Without an image there is no index, whatever the time that was given. */
	if (result == VK_TIMEOUT || result == VK_NOT_READY)
		die("vkAcquireNextImageKHR gave no image in time");
	return index;
}

static void
render(const struct swapchain *swapchain, const struct flight *flight, uint32_t index,
	uint64_t frame)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &flight->acquired,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &flight->commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &swapchain->rendered[index],
	};

	check(vkBeginCommandBuffer(flight->commands, &begin), "vkBeginCommandBuffer");
	scene_draw(swapchain->scene, &swapchain->targets[index], flight->commands, frame);
	check(vkEndCommandBuffer(flight->commands), "vkEndCommandBuffer");
	check(vkQueueSubmit(swapchain->gpu->queue, 1, &submit, flight->done), "vkQueueSubmit");
}

void
swapchain_show(struct swapchain *swapchain, uint64_t frame)
{
	const struct flight *flight = &swapchain->flights[frame % FRAMES_IN_FLIGHT];
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.swapchainCount = 1,
		.pSwapchains = &swapchain->handle,
	};
	uint32_t index;
	VkResult result;

	check(vkWaitForFences(swapchain->gpu->device, 1, &flight->done, VK_TRUE, UINT64_MAX),
		"vkWaitForFences");
	index = acquire(swapchain, flight);
	check(vkResetFences(swapchain->gpu->device, 1, &flight->done), "vkResetFences");
	render(swapchain, flight, index, frame);
	present.pWaitSemaphores = &swapchain->rendered[index];
	present.pImageIndices = &index;
	result = vkQueuePresentKHR(swapchain->gpu->queue, &present);
	if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR)
		recreate(swapchain);
	else
		check(result, "vkQueuePresentKHR");
}
