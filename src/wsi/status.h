/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a swapchain still is what its window wants. A swapchain that was made on purpose in
 * another size or turn than the window's is fine: VK_SUBOPTIMAL_KHR says that the window has
 * changed since the program was told what it is like.
 */
#ifndef KR_WSI_STATUS_H
#define KR_WSI_STATUS_H

#include <stdbool.h>

struct kr_wsi_swapchain;

/* What its swapchain was made for: what was told, or else what the window is like now. */
void kr_wsi_status_begin(struct kr_wsi_swapchain *swapchain);

/* Whether a new swapchain would fit the window better than this one, as far as it is heard of. */
bool kr_wsi_is_suboptimal(const struct kr_wsi_swapchain *swapchain);

#endif
