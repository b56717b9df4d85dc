/* SPDX-License-Identifier: Apache-2.0 */
/* The triangle's images as those of a swapchain. */
#include "bench/triangle.h"

#include "bench/vulkan_calls.h"

static VkPresentModeKHR
choose_mode(struct triangle *t)
{
	static const VkPresentModeKHR order[] = {
		VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
	VkPresentModeKHR modes[8];
	uint32_t count = 8;

	INSTANCE_FN(t->vk, vkGetPhysicalDeviceSurfacePresentModesKHR)
	(t->vk->gpu, t->surface, &count, modes);
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < count; k++) {
			if (modes[k] == order[i])
				return order[i];
		}
	}
	return VK_PRESENT_MODE_FIFO_KHR;
}

static int
create_swapchain(struct triangle *t, VkPresentModeKHR mode)
{
	VkSurfaceCapabilitiesKHR caps;
	VkSurfaceFormatKHR formats[32];
	uint32_t count = 32;
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = t->surface,
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.presentMode = mode,
		.clipped = VK_TRUE,
	};

	TRY(INSTANCE_FN(t->vk, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(
		t->vk->gpu, t->surface, &caps));
	TRY(INSTANCE_FN(t->vk, vkGetPhysicalDeviceSurfaceFormatsKHR)(
		t->vk->gpu, t->surface, &count, formats));
	if (caps.currentExtent.width != UINT32_MAX)
		t->extent = caps.currentExtent;
	t->format = formats[0].format;
	info.minImageCount = caps.minImageCount < 3 ? 3 : caps.minImageCount;
	if (caps.maxImageCount && info.minImageCount > caps.maxImageCount)
		info.minImageCount = caps.maxImageCount;
	info.imageFormat = t->format;
	info.imageColorSpace = formats[0].colorSpace;
	info.imageExtent = t->extent;
	info.preTransform = caps.currentTransform;
	info.compositeAlpha = caps.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
		? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
		: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
	TRY(DEVICE_FN(t->vk, vkCreateSwapchainKHR)(t->vk->device, &info, NULL, &t->swapchain));
	t->image_count = TRIANGLE_MAX_IMAGES;
	TRY(DEVICE_FN(t->vk, vkGetSwapchainImagesKHR)(
		t->vk->device, t->swapchain, &t->image_count, t->images));
	return 0;
}

int
triangle_create(
	struct triangle *t, struct vulkan_child *vk, VkSurfaceKHR surface, VkPresentModeKHR *mode)
{
	t->vk = vk;
	t->surface = surface;
	t->layout_after = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
	*mode = choose_mode(t);
	return create_swapchain(t, *mode) || triangle_create_drawing(t);
}
