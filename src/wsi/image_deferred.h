/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images whose buffers come later (VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT): the driver
 * makes them with a VkImageSwapchainCreateInfoKHR and binds each to the buffer that its first
 * acquire gives (W-06). A driver before version 8 can't; its images get buffers at once, which
 * the flag allows.
 */
#ifndef KR_WSI_IMAGE_DEFERRED_H
#define KR_WSI_IMAGE_DEFERRED_H

#include <stdbool.h>
#include "wsi/swapchain.h"

/* Whether these are asked to wait for their buffers, and can. */
bool kr_wsi_images_may_wait(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *info);

/*
 * A buffer that the window gave and no image has: the first image without one gets it (one
 * reference), bound. VK_ERROR_OUT_OF_DATE_KHR: all images have buffers. Else what the driver says;
 * the image has none then.
 */
VkResult kr_wsi_image_adopt(struct kr_wsi_swapchain *swapchain, ANativeWindowBuffer *buffer,
	struct kr_wsi_image **image) KR_MUST_CHECK;

#endif
