/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of swapchains. */
#include "wsi/surface/swapchain_flags.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "window/window.h"
#include "wsi/surface/format.h"
#include "wsi/surface/image_info.h"

/* Whether the device has images in the surface's first format with such flags. */
static bool
has_images(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	VkSwapchainCreateFlagsKHR flags)
{
	VkFormat formats[KR_WSI_MAX_FORMATS];
	struct kr_wsi_image_info image = {
		.create =
			{
				.flags = kr_wsi_image_flags(flags),
				.imageType = VK_IMAGE_TYPE_2D,
				.tiling = VK_IMAGE_TILING_OPTIMAL,
				.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
			},
	};
	VkImageFormatProperties limits;

	if (!kr_wsi_formats_list(gpu, surface, formats))
		return false;
	image.create.format = formats[0];
	return kr_wsi_image_info_usable(gpu, &image, &limits);
}

/*
 * Whether there are buffers for protected images, and somebody who shows them. A window that isn't
 * one of ours has an allocator of its own: what comes from it is looked at (image.c). Ours are
 * memory of CPUs, which anybody reads.
 */
static bool
has_protected_memory(const struct kr_wsi_surface *surface)
{
	struct kr_abilities abilities;
	const struct kr_buffer_desc desc = {
		.width = 1,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
			AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT |
			(surface ? surface->consumer_usage : 0),
	};
	uint32_t consumer = 0;

	if (surface) {
		ANativeWindow *window = surface->window;

		if (!kr_wsi_window_query(window, NATIVE_WINDOW_CONSUMER_IS_PROTECTED, &consumer) ||
			!consumer)
			return false;
		if (window->perform(window, KR_WINDOW_GET_ABILITIES, &abilities))
			return true;
	}
	return kr_buffer_check(&desc) == 0;
}

bool
kr_wsi_has_protected(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface)
{
	return (gpu->swapchain_flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) &&
		has_protected_memory(surface) &&
		has_images(gpu, surface, VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR);
}

/*
 * Flags of Vulkan 1.1, told by every device that has it (conformance tests ask for them). Whether a
 * swapchain may have them is told elsewhere: supportsProtected of the surface, and the devices of
 * the group, which is one.
 */
static VkSwapchainCreateFlagsKHR
of_version(const struct kr_wsi_gpu *gpu)
{
	VkPhysicalDeviceProperties properties;

	gpu->functions->GetPhysicalDeviceProperties(gpu->handle, &properties);
	if (properties.apiVersion < VK_API_VERSION_1_1)
		return 0;
	return VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR |
		VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
}

VkSwapchainCreateFlagsKHR
kr_wsi_swapchain_flags(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface)
{
	static const VkSwapchainCreateFlagBitsKHR of_images[] = {
		VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR,
		VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT};
	VkSwapchainCreateFlagsKHR flags = gpu->swapchain_flags;

	for (size_t i = 0; i < KR_ARRAY_LEN(of_images); i++) {
		if ((flags & of_images[i]) && !has_images(gpu, surface, of_images[i]))
			flags &= ~(VkSwapchainCreateFlagsKHR)of_images[i];
	}
	return flags | of_version(gpu);
}
