/* SPDX-License-Identifier: Apache-2.0 */
/* See x11_user.h. */
#include "x11_user.h"

#include "harness.h"

#include <stdlib.h>
#include <string.h>

void
x11_user_begin(struct x11_user *user, const char *display)
{
	user->connection = xcb_connect(display, NULL);
	assert_int_equal(xcb_connection_has_error(user->connection), 0);
	user->screen = xcb_setup_roots_iterator(xcb_get_setup(user->connection)).data;
}

void
x11_user_end(struct x11_user *user)
{
	xcb_disconnect(user->connection);
}

/* The one window that is there; XCB_NONE: none. */
static xcb_window_t
find_window(const struct x11_user *user, uint16_t *width, uint16_t *height)
{
	xcb_query_tree_reply_t *tree = xcb_query_tree_reply(
		user->connection, xcb_query_tree(user->connection, user->screen->root), NULL);
	xcb_window_t window = XCB_NONE;
	xcb_get_geometry_reply_t *geometry;

	assert_non_null(tree);
	assert_true(tree->children_len <= 1);
	if (tree->children_len)
		window = xcb_query_tree_children(tree)[0];
	free(tree);
	if (!window)
		return window;
	geometry = xcb_get_geometry_reply(
		user->connection, xcb_get_geometry(user->connection, window), NULL);
	if (!geometry)
		return XCB_NONE;
	*width = geometry->width;
	*height = geometry->height;
	free(geometry);
	return window;
}

bool
x11_user_read(const struct x11_user *user, uint32_t width, uint32_t height, uint32_t *pixels)
{
	uint16_t w, h;
	xcb_window_t window = find_window(user, &w, &h);
	xcb_get_image_reply_t *image;

	if (!window || w != width || h != height)
		return false;
	image = xcb_get_image_reply(user->connection,
		xcb_get_image(user->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 0, w, h,
			UINT32_MAX),
		NULL);
	if (!image)
		return false; /* it isn't mapped yet */
	memcpy(pixels, xcb_get_image_data(image), (size_t)width * height * 4);
	for (size_t i = 0; i < (size_t)width * height; i++)
		pixels[i] &= 0xffffff;
	free(image);
	return true;
}

static xcb_atom_t
atom(const struct x11_user *user, const char *name)
{
	xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(user->connection,
		xcb_intern_atom(user->connection, 1, (uint16_t)strlen(name), name), NULL);
	xcb_atom_t found;

	assert_non_null(reply);
	found = reply->atom;
	free(reply);
	return found;
}

void
x11_user_close_window(const struct x11_user *user)
{
	uint16_t width, height;
	xcb_client_message_event_t event = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = find_window(user, &width, &height),
		.type = atom(user, "WM_PROTOCOLS"),
		.data.data32 = {atom(user, "WM_DELETE_WINDOW")},
	};

	assert_true(event.window);
	xcb_send_event(user->connection, 0, event.window, 0, (const char *)&event);
	xcb_flush(user->connection);
}

bool
x11_user_resize_window(const struct x11_user *user, uint32_t width, uint32_t height)
{
	const uint32_t size[] = {width, height};
	uint16_t w, h;
	xcb_window_t window = find_window(user, &w, &h);

	if (!window)
		return false;
	xcb_configure_window(
		user->connection, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	xcb_flush(user->connection);
	return true;
}
