/* SPDX-License-Identifier: Apache-2.0 */
/* A Wayland window for app.h: of ../../surface/wayland_rig.h. */
#ifndef KR_TESTS_WAYLAND_APP_H
#define KR_TESTS_WAYLAND_APP_H

#include "app.h"

struct wl_display;
struct wl_surface;

/* With VK_KHR_wayland_surface. */
VkResult wayland_app_create_surface(
	struct app *app, struct wl_display *display, struct wl_surface *surface);

#endif
