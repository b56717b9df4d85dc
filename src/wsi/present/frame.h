/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window's side of a present: what is said of the frame, its way into the window's queue, and
 * who has the image afterwards.
 */
#ifndef KR_WSI_PRESENT_FRAME_H
#define KR_WSI_PRESENT_FRAME_H

#include <stdbool.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/present/request.h"
#include "wsi/swapchain.h"

/*
 * Gives a PRESENTING image to the window, with the driver's fence, which is owned on every path.
 * The image is let go of.
 */
VkResult kr_wsi_frame_present(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image,
	int take_fence, bool has_pixels, const struct kr_wsi_present_request *request)
	KR_MUST_CHECK;

/* An image that can't be presented goes back to the window; a shared one doesn't. */
void kr_wsi_frame_cancel(
	struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image, int take_fence);

/*
 * The end of PRESENTING, however it went: the image is free, except that the application holds a
 * shared one as long as its swapchain is there.
 */
void kr_wsi_frame_let_go(struct kr_wsi_swapchain *swapchain, struct kr_wsi_image *image);

#endif
