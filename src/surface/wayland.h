/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces for Wayland windows. */
#ifndef KR_SURFACE_WAYLAND_H
#define KR_SURFACE_WAYLAND_H

#include "surface/surface.h"
#include "util/macros.h"

/* Frames go to `display`; krafla-output-wayland.so keeps the window mapped, if it is there. */
VkResult kr_surface_open_wayland(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

#endif
