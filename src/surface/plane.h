/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces on a plane of the display itself (VK_KHR_display). */
#ifndef KR_SURFACE_PLANE_H
#define KR_SURFACE_PLANE_H

#include "surface/kind.h"
#include "util/macros.h"

/* As kr_surface_kind.open has it; without `display` there is none to present to. */
VkResult kr_surface_open_plane(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

#endif
