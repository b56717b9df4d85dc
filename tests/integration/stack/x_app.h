/* SPDX-License-Identifier: Apache-2.0 */
/* An X window of the test's own for app.h. */
#ifndef KR_TESTS_X_APP_H
#define KR_TESTS_X_APP_H

#include <xcb/xcb.h>

#include "app.h"

struct x_app {
	struct _XDisplay *xlib; /* NULL: a program of libxcb */
	xcb_connection_t *connection;
	xcb_window_t window;
};

/* The extension that its surfaces need. */
const char *x_app_extension(bool xlib);
/* Connects to `display` (NULL: $DISPLAY) and maps a window that reports its structure. */
bool x_app_open(struct x_app *x, const char *display, uint16_t width, uint16_t height);
/* The same for a program of Xlib. */
bool x_app_open_xlib(struct x_app *x, const char *display, uint16_t width, uint16_t height);
/* Whether the device's first queue can present to windows like this one. */
VkBool32 x_app_can_present(const struct x_app *x, const struct app *app);
VkResult x_app_create_surface(const struct x_app *x, struct app *app);
void x_app_close(struct x_app *x);

#endif
