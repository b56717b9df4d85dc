/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces for X windows. */
#ifndef KR_SURFACE_XCB_H
#define KR_SURFACE_XCB_H

#include "surface/surface.h"
#include "util/macros.h"

/*
 * `display` NULL: the X window itself shows the frames, else only its size is taken from it, and the
 * display's where nothing here speaks X.
 */
VkResult kr_surface_open_xcb(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

#endif
