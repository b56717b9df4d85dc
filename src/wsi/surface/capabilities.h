/* SPDX-License-Identifier: Apache-2.0 */
/* What swapchains on a surface may be: asked from window and GPU each time. */
#ifndef KR_WSI_CAPABILITIES_H
#define KR_WSI_CAPABILITIES_H

#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/surface/surface.h"
#include "wsi/wsi.h"

/*
 * The capabilities of a surface whose window has answered `state`, or, both NULL, those that all
 * surfaces of the device have. VK_ERROR_UNKNOWN when the device can't present to it.
 */
VkResult kr_wsi_capabilities(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	const struct kr_wsi_window_state *state, VkSurfaceCapabilitiesKHR *caps) KR_MUST_CHECK;

#endif
