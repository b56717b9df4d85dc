/* SPDX-License-Identifier: Apache-2.0 */
/* Presenting one image of ours. */
#ifndef KR_WSI_PRESENT_H
#define KR_WSI_PRESENT_H

#include <stdint.h>
#include "util/vulkan.h"
#include "wsi/swapchain.h"

/*
 * Presents an image that was claimed: the driver's release, then into the window's queue. The image
 * is free afterwards, except that it is acquired still when the driver was out of memory before it
 * did anything. `region` NULL means all; `waits` are consumed.
 */
VkResult kr_wsi_image_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image,
	VkQueue queue, uint32_t wait_count, const VkSemaphore *waits,
	const VkPresentRegionKHR *region);

/* The part of a present's regions that belongs to its swapchain at `place`; NULL: all of it. */
const VkPresentRegionKHR *kr_wsi_present_region(const VkPresentInfoKHR *info, uint32_t place);

#endif
