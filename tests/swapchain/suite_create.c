/* SPDX-License-Identifier: Apache-2.0 */
/* What surfaces say of themselves, and that swapchains of all of it can be made. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

VkSwapchainCreateInfoKHR
suite_info(const struct suite *s)
{
	bool fixed = s->caps.currentExtent.width != UINT32_MAX;

	return (VkSwapchainCreateInfoKHR){
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = s->surface,
		.minImageCount = s->caps.minImageCount,
		.imageFormat = s->formats[0].format,
		.imageColorSpace = s->formats[0].colorSpace,
		.imageExtent = fixed ? s->caps.currentExtent : SUITE_SIZE,
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha =
			s->caps.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
			? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
			: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
}

VkResult
suite_create(const struct suite *s, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR *swapchain)
{
	*swapchain = VK_NULL_HANDLE;
	return vkCreateSwapchainKHR(s->device, info, NULL, swapchain);
}

bool
suite_has_mode(const struct suite *s, VkPresentModeKHR mode)
{
	for (uint32_t i = 0; i < s->mode_count; i++) {
		if (s->modes[i] == mode)
			return true;
	}
	return false;
}

/* Whether the device has such images at all: what it hasn't isn't asked for. */
static bool
has_images(const struct suite *s, const VkSwapchainCreateInfoKHR *info)
{
	VkImageFormatProperties limits;

	return vkGetPhysicalDeviceImageFormatProperties(s->physical, info->imageFormat,
		       VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, info->imageUsage, 0,
		       &limits) == VK_SUCCESS &&
		info->imageExtent.width <= limits.maxExtent.width &&
		info->imageExtent.height <= limits.maxExtent.height;
}

/* One swapchain of this, with at least its images, made and destroyed. */
static const char *
check_one(struct suite *s, const VkSwapchainCreateInfoKHR *info)
{
	VkSwapchainKHR swapchain;
	uint32_t count = 0;
	VkResult result;

	if (!has_images(s, info))
		return NULL;
	result = suite_create(s, info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	vkGetSwapchainImagesKHR(s->device, swapchain, &count, NULL);
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	SUITE_CHECK(s, count >= info->minImageCount, count);
	return NULL;
}

const char *
case_surface(struct suite *s)
{
	const VkSurfaceCapabilitiesKHR *c = &s->caps;
	VkSurfaceFormatKHR format;
	VkPresentModeKHR mode;
	uint32_t count = 1;

	SUITE_CHECK(s, c->minImageCount >= 1, c->minImageCount);
	SUITE_CHECK(s, !c->maxImageCount || c->maxImageCount >= c->minImageCount, c->maxImageCount);
	SUITE_CHECK(s, c->minImageExtent.width >= 1, c->minImageExtent.width);
	SUITE_CHECK(s, c->maxImageExtent.width >= c->minImageExtent.width, c->maxImageExtent.width);
	SUITE_CHECK(s, c->maxImageArrayLayers >= 1, c->maxImageArrayLayers);
	SUITE_CHECK(s, c->supportedTransforms & c->currentTransform, c->supportedTransforms);
	SUITE_CHECK(s, c->supportedCompositeAlpha, 0);
	SUITE_CHECK(s, c->supportedUsageFlags & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		c->supportedUsageFlags);
	SUITE_CHECK(s, s->format_count > 1 && s->mode_count > 1, s->format_count);
	SUITE_CHECK(s, suite_has_mode(s, VK_PRESENT_MODE_FIFO_KHR), 0);
	SUITE_CHECK(s,
		vkGetPhysicalDeviceSurfaceFormatsKHR(s->physical, s->surface, &count, &format) ==
			VK_INCOMPLETE,
		count);
	SUITE_CHECK(s,
		vkGetPhysicalDeviceSurfacePresentModesKHR(s->physical, s->surface, &count, &mode) ==
			VK_INCOMPLETE,
		count);
	return NULL;
}

const char *
case_present_mode_caps(struct suite *s)
{
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask =
		(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
			s->instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");

	if (!s->surface_maintenance1)
		return suite_skip(s, "no VK_EXT_surface_maintenance1");
	for (uint32_t i = 0; i < s->mode_count; i++) {
		VkPresentModeKHR list[8];
		VkSurfacePresentModeEXT mode = {.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
			.presentMode = s->modes[i]};
		VkPhysicalDeviceSurfaceInfo2KHR info = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
			.pNext = &mode,
			.surface = s->surface};
		VkSurfacePresentScalingCapabilitiesEXT scaling = {
			.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT};
		VkSurfacePresentModeCompatibilityEXT compatible = {
			.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT,
			.pNext = &scaling};
		VkSurfaceCapabilities2KHR caps = {
			.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR,
			.pNext = &compatible};
		VkResult result = ask(s->physical, &info, &caps);

		SUITE_CHECK(s, result == VK_SUCCESS, result);
		SUITE_CHECK(s, caps.surfaceCapabilities.minImageCount >= 1, s->modes[i]);
		SUITE_CHECK(s, compatible.presentModeCount >= 1, s->modes[i]);
		compatible.pPresentModes = list;
		result = ask(s->physical, &info, &caps);
		SUITE_CHECK(s, result == VK_SUCCESS, result);
		SUITE_CHECK(s, list[0] == s->modes[i], list[0]);
		for (uint32_t k = 0; k < compatible.presentModeCount; k++)
			SUITE_CHECK(s, suite_has_mode(s, list[k]), list[k]);
		SUITE_CHECK(s,
			scaling.minScaledImageExtent.width <=
				caps.surfaceCapabilities.minImageExtent.width,
			scaling.minScaledImageExtent.width);
		SUITE_CHECK(s,
			scaling.maxScaledImageExtent.width >=
				caps.surfaceCapabilities.maxImageExtent.width,
			scaling.maxScaledImageExtent.width);
	}
	return NULL;
}

const char *
case_min_image_count(struct suite *s)
{
	VkSwapchainCreateInfoKHR info = suite_info(s);
	uint32_t most = s->caps.maxImageCount ? s->caps.maxImageCount : 16;

	for (uint32_t n = s->caps.minImageCount; n <= most && n <= 16; n++) {
		const char *why;

		info.minImageCount = n;
		why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

const char *
case_image_format(struct suite *s)
{
	for (uint32_t i = 0; i < s->format_count; i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		const char *why;

		info.imageFormat = s->formats[i].format;
		info.imageColorSpace = s->formats[i].colorSpace;
		why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

const char *
case_image_usage(struct suite *s)
{
	for (VkImageUsageFlags usage = 1; usage <= s->caps.supportedUsageFlags; usage++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		const char *why;

		if (usage & ~s->caps.supportedUsageFlags)
			continue;
		info.imageUsage = usage;
		why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

const char *
case_image_extent(struct suite *s)
{
	const VkExtent2D most = s->caps.maxImageExtent;
	const VkExtent2D sizes[] = {{1, 1}, {16, 32}, {32, 16}, {632, 231}, {117, 998},
		s->caps.minImageExtent, {most.width, 1}, {1, most.height}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		const char *why;

		info.imageExtent = sizes[i];
		why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

/* As large as it may be; only memory may be too small for that. */
const char *
case_largest_image(struct suite *s)
{
	VkSwapchainCreateInfoKHR info = suite_info(s);
	VkSwapchainKHR swapchain;
	VkResult result;

	info.imageExtent = s->caps.maxImageExtent;
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s,
		result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
			result == VK_ERROR_OUT_OF_DEVICE_MEMORY,
		result);
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return NULL;
}

const char *
case_pre_transform(struct suite *s)
{
	for (uint32_t bit = 1; bit <= s->caps.supportedTransforms; bit <<= 1) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		const char *why = NULL;

		info.preTransform = (VkSurfaceTransformFlagBitsKHR)bit;
		if (bit & s->caps.supportedTransforms)
			why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

const char *
case_composite_alpha(struct suite *s)
{
	for (uint32_t bit = 1; bit <= s->caps.supportedCompositeAlpha; bit <<= 1) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		const char *why = NULL;

		info.compositeAlpha = (VkCompositeAlphaFlagBitsKHR)bit;
		if (bit & s->caps.supportedCompositeAlpha)
			why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

static bool
is_shared(VkPresentModeKHR mode)
{
	return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
		mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

const char *
case_present_mode(struct suite *s)
{
	for (uint32_t i = 0; i < s->mode_count; i++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		const char *why;

		info.presentMode = s->modes[i];
		if (is_shared(s->modes[i]))
			info.minImageCount = 1;
		why = check_one(s, &info);
		if (why)
			return why;
	}
	return NULL;
}

/* Allocations that fail from the n-th on. */
struct failing {
	uint32_t left;
	int live;
};

static void *VKAPI_CALL
fail_alloc(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	struct failing *f = data;
	void *memory = NULL;

	if (!f->left)
		return NULL;
	f->left--;
	if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size))
		return NULL;
	f->live++;
	return memory;
}

static void VKAPI_CALL
fail_free(void *data, void *memory)
{
	if (memory)
		((struct failing *)data)->live--;
	free(memory);
}

/* Its size isn't known, so that nothing could be copied: nobody here needs it. */
static void *VKAPI_CALL
fail_realloc(void *data, void *memory, size_t size, size_t alignment, VkSystemAllocationScope s)
{
	return memory ? NULL : fail_alloc(data, size, alignment, s);
}

const char *
case_simulated_oom(struct suite *s)
{
	VkSwapchainCreateInfoKHR info = suite_info(s);

	for (uint32_t n = 0; n < 200; n++) {
		struct failing failing = {.left = n};
		const VkAllocationCallbacks callbacks = {
			.pUserData = &failing,
			.pfnAllocation = fail_alloc,
			.pfnReallocation = fail_realloc,
			.pfnFree = fail_free,
		};
		VkSwapchainKHR swapchain = VK_NULL_HANDLE;
		VkResult result = vkCreateSwapchainKHR(s->device, &info, &callbacks, &swapchain);

		if (result == VK_SUCCESS) {
			SUITE_CHECK(s, n > 0, n);
			vkDestroySwapchainKHR(s->device, swapchain, &callbacks);
			SUITE_CHECK(s, failing.live == 0, failing.live);
			return NULL;
		}
		SUITE_CHECK(s,
			result == VK_ERROR_OUT_OF_HOST_MEMORY ||
				result == VK_ERROR_OUT_OF_DEVICE_MEMORY,
			result);
		SUITE_CHECK(s, failing.live == 0, failing.live);
	}
	return suite_fail(s, "it succeeds in the end", 200);
}

static uint32_t
swapchain_version(const struct suite *s)
{
	VkExtensionProperties *list = calloc(512, sizeof(*list));
	uint32_t count = 512, version = 0;

	if (vkEnumerateDeviceExtensionProperties(s->physical, NULL, &count, list) < 0)
		count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, VK_KHR_SWAPCHAIN_EXTENSION_NAME))
			version = list[i].specVersion;
	}
	free(list);
	return version;
}

const char *
suite_bind_image(struct suite *s, const VkSwapchainCreateInfoKHR *info, VkSwapchainKHR swapchain,
	uint32_t index)
{
	const VkImageSwapchainCreateInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, .swapchain = swapchain};
	const VkImageCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &of,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = info->imageFormat,
		.extent = {info->imageExtent.width, info->imageExtent.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = info->imageUsage,
	};
	const VkBindImageMemorySwapchainInfoKHR bind_of = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
		.swapchain = swapchain,
		.imageIndex = index,
	};
	VkBindImageMemoryInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &bind_of};
	VkResult result;

	if (swapchain_version(s) < 70)
		return NULL;
	result = vkCreateImage(s->device, &create, NULL, &bind.image);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	result = vkBindImageMemory2(s->device, 1, &bind);
	vkDestroyImage(s->device, bind.image, NULL);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	return NULL;
}

/* W-06, from outside. */
const char *
case_image_of_swapchain(struct suite *s)
{
	const VkSwapchainCreateInfoKHR info = suite_info(s);
	const char *why = NULL;
	VkSwapchainKHR swapchain;
	uint32_t count = 0;
	VkResult result;

	if (swapchain_version(s) < 70)
		return suite_skip(s, "VK_KHR_swapchain is older than 70");
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	vkGetSwapchainImagesKHR(s->device, swapchain, &count, NULL);
	for (uint32_t i = 0; i < count && !why; i++)
		why = suite_bind_image(s, &info, swapchain, i);
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	return why;
}

const char *
case_mutable_format(struct suite *s)
{
	static const VkFormat views[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
	const VkImageFormatListCreateInfo list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
		.viewFormatCount = 2,
		.pViewFormats = views};
	VkSwapchainCreateInfoKHR info = suite_info(s);

	if (!s->has[SUITE_MUTABLE])
		return suite_skip(s, "no VK_KHR_swapchain_mutable_format");
	info.pNext = &list;
	info.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
	info.imageFormat = views[0];
	return check_one(s, &info);
}

const char *
case_multisampled(struct suite *s)
{
	PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask =
		(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
			s->instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
	const VkPhysicalDeviceSurfaceInfo2KHR asked = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
		.surface = s->surface};
	struct suite_feature flags = {SUITE_SWAPCHAIN_FLAGS, NULL, 0};
	VkSurfaceCapabilities2KHR caps = {
		.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &flags};
	/* Those of Vulkan 1.1, and those of the extensions that the device offers. */
	const VkFlags told = VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR |
		VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR |
		(s->has[SUITE_MUTABLE] ? VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR : 0) |
		(s->has[SUITE_MAINTENANCE1] ? VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT
					    : 0);
	VkSwapchainCreateInfoKHR info = suite_info(s);
	VkPhysicalDeviceProperties properties;
	VkSwapchainKHR swapchain;
	VkResult result;

	if (!s->has[SUITE_MULTISAMPLED])
		return suite_skip(s, "no VK_EXT_multisampled_render_to_swapchain");
	result = ask(s->physical, &asked, &caps);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	SUITE_CHECK(s, flags.value & SUITE_MULTISAMPLED_BIT, flags.value);
	vkGetPhysicalDeviceProperties(s->physical, &properties);
	if (properties.apiVersion >= VK_API_VERSION_1_1)
		SUITE_CHECK(s, (flags.value & told) == told, flags.value);
	info.flags = SUITE_MULTISAMPLED_BIT;
	result = suite_create(s, &info, &swapchain);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	result = suite_frames(s, swapchain, 4);
	vkDestroySwapchainKHR(s->device, swapchain, NULL);
	SUITE_CHECK(s, result == VK_SUCCESS, result);
	return NULL;
}

/* What can't be had is an error, never something else in its place. */
const char *
case_what_isnt_offered(struct suite *s)
{
	for (uint32_t what = 0; what < 6; what++) {
		VkSwapchainCreateInfoKHR info = suite_info(s);
		VkSwapchainKHR swapchain;
		VkResult result;

		if (what == 0)
			info.imageArrayLayers = s->caps.maxImageArrayLayers + 1;
		else if (what == 1)
			info.imageExtent.width = s->caps.maxImageExtent.width + 1;
		else if (what == 2)
			info.imageFormat = VK_FORMAT_D32_SFLOAT;
		else if (what == 3)
			info.imageColorSpace = VK_COLOR_SPACE_DOLBYVISION_EXT;
		else if (what == 4)
			info.flags = VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR;
		else
			info.presentMode = (VkPresentModeKHR)77;
		result = suite_create(s, &info, &swapchain);
		SUITE_CHECK(s, result == VK_ERROR_INITIALIZATION_FAILED && !swapchain, what);
	}
	return NULL;
}
