/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a window for a surface of ours: joins a producer end to what will show it.
 *
 *   android    the application's ANativeWindow itself
 *   headless   the display of KRAFLA_DISPLAY, else an in-process sink
 *   xcb, xlib  the display of KRAFLA_DISPLAY, else the X window, by krafla-output-xcb.so
 *   wayland    the display of KRAFLA_DISPLAY, and krafla-output-wayland.so keeps the window
 *              mapped; else the Wayland window, by the same
 *
 * With KRAFLA_DISPLAY set every surface presents there, whatever window it was made
 * for (DESIGN 5.1).
 */
#ifndef KR_SURFACE_SURFACE_H
#define KR_SURFACE_SURFACE_H

#include "surface/kind.h"
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/wsi.h"

/* The kind of an extension's surfaces, NULL when it makes none. */
const struct kr_surface_kind *kr_surface_kind_of(enum kr_extension extension);
/*
 * Whether a driver's devices present to surfaces of a kind through our window system. `chosen`: the
 * platform's window system is; `driver_has` the kind's extension.
 */
bool kr_surface_is_ours(const struct kr_surface_kind *kind, bool chosen, bool driver_has);
/* Whether the platform has surfaces of the kind, once a driver can present to it. */
bool kr_surface_is_offered(const struct kr_surface_kind *kind, bool chosen);

/* A request as the application makes it. `info` is its create info, of the kind's type. */
void kr_surface_request_init(
	struct kr_surface_request *request, const struct kr_surface_kind *kind, const void *info);
/* The same as drivers of interface 2 read it. */
void kr_surface_fill_icd(const struct kr_surface_request *request, union kr_surface_icd *icd);

/*
 * VK_ERROR_SURFACE_LOST_KHR when the display can't be reached, VK_ERROR_INITIALIZATION_FAILED when
 * the output module is missing (both logged with the cause), VK_ERROR_NATIVE_WINDOW_IN_USE_KHR.
 */
VkResult kr_surface_open(const struct kr_surface_request *request,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

/*
 * Whether windows of a visual, of this connection to a window system, can be presented to by the
 * platform (support queries). A window system without visuals has 0.
 */
bool kr_surface_support(const struct kr_surface_kind *kind, void *connection, uintptr_t visual);

/* The socket of KRAFLA_DISPLAY or NULL. */
const char *kr_surface_display(void);

#endif
