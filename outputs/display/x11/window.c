/* SPDX-License-Identifier: Apache-2.0 */
/* The window, and what its server can do. */
#include "outputs/display/x11/x11.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcbext.h>

#include "outputs/display/log.h"
#include "outputs/xcb/connection.h"
#include "util/fd.h"

#define PROBE_BYTES 4096

static xcb_atom_t
find_atom(xcb_connection_t *c, const char *name)
{
	unsigned cookie = xcb_intern_atom(c, 0, (uint16_t)strlen(name), name).sequence;
	xcb_intern_atom_reply_t *reply = x_wait_reply(c, cookie, NULL);
	xcb_atom_t atom = reply ? reply->atom : XCB_ATOM_NONE;

	free(reply);
	return atom;
}

/* The root's visual if its pixels are B8G8R8X8, else the first of the screen whose are. */
static bool
find_visual(struct x11 *x)
{
	xcb_depth_iterator_t depth = xcb_screen_allowed_depths_iterator(x->screen);

	x->visual = x->screen->root_visual;
	if (x_visual_fits(x->connection, x->visual, &x->depth))
		return true;
	for (; depth.rem; xcb_depth_next(&depth)) {
		xcb_visualtype_iterator_t at = xcb_depth_visuals_iterator(depth.data);

		for (; at.rem; xcb_visualtype_next(&at)) {
			x->visual = at.data->visual_id;
			if (x_visual_fits(x->connection, x->visual, &x->depth))
				return true;
		}
	}
	return false;
}

static void
set_text(struct x11 *x, xcb_atom_t property, xcb_atom_t type, const char *text, size_t size)
{
	if (property)
		xcb_change_property(x->connection, XCB_PROP_MODE_REPLACE, x->window, property, type,
			8, (uint32_t)size, text);
}

static void
describe(struct x11 *x, const char *title)
{
	static const char class[] = "krafla\0Krafla";
	xcb_connection_t *c = x->connection;
	xcb_atom_t protocols = find_atom(c, "WM_PROTOCOLS"), utf8 = find_atom(c, "UTF8_STRING");

	x->delete_window = find_atom(c, "WM_DELETE_WINDOW");
	set_text(x, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, title, strlen(title));
	set_text(x, find_atom(c, "_NET_WM_NAME"), utf8, title, strlen(title));
	set_text(x, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, class, sizeof(class));
	if (protocols && x->delete_window)
		xcb_change_property(c, XCB_PROP_MODE_REPLACE, x->window, protocols, XCB_ATOM_ATOM,
			32, 1, &x->delete_window);
}

int
x11_window_create(struct x11 *x, const char *title, uint32_t width, uint32_t height)
{
	xcb_connection_t *c = x->connection;
	const uint32_t no_exposures = 0;
	uint32_t values[4];
	int err;

	if (!find_visual(x)) {
		display_log(x->host, KR_LOG_ERROR,
			"X11 output: the X server %s has no windows of 24 bits a pixel with blue first, which is what krafla can draw",
			x->server);
		return -EOPNOTSUPP;
	}
	x->colormap = xcb_generate_id(c);
	xcb_create_colormap(c, XCB_COLORMAP_ALLOC_NONE, x->colormap, x->screen->root, x->visual);
	x->window = xcb_generate_id(c);
	/* In the order of their bits. A border has to be named for a depth that isn't the root's.
	 */
	values[0] = x->screen->black_pixel;
	values[1] = x->screen->black_pixel;
	values[2] = XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_EXPOSURE;
	values[3] = x->colormap;
	err = x_check(c,
		xcb_create_window_checked(c, x->depth, x->window, x->screen->root, 0, 0,
			(uint16_t)width, (uint16_t)height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
			x->visual,
			XCB_CW_BACK_PIXEL | XCB_CW_BORDER_PIXEL | XCB_CW_EVENT_MASK |
				XCB_CW_COLORMAP,
			values));
	if (err) {
		display_log(x->host, KR_LOG_ERROR,
			"X11 output: the X server %s makes no window of %ux%u (error %d)",
			x->server, width, height, err);
		return err < 0 ? err : -EIO;
	}
	x->width = width;
	x->height = height;
	x->gc = xcb_generate_id(c);
	xcb_create_gc(c, x->gc, x->window, XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
	describe(x, title);
	return 0;
}

static bool
has_extension(xcb_connection_t *c, xcb_extension_t *extension)
{
	const xcb_query_extension_reply_t *data = xcb_get_extension_data(c, extension);

	return data && data->present;
}

/* Whether the server maps memory of ours, which it can't over TCP or out of a sandbox. */
static bool
maps_memory(struct x11 *x)
{
	xcb_connection_t *c = x->connection;
	xcb_shm_seg_t segment = xcb_generate_id(c);
	int fd, passed, err;

	if (kr_memfd_create("krafla-probe", PROBE_BYTES, &fd))
		return false;
	if (kr_fd_dup(fd, &passed)) {
		kr_fd_close(&fd);
		return false;
	}
	/* xcb closes what it sends. */
	err = x_check(c, xcb_shm_attach_fd_checked(c, segment, passed, 0));
	x_close_unsent(c, passed, fd);
	kr_fd_close(&fd);
	if (!err)
		xcb_shm_detach(c, segment);
	return !err;
}

/* Shared memory by descriptor is version 1.2. */
static void
find_shm(struct x11 *x)
{
	xcb_connection_t *c = x->connection;
	xcb_shm_query_version_reply_t *reply;

	if (!has_extension(c, &xcb_shm_id))
		return;
	reply = x_wait_reply(c, xcb_shm_query_version(c).sequence, NULL);
	if (!reply)
		return;
	x->shm = (reply->major_version > 1 ||
			 (reply->major_version == 1 && reply->minor_version >= 2)) &&
		maps_memory(x);
	x->shared_pixmaps = x->shm && reply->shared_pixmaps;
	free(reply);
}

/* A version to speak, and events of the kind that Present sends. */
static bool
present_works(xcb_connection_t *c)
{
	static const char generic[] = "Generic Event Extension";
	unsigned version = xcb_present_query_version(c, 1, 0).sequence;
	unsigned query = xcb_query_extension(c, sizeof(generic) - 1, generic).sequence;
	void *version_reply = x_wait_reply(c, version, NULL);
	xcb_query_extension_reply_t *query_reply = x_wait_reply(c, query, NULL);
	bool works = version_reply && query_reply && query_reply->present;

	free(version_reply);
	free(query_reply);
	return works;
}

/* The event queue comes before the events are asked for, so that none goes elsewhere. */
static void
find_present(struct x11 *x)
{
	xcb_connection_t *c = x->connection;

	if (!x->shared_pixmaps || !has_extension(c, &xcb_present_id) || !present_works(c))
		return;
	x->event_id = xcb_generate_id(c);
	x->special = xcb_register_for_special_xge(c, &xcb_present_id, x->event_id, NULL);
	x->present = x->special &&
		!x_check(c,
			xcb_present_select_input_checked(c, x->event_id, x->window,
				XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY |
					XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY));
}

void
x11_find_extensions(struct x11 *x)
{
	x->max_request = xcb_get_maximum_request_length(x->connection) * 4;
	find_shm(x);
	find_present(x);
	if (!x->present)
		display_log(x->host, KR_LOG_INFO,
			"X11 output: %s: pictures aren't synchronised with the screen%s", x->server,
			x->shm ? "" : ", and are sent over its socket");
}
