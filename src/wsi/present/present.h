/* SPDX-License-Identifier: Apache-2.0 */
/* Presenting one image of ours. */
#ifndef KR_WSI_PRESENT_H
#define KR_WSI_PRESENT_H

#include <stdint.h>
#include "util/vulkan.h"
#include "wsi/present/request.h"
#include "wsi/swapchain.h"

/*
 * What a present asks of a swapchain, and its image, which becomes PRESENTING. An error leaves all
 * as it was: VK_ERROR_DEVICE_LOST, VK_ERROR_UNKNOWN for what the swapchain can't do (logged),
 * VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT.
 */
VkResult kr_wsi_present_claim(struct kr_wsi_swapchain *swapchain, const VkPresentInfoKHR *info,
	uint32_t place, struct kr_wsi_present_request *request, struct kr_wsi_image **image)
	KR_MUST_CHECK;

/*
 * Presents an image that was claimed: the driver's release, then into the window's queue. The image
 * is free afterwards, unless it is shared, and except that it is acquired still when the driver was
 * out of memory before it did anything. `waits` are consumed.
 */
VkResult kr_wsi_image_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image,
	VkQueue queue, uint32_t wait_count, const VkSemaphore *waits,
	const struct kr_wsi_present_request *request);

#endif
