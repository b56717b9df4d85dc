/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of an old swapchain for the one that replaces it: when both want the same, the window
 * keeps its connection, its buffers and the frames that are on their way, and only the images are
 * made anew. Nothing is dequeued for it: what is with the far end comes back as it would have.
 */
#ifndef KR_WSI_REUSE_H
#define KR_WSI_REUSE_H

#include <stdbool.h>
#include "wsi/swapchain.h"

/*
 * Whether a swapchain of such buffers can go on with those of `old` (NULL: no), which was retired
 * just now: the same in every way, and the program holds none.
 */
bool kr_wsi_can_reuse(const struct kr_wsi_swapchain *old, const struct kr_wsi_buffers *wanted);

/*
 * Images over the buffers of `old`. What was made stays in swapchain->images also on failure.
 */
VkResult kr_wsi_images_reuse(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_swapchain *old,
	const struct kr_wsi_image_info *info, const VkAllocationCallbacks *allocator) KR_MUST_CHECK;

#endif
