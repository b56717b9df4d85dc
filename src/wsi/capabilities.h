/* SPDX-License-Identifier: Apache-2.0 */
/* What swapchains on a surface may be: asked from window and GPU each time. */
#ifndef KR_WSI_CAPABILITIES_H
#define KR_WSI_CAPABILITIES_H

#include <stdint.h>
#include "util/vulkan.h"
#include "wsi/surface.h"
#include "wsi/wsi.h"

#define KR_WSI_MAX_PRESENT_MODES 3

/* The modes of a surface whose window has answered `state`; returns how many, at least one. */
uint32_t kr_wsi_present_modes_list(const struct kr_wsi_surface *surface,
	const struct kr_wsi_window_state *state, VkPresentModeKHR modes[KR_WSI_MAX_PRESENT_MODES]);

#endif
