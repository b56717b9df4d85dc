/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a window for a surface of ours: joins a producer end to what will show it.
 *
 *   android    the application's ANativeWindow itself
 *   headless   the display of KRAFLA_DISPLAY, else an in-process sink
 *   xcb, xlib  the display of KRAFLA_DISPLAY, else the X window, by krafla-output-xcb.so
 *   wayland    the display of KRAFLA_DISPLAY alone; krafla-output-wayland.so keeps the window mapped
 *
 * With KRAFLA_DISPLAY set every surface presents there, whatever window it was made for (DESIGN 5.1).
 */
#ifndef KR_SURFACE_SURFACE_H
#define KR_SURFACE_SURFACE_H

#include <krafla/native_window.h>
#include "util/macros.h"
#include "util/vulkan.h"
#include "wsi/wsi.h"

enum kr_surface_kind {
	KR_SURFACE_ANDROID,
	KR_SURFACE_HEADLESS,
	KR_SURFACE_XCB,
	KR_SURFACE_XLIB,
	KR_SURFACE_WAYLAND,
};

struct kr_surface_request {
	enum kr_surface_kind kind;
	ANativeWindow *window;      /* android */
	xcb_connection_t *xcb;      /* xcb: the application's */
	Display *xlib;              /* xlib: the application's */
	xcb_window_t x_window;      /* of either */
	struct wl_display *wayland; /* wayland: the application's */
	struct wl_surface *wayland_surface;
};

/*
 * VK_ERROR_SURFACE_LOST_KHR when the display can't be reached, VK_ERROR_INITIALIZATION_FAILED when the
 * output module is missing (both logged with the cause), VK_ERROR_NATIVE_WINDOW_IN_USE_KHR.
 */
VkResult kr_surface_open(const struct kr_surface_request *request,
	const VkAllocationCallbacks *allocator, struct kr_wsi_surface **surface) KR_MUST_CHECK;

/* Whether an X window of this visual can be presented to by the platform (support queries). */
VkBool32 kr_surface_xcb_support(xcb_connection_t *xcb, xcb_visualid_t visual);
VkBool32 kr_surface_xlib_support(Display *xlib, VisualID visual);

/* Whether Wayland windows can be: they need a display of KRAFLA_DISPLAY. */
bool kr_surface_wayland_support(void);

/* The socket of KRAFLA_DISPLAY or NULL. */
const char *kr_surface_display(void);

#endif
