/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, and what may be said with them. */
#include "suite.h"

#define TIMEOUT_NS 10000000000ull

VkResult
suite_acquire(struct suite *s, VkSwapchainKHR swapchain, uint32_t *index)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkResult result, waited = VK_SUCCESS;
	VkFence fence;

	result = vkCreateFence(s->device, &info, NULL, &fence);
	if (result != VK_SUCCESS)
		return result;
	result = vkAcquireNextImageKHR(
		s->device, swapchain, TIMEOUT_NS, VK_NULL_HANDLE, fence, index);
	if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
		waited = vkWaitForFences(s->device, 1, &fence, VK_TRUE, TIMEOUT_NS);
	vkDestroyFence(s->device, fence, NULL);
	return waited == VK_SUCCESS ? result : waited;
}

static void
barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier b = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

/* Clears the image, and signals the semaphore behind that. */
static VkResult
draw(struct suite *s, VkImage image, VkImageLayout layout, VkSemaphore signal)
{
	const VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = s->pool,
		.commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue colour = {.float32 = {0.5f, 0.25f, 1, 1}};
	VkCommandBuffer commands;
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &signal};
	VkResult result = vkAllocateCommandBuffers(s->device, &allocate, &commands);

	if (result != VK_SUCCESS)
		return result;
	vkBeginCommandBuffer(commands, &begin);
	barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &whole);
	barrier(commands, image, VK_IMAGE_LAYOUT_GENERAL, layout);
	vkEndCommandBuffer(commands);
	result = vkQueueSubmit(s->queue, 1, &submit, VK_NULL_HANDLE);
	vkQueueWaitIdle(s->queue);
	vkFreeCommandBuffers(s->device, s->pool, 1, &commands);
	return result;
}

/* Draws to an image that is acquired, and presents it. */
static VkResult
present(struct suite *s, VkSwapchainKHR swapchain, uint32_t index, VkImageLayout layout,
	const void *chain)
{
	const VkSemaphoreCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore;
	VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = chain,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &semaphore,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index};
	VkImage images[64];
	uint32_t count = 64;
	VkResult result;

	vkGetSwapchainImagesKHR(s->device, swapchain, &count, images);
	result = vkCreateSemaphore(s->device, &create, NULL, &semaphore);
	if (result == VK_SUCCESS)
		result = draw(s, images[index], layout, semaphore);
	if (result == VK_SUCCESS)
		result = vkQueuePresentKHR(s->queue, &info);
	vkQueueWaitIdle(s->queue);
	vkDestroySemaphore(s->device, semaphore, NULL);
	return result;
}

VkResult
suite_frame(struct suite *s, VkSwapchainKHR swapchain, const void *chain)
{
	uint32_t index;
	VkResult result = suite_acquire(s, swapchain, &index);

	if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR)
		return result;
	result = present(s, swapchain, index, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, chain);
	return result == VK_SUBOPTIMAL_KHR ? VK_SUCCESS : result;
}

VkResult
suite_frames(struct suite *s, VkSwapchainKHR swapchain, uint32_t count)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
		result = suite_frame(s, swapchain, NULL);
	return result;
}

static bool
is_shared(VkPresentModeKHR mode)
{
	return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
		mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

const char *
case_frames(struct suite *s)
{
	for (uint32_t i = 0; i < s->mode_count; i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR swapchain;
		VkResult result;

		if (is_shared(s->modes[i]))
			continue;
		info.presentMode = s->modes[i];
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		result = suite_frames(s, swapchain, 8);
		vkDestroySwapchainKHR(s->device, swapchain, NULL);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
	}
	return NULL;
}

/* Alike or not, with an image of the old one held or not. */
const char *
case_replace(struct suite *s)
{
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;

	for (uint32_t round = 0; round < 12; round++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR old = swapchain;
		VkResult result;
		uint32_t index = 0;
		bool held = old && round % 3 == 2;

		if (held) {
			result = suite_acquire(s, old, &index);
			SUITE_CHECK(s, result >= 0, result);
		}
		info.oldSwapchain = old;
		info.minImageCount += round / 4 % 2;
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		if (held) {
			result = present(s, old, index, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, NULL);
			SUITE_CHECK(s, result >= 0 || result == VK_ERROR_OUT_OF_DATE_KHR, result);
		}
		if (old) {
			result = vkAcquireNextImageKHR(
				s->device, old, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &index);
			SUITE_CHECK(s, result == VK_ERROR_OUT_OF_DATE_KHR, result);
		}
		vkDestroySwapchainKHR(s->device, old, NULL);
		result = suite_frames(s, swapchain, round % 4);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
	}
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return NULL;
}

/* An image of the program's own over each that is acquired, once its memory is there. */
static const char *
show_deferred(struct suite *s, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR swapchain)
{
	for (uint32_t i = 0; i < 8; i++) {
		const char *why;
		uint32_t index;
		VkResult result = suite_acquire(s, swapchain, &index);

		SUITE_CHECK(s, result >= 0, result);
		why = suite_bind_image(s, info, swapchain, index);
		if (why)
			return why;
		result = present(s, swapchain, index,
			is_shared(info->presentMode) ? VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR
						     : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
			NULL);
		SUITE_CHECK(s, result >= 0, result);
	}
	return NULL;
}

const char *
case_deferred(struct suite *s)
{
	if (!s->has[SUITE_MAINTENANCE1])
		return suite_skip(s, "no VK_EXT_swapchain_maintenance1");
	for (uint32_t i = 0; i < s->mode_count; i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR swapchain;
		const char *why;
		VkResult result;

		info.flags = VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT;
		info.presentMode = s->modes[i];
		if (is_shared(info.presentMode))
			info.minImageCount = 1;
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		why = show_deferred(s, &info, swapchain);
		vkDestroySwapchainKHR(s->device, swapchain, NULL);
		if (why)
			return why;
	}
	return NULL;
}

const char *
case_release(struct suite *s)
{
	PFN_vkReleaseSwapchainImagesEXT release_images =
		(PFN_vkReleaseSwapchainImagesEXT)vkGetDeviceProcAddr(
			s->device, "vkReleaseSwapchainImagesEXT");
	const VkSwapchainCreateInfoKHR info = suite_info(s);
	VkReleaseSwapchainImagesInfoEXT release = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT, .imageIndexCount = 1};
	VkResult result;
	uint32_t index;

	if (!s->has[SUITE_MAINTENANCE1])
		return suite_skip(s, "no VK_EXT_swapchain_maintenance1");
	result = suite_create(s, &info, &release.swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	release.pImageIndices = &index;
	for (uint32_t i = 0; i < 10; i++) {
		result = suite_acquire(s, release.swapchain, &index);
		SUITE_CHECK(s, result >= 0, result);
		result = release_images(s->device, &release);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
	}
	result = suite_frames(s, release.swapchain, 4);
	vkDestroySwapchainKHR(s->device, release.swapchain, NULL);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	return NULL;
}

const char *
case_present_fence(struct suite *s)
{
	const VkFenceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSwapchainCreateInfoKHR info = suite_info(s);
	VkFence fence;
	const VkSwapchainPresentFenceInfoEXT fences = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT,
		.swapchainCount = 1,
		.pFences = &fence};
	VkSwapchainKHR swapchain;
	VkResult result;

	if (!s->has[SUITE_MAINTENANCE1])
		return suite_skip(s, "no VK_EXT_swapchain_maintenance1");
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	vkCreateFence(s->device, &create, NULL, &fence);
	for (uint32_t i = 0; i < 6; i++) {
		result = suite_frame(s, swapchain, &fences);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		result = vkWaitForFences(s->device, 1, &fence, VK_TRUE, TIMEOUT_NS);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		vkResetFences(s->device, 1, &fence);
	}
	vkDestroyFence(s->device, fence, NULL);
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return NULL;
}

/* Those that the surface says are compatible with FIFO; *count of them. */
static VkResult
ask_compatible(struct suite *s, VkPresentModeKHR mode, VkPresentModeKHR *list, uint32_t *count)
{
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask =
		(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
			s->instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
	VkSurfacePresentModeEXT of = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT, .presentMode = mode};
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
		.pNext = &of,
		.surface = s->surface};
	VkSurfacePresentModeCompatibilityEXT compatible = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT,
		.presentModeCount = *count,
		.pPresentModes = list};
	VkSurfaceCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &compatible};
	VkResult result = ask(s->physical, &info, &caps);

	*count = compatible.presentModeCount;
	return result;
}

const char *
case_switch_modes(struct suite *s)
{
	VkSwapchainPresentModesCreateInfoEXT modes = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT};
	VkSwapchainCreateInfoKHR info = suite_info(s);
	VkPresentModeKHR list[8];
	VkSwapchainKHR swapchain;
	uint32_t count = 8;
	VkResult result;

	if (!s->has[SUITE_MAINTENANCE1] || !s->surface_maintenance1)
		return suite_skip(s, "no VK_EXT_swapchain_maintenance1");
	result = ask_compatible(s, VK_PRESENT_MODE_FIFO_KHR, list, &count);
	SUITE_CHECK(s, result == VK_SUCCESS && count, result);
	modes.presentModeCount = count;
	modes.pPresentModes = list;
	info.pNext = &modes;
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	for (uint32_t i = 0; i < 3 * count; i++) {
		const VkSwapchainPresentModeInfoEXT mode = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT,
			.swapchainCount = 1,
			.pPresentModes = &list[i % count]};

		result = suite_frame(s, swapchain, &mode);
		SUITE_CHECK(s, result == VK_SUCCESS, list[i % count]);
	}
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return NULL;
}

static VkResult
ask_scaling(struct suite *s, VkSurfacePresentScalingCapabilitiesEXT *scaling)
{
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask =
		(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
			s->instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
	const VkSurfacePresentModeEXT fifo = {.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR};
	const VkPhysicalDeviceSurfaceInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
		.pNext = &fifo,
		.surface = s->surface};
	VkSurfaceCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = scaling};

	return ask(s->physical, &info, &caps);
}

/* Every behaviour with every gravity of both axes that the surface has, in another size. */
const char *
case_scaling(struct suite *s)
{
	VkSurfacePresentScalingCapabilitiesEXT has = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT};
	VkResult result;

	if (!s->has[SUITE_MAINTENANCE1] || !s->surface_maintenance1)
		return suite_skip(s, "no VK_EXT_swapchain_maintenance1");
	result = ask_scaling(s, &has);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	if (!has.supportedPresentScaling)
		return suite_skip(s, "the surface doesn't scale");
	for (uint32_t i = 0; i < 27; i++) {
		const VkSwapchainPresentScalingCreateInfoEXT scaling = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
			.scalingBehavior = 1u << i % 3 & has.supportedPresentScaling,
			.presentGravityX = 1u << i / 3 % 3 & has.supportedPresentGravityX,
			.presentGravityY = 1u << i / 9 & has.supportedPresentGravityY};
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR swapchain;

		if (!scaling.scalingBehavior)
			continue;
		info.pNext = &scaling;
		info.imageExtent = (VkExtent2D){40, 30};
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_SUCCESS, i);
		result = suite_frames(s, swapchain, 2);
		vkDestroySwapchainKHR(s->device, swapchain, NULL);
		SUITE_CHECK(s, result == VK_SUCCESS, i);
	}
	return NULL;
}

const char *
case_shared(struct suite *s)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
		VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR};
	PFN_vkGetSwapchainStatusKHR status = (PFN_vkGetSwapchainStatusKHR)vkGetDeviceProcAddr(
		s->device, "vkGetSwapchainStatusKHR");
	uint32_t tried = 0;

	for (uint32_t i = 0; i < 2; i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR swapchain;
		uint32_t index, count = 0;
		VkResult result;

		if (!s->has[SUITE_SHARED] || !suite_has_mode(s, modes[i]))
			continue;
		tried++;
		info.presentMode = modes[i];
		info.minImageCount = 1;
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		vkGetSwapchainImagesKHR(s->device, swapchain, &count, NULL);
		SUITE_CHECK(s, count == 1, count);
		result = suite_acquire(s, swapchain, &index);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		for (uint32_t k = 0; k < 5; k++) {
			result = present(s, swapchain, 0, VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR, NULL);
			SUITE_CHECK(s, result == VK_SUCCESS, result);
			result = status(s->device, swapchain);
			SUITE_CHECK(s, result == VK_SUCCESS, result);
		}
		vkDestroySwapchainKHR(s->device, swapchain, NULL);
	}
	return tried ? NULL : suite_skip(s, "no VK_KHR_shared_presentable_image, or no such modes");
}

const char *
case_present_wait(struct suite *s)
{
	PFN_vkWaitForPresentKHR wait =
		(PFN_vkWaitForPresentKHR)vkGetDeviceProcAddr(s->device, "vkWaitForPresentKHR");
	const VkSwapchainCreateInfoKHR info = suite_info(s);
	VkSwapchainKHR swapchain;
	VkResult result;

	if (!s->has[SUITE_PRESENT_ID] || !s->has[SUITE_PRESENT_WAIT])
		return suite_skip(s, "no VK_KHR_present_wait");
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	result = wait(s->device, swapchain, 1, 0);
	SUITE_CHECK(s, result == VK_TIMEOUT, result);
	for (uint64_t id = 1; id <= 5; id++) {
		const VkPresentIdKHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
			.swapchainCount = 1,
			.pPresentIds = &id};

		result = suite_frame(s, swapchain, &ids);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		result = wait(s->device, swapchain, id, TIMEOUT_NS);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
	}
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return NULL;
}

const char *
case_damage(struct suite *s)
{
	const VkRectLayerKHR rects[] = {{{1, 2}, {3, 4}, 0}, {{8, 8}, {16, 8}, 0}};
	const VkPresentRegionKHR region = {2, rects};
	const VkPresentRegionsKHR regions = {.sType = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR,
		.swapchainCount = 1,
		.pRegions = &region};
	const VkSwapchainCreateInfoKHR info = suite_info(s);
	VkSwapchainKHR swapchain;
	VkResult result;

	if (!s->has[SUITE_INCREMENTAL])
		return suite_skip(s, "no VK_KHR_incremental_present");
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	for (uint32_t i = 0; i < 6; i++) {
		result = suite_frame(s, swapchain, i % 2 ? &regions : NULL);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
	}
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return NULL;
}
