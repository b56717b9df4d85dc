/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces for windows of the application's own window system. */
#ifndef KR_SURFACE_NATIVE_H
#define KR_SURFACE_NATIVE_H

#include "surface/output_module.h"
#include "util/macros.h"
#include "wsi/wsi.h"

/*
 * `display` NULL: the window itself shows the frames, if that can be. Else they go there, and the window has
 * its part in it if there is an output module that speaks with it. As kr_surface_open.
 */
VkResult kr_surface_open_native(const struct kr_native_window *native, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

/* Whether windows of a visual can be presented to. */
bool kr_surface_native_support(
	enum kr_window_system system, void *connection, uintptr_t visual, const char *display);

#endif
