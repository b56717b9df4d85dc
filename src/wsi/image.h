/* SPDX-License-Identifier: Apache-2.0 */
/* One image of a swapchain. */
#ifndef KR_WSI_IMAGE_H
#define KR_WSI_IMAGE_H

#include "wsi/swapchain.h"

/* The driver's image over the buffer that it has (W-04, W-05). */
VkResult kr_wsi_image_create(struct kr_wsi_swapchain *swapchain,
	const struct kr_wsi_image_info *info, const VkAllocationCallbacks *allocator,
	struct kr_wsi_image *image) KR_MUST_CHECK;

#endif
