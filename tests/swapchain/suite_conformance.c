/* SPDX-License-Identifier: Apache-2.0 */
/* What conformance tests ask for, beside what the other cases show. */
#include "suite.h"

#include <string.h>

#define TIMEOUT_NS 10000000000ull

/* VK_GOOGLE_surfaceless_query: no surface says what this one says, in the same order. */
const char *
case_surfaceless(struct suite *s)
{
	VkSurfaceFormatKHR formats[32];
	VkPresentModeKHR modes[8];
	uint32_t count = 32;
	VkResult result;

	if (!s->surfaceless)
		return suite_skip(s, "no VK_GOOGLE_surfaceless_query");
	result = vkGetPhysicalDeviceSurfaceFormatsKHR(s->physical, VK_NULL_HANDLE, &count, formats);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	SUITE_CHECK(s, count == s->format_count, count);
	for (uint32_t i = 0; i < count; i++) {
		SUITE_CHECK(s, formats[i].format == s->formats[i].format, i);
		SUITE_CHECK(s, formats[i].colorSpace == s->formats[i].colorSpace, i);
	}
	count = 8;
	result = vkGetPhysicalDeviceSurfacePresentModesKHR(
		s->physical, VK_NULL_HANDLE, &count, modes);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	for (uint32_t i = 0; i < count; i++)
		SUITE_CHECK(s, suite_has_mode(s, modes[i]), modes[i]);
	return NULL;
}

/* VK_EXT_display_surface_counter: only surfaces of displays may have any. */
const char *
case_counters(struct suite *s)
{
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT ask =
		(PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT)vkGetInstanceProcAddr(
			s->instance, "vkGetPhysicalDeviceSurfaceCapabilities2EXT");
	VkSurfaceCapabilities2EXT caps = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_EXT};
	VkResult result;

	if (!s->surface_counter)
		return suite_skip(s, "no VK_EXT_display_surface_counter");
	result = ask(s->physical, s->surface, &caps);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	SUITE_CHECK(s, !memcmp(&caps.minImageCount, &s->caps, sizeof(s->caps)), 0);
	if (!s->is_display)
		SUITE_CHECK(s, !caps.supportedSurfaceCounters, caps.supportedSurfaceCounters);
	return NULL;
}

/* Each format has all usages that the surface is said to have. */
const char *
case_all_usages(struct suite *s)
{
	for (uint32_t i = 0; i < s->format_count; i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR swapchain;
		VkResult result;

		info.imageFormat = s->formats[i].format;
		info.imageColorSpace = s->formats[i].colorSpace;
		info.imageUsage = s->caps.supportedUsageFlags;
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_SUCCESS, info.imageFormat);
		result = suite_frames(s, swapchain, 2);
		vkDestroySwapchainKHR(s->device, swapchain, NULL);
		SUITE_CHECK(s, result == VK_SUCCESS, info.imageFormat);
	}
	return NULL;
}

/* As many images as there may be acquired, without semaphore or fence, but those that go back. */
static VkResult
acquire_all(struct suite *s, VkSwapchainKHR swapchain, uint32_t *indices, uint32_t count)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count && result >= 0; i++)
		result = vkAcquireNextImageKHR(s->device, swapchain, UINT64_MAX, VK_NULL_HANDLE,
			VK_NULL_HANDLE, &indices[i]);
	return result;
}

/* All that may be acquired go back, also those of a swapchain that another took the place of. */
static const char *
release_of(struct suite *s, VkPresentModeKHR mode)
{
	PFN_vkReleaseSwapchainImagesEXT release_images =
		(PFN_vkReleaseSwapchainImagesEXT)vkGetDeviceProcAddr(
			s->device, "vkReleaseSwapchainImagesEXT");
	VkReleaseSwapchainImagesInfoEXT release = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT};
	VkSwapchainCreateInfoKHR info = suite_info(s);
	uint32_t indices[64], images = 0, count;
	VkSwapchainKHR next;
	VkResult result;

	info.presentMode = mode;
	info.minImageCount = s->caps.minImageCount + 10;
	if (s->caps.maxImageCount && info.minImageCount > s->caps.maxImageCount)
		info.minImageCount = s->caps.maxImageCount;
	result = suite_create(s, &info, &release.swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	vkGetSwapchainImagesKHR(s->device, release.swapchain, &images, NULL);
	count = images - s->caps.minImageCount + 1;
	SUITE_CHECK(s, count >= 1 && count <= 64, count);
	release.pImageIndices = indices;
	for (uint32_t i = 0; i < 30; i++) {
		uint32_t n = 1 + i % count;

		result = acquire_all(s, release.swapchain, indices, n);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		release.imageIndexCount = n;
		result = release_images(s->device, &release);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		result = suite_frame(s, release.swapchain, NULL);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
	}
	result = acquire_all(s, release.swapchain, indices, count);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	info.oldSwapchain = release.swapchain;
	result = suite_create(s, &info, &next);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	release.imageIndexCount = count;
	result = release_images(s->device, &release);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	vkDestroySwapchainKHR(s->device, release.swapchain, NULL);
	vkGetSwapchainImagesKHR(s->device, next, &count, NULL);
	SUITE_CHECK(s, count == images, count);
	result = suite_frames(s, next, 4);
	vkDestroySwapchainKHR(s->device, next, NULL);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	return NULL;
}

const char *
case_release_all(struct suite *s)
{
	const char *why = NULL;

	if (!s->has[SUITE_MAINTENANCE1])
		return suite_skip(s, "no VK_EXT_swapchain_maintenance1");
	for (uint32_t i = 0; i < s->mode_count && !why; i++) {
		if (s->modes[i] != VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR &&
			s->modes[i] != VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR)
			why = release_of(s, s->modes[i]);
	}
	return why;
}

/* One image more than is sure to be had: with no time or with little, it may come or not. */
const char *
case_acquire_too_many(struct suite *s)
{
	static const uint64_t timeouts[] = {0, 50000000};
	const VkFenceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSwapchainCreateInfoKHR info = suite_info(s);

	for (uint32_t k = 0; k < 2; k++) {
		VkFence fences[64];
		uint32_t images = 0, count, index;
		VkSwapchainKHR swapchain;
		VkResult result = suite_create(s, &info, &swapchain);

		SUITE_CHECK(s, result == VK_SUCCESS, result);
		vkGetSwapchainImagesKHR(s->device, swapchain, &images, NULL);
		count = images - s->caps.minImageCount + 1;
		for (uint32_t i = 0; i <= count; i++)
			vkCreateFence(s->device, &create, NULL, &fences[i]);
		for (uint32_t i = 0; i < count; i++) {
			result = vkAcquireNextImageKHR(s->device, swapchain, UINT64_MAX,
				VK_NULL_HANDLE, fences[i], &index);
			SUITE_CHECK(s, result >= 0, result);
		}
		result = vkAcquireNextImageKHR(
			s->device, swapchain, timeouts[k], VK_NULL_HANDLE, fences[count], &index);
		SUITE_CHECK(s, result == VK_SUCCESS || result == (k ? VK_TIMEOUT : VK_NOT_READY),
			result);
		result = vkWaitForFences(
			s->device, count + (result == VK_SUCCESS), fences, VK_TRUE, TIMEOUT_NS);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		for (uint32_t i = 0; i <= count; i++)
			vkDestroyFence(s->device, fences[i], NULL);
		vkDestroySwapchainKHR(s->device, swapchain, NULL);
	}
	return NULL;
}
