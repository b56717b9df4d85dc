/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces without a window: on a display, or nowhere. */
#ifndef KR_SURFACE_HEADLESS_H
#define KR_SURFACE_HEADLESS_H

#include "surface/kind.h"
#include "util/macros.h"

/* As kr_surface_kind.open has it. */
VkResult kr_surface_open_headless(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

#endif
