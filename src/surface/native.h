/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces for windows of the application's own window system. */
#ifndef KR_SURFACE_NATIVE_H
#define KR_SURFACE_NATIVE_H

#include "surface/kind.h"
#include "util/macros.h"

/*
 * As kr_surface_kind.open has it. Without `display` the window itself shows the frames, if
 * that can be. Else they go there, and the window has its part in it if there is an output
 * module that speaks with it.
 */
VkResult kr_surface_open_native(const struct kr_surface_request *request, const char *display,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

/* Whether windows of a visual can be presented to. */
bool kr_surface_native_support(const struct kr_surface_system *system, void *connection,
	uintptr_t visual, const char *display);

#endif
