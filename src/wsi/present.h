/* SPDX-License-Identifier: Apache-2.0 */
/* Presenting: one image of ours, or a present that several parties share. */
#ifndef KR_WSI_PRESENT_H
#define KR_WSI_PRESENT_H

#include <stdint.h>
#include "util/vulkan.h"
#include "wsi/swapchain.h"

/*
 * Presents an image that was claimed: the driver's release, then into the window's queue. The image is
 * free afterwards, except that it is acquired still when the driver was out of memory before it did
 * anything. `region` NULL means all; `waits` are consumed.
 */
VkResult kr_wsi_image_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image,
	VkQueue queue, uint32_t wait_count, const VkSemaphore *waits,
	const VkPresentRegionKHR *region);

/* The part of a present's regions that belongs to its swapchain at `place`; NULL: all of it. */
const VkPresentRegionKHR *kr_wsi_present_region(const VkPresentInfoKHR *info, uint32_t place);

/* Of two results the one that a present shall return (the worse one). */
VkResult kr_wsi_worse_result(VkResult a, VkResult b);

/* A present of more than one swapchain, at least one of which is ours (DESIGN 5.1). */
VkResult kr_wsi_present_split(
	struct kr_wsi_device *device, VkQueue queue, const VkPresentInfoKHR *info);

#endif
