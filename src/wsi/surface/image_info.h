/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the images of a swapchain are (W-04), and whether the device has such images. They are plain
 * ones unless the swapchain asks for more; whatever is more than that is asked of the driver before
 * anything is made.
 */
#ifndef KR_WSI_IMAGE_INFO_H
#define KR_WSI_IMAGE_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/native_buffer.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/wsi.h"

/*
 * Points into itself and to what the swapchain's info points to: for as long as that lives, and
 * never copied.
 */
struct kr_wsi_image_info {
	/* Its chain is what stands behind the native buffer. */
	VkImageCreateInfo create;
	VkImageFormatListCreateInfo formats;
	VkImageCompressionControlEXT compression;
	bool protected_memory;
	bool deferred;
	bool shared;
};

/*
 * Of a swapchain's info, whose flags were found supported. VK_ERROR_INITIALIZATION_FAILED for what
 * isn't enabled or contradicts itself (logged).
 */
VkResult kr_wsi_image_info_init(struct kr_wsi_image_info *image,
	const VkSwapchainCreateInfoKHR *info, bool compression_control) KR_MUST_CHECK;

/* Whether the device has such images, and how large they may be. */
bool kr_wsi_image_info_usable(const struct kr_wsi_gpu *gpu, const struct kr_wsi_image_info *image,
	VkImageFormatProperties *limits);

/* vkGetPhysicalDeviceImageFormatProperties2 by the name that the driver has it by; NULL without. */
PFN_vkGetPhysicalDeviceImageFormatProperties2 kr_wsi_image_format2(const struct kr_wsi_gpu *gpu);

/* VkImageCreateFlags of a swapchain's flags. */
VkImageCreateFlags kr_wsi_image_flags(VkSwapchainCreateFlagsKHR flags);

#endif
