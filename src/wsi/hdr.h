/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_EXT_hdr_metadata: what a swapchain's content was mastered on. It is said to the window, which
 * sends it with every frame from then on; a swapchain that takes the place of one of the same
 * colour space goes on with it, one of another begins with none.
 */
#ifndef KR_WSI_HDR_H
#define KR_WSI_HDR_H

#include "wsi/swapchain.h"

/*
 * Of a new swapchain whose window is set up, in place of `old`, which is retired, or NULL. The
 * window is told.
 */
void kr_wsi_hdr_begin(struct kr_wsi_swapchain *swapchain, const struct kr_wsi_swapchain *old);

#endif
