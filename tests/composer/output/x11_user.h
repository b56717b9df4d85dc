/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody at an X server with one window, who sees it and does what a window manager does. */
#ifndef KR_TESTS_COMPOSER_OUTPUT_X11_USER_H
#define KR_TESTS_COMPOSER_OUTPUT_X11_USER_H

#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

struct x11_user {
	xcb_connection_t *connection;
	xcb_screen_t *screen;
};

void x11_user_begin(struct x11_user *user, const char *display);
void x11_user_end(struct x11_user *user);
/* The window's pixels, as XRGB whose X is 0. False: there is none of this size that is mapped. */
bool x11_user_read(const struct x11_user *user, uint32_t width, uint32_t height, uint32_t *pixels);
void x11_user_close_window(const struct x11_user *user);
/* False: there is none. */
bool x11_user_resize_window(const struct x11_user *user, uint32_t width, uint32_t height);

#endif
