/* SPDX-License-Identifier: Apache-2.0 */
/* krafla-output-xcb.so: its table, and opening a window. */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <stdlib.h>

#include "outputs/log.h"

/*
 * The window as its server describes it; if it shows frames its pixels must be ones
 * that we can make.
 */
static int
inspect_window(struct x_window *x, bool shown, uint32_t *width, uint32_t *height)
{
	xcb_connection_t *c = x->connection;
	xcb_get_geometry_cookie_t geometry_cookie = xcb_get_geometry(c, x->window);
	xcb_get_window_attributes_cookie_t attributes_cookie =
		xcb_get_window_attributes(c, x->window);
	xcb_get_geometry_reply_t *geometry = x_wait_reply(c, geometry_cookie.sequence, NULL);
	xcb_get_window_attributes_reply_t *attributes =
		x_wait_reply(c, attributes_cookie.sequence, NULL);
	int ret = -ENODEV;

	if (!geometry || !attributes)
		goto out;
	ret = -EOPNOTSUPP;
	if (shown &&
		(!x_visual_fits(c, attributes->visual, &x->depth) || x->depth != geometry->depth)) {
		output_log(x->host, KR_LOG_ERROR,
			"X output: windows of this visual (depth %d) can't be shown",
			geometry->depth);
		goto out;
	}
	*width = geometry->width;
	*height = geometry->height;
	ret = 0;
out:
	free(geometry);
	free(attributes);
	return ret;
}

static bool
has_extension(xcb_connection_t *c, xcb_extension_t *extension)
{
	const xcb_query_extension_reply_t *data = xcb_get_extension_data(c, extension);

	return data && data->present;
}

/* Shared memory by descriptor is version 1.2. */
static void
init_shm(struct x_window *x)
{
	xcb_shm_query_version_reply_t *reply;

	if (!has_extension(x->connection, &xcb_shm_id))
		return;
	reply = x_wait_reply(x->connection, xcb_shm_query_version(x->connection).sequence, NULL);
	if (!reply)
		return;
	x->shm = reply->major_version > 1 ||
		(reply->major_version == 1 && reply->minor_version >= 2);
	x->shared_pixmaps = reply->shared_pixmaps;
	free(reply);
}

/* A version to speak, and events of the kind that Present sends. */
static bool
present_works(xcb_connection_t *c)
{
	static const char generic[] = "Generic Event Extension";
	unsigned int version = xcb_present_query_version(c, 1, 0).sequence;
	unsigned int query = xcb_query_extension(c, sizeof(generic) - 1, generic).sequence;
	void *version_reply = x_wait_reply(c, version, NULL);
	xcb_query_extension_reply_t *query_reply = x_wait_reply(c, query, NULL);
	bool works = version_reply && query_reply && query_reply->present;

	free(version_reply);
	free(query_reply);
	return works;
}

/* The event queue comes before the events are asked for, so that none goes elsewhere. */
static void
init_present(struct x_window *x)
{
	xcb_connection_t *c = x->connection;

	if (!has_extension(c, &xcb_present_id) || !present_works(c))
		return;
	x->event_id = xcb_generate_id(c);
	x->special = xcb_register_for_special_xge(c, &xcb_present_id, x->event_id, NULL);
	x->present = !x_check(c,
		xcb_present_select_input_checked(c, x->event_id, x->window,
			XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY |
				XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY));
}

static void
init_window(struct x_window *x)
{
	const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
	const uint32_t no_exposures = 0;

	x->max_request = xcb_get_maximum_request_length(x->connection) * 4;
	xcb_change_window_attributes(x->connection, x->window, XCB_CW_EVENT_MASK, &events);
	x->gc = xcb_generate_id(x->connection);
	xcb_create_gc(x->connection, x->gc, x->window, XCB_GC_GRAPHICS_EXPOSURES, &no_exposures);
	init_shm(x);
	init_present(x);
	if (!x->present)
		output_log(x->host, KR_LOG_WARN,
			"X output: no Present extension: frames aren't synchronised");
	xcb_flush(x->connection);
}

int
x_window_open(const struct kr_output_host *host, xcb_connection_t *application, xcb_window_t window,
	bool shown, struct x_window **out, uint32_t *width, uint32_t *height)
{
	xcb_get_geometry_reply_t *known;
	struct x_window *x;
	int ret;

	/*
	 * What the application has sent must have arrived before another connection
	 * names the window.
	 */
	known = x_wait_reply(application, xcb_get_geometry(application, window).sequence, NULL);
	if (!known)
		return -ENODEV;
	free(known);
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	x->base.impl = &x_sink_impl;
	x->output.impl = &x_output_impl;
	x->host = host;
	x->window = window;
	ret = -ECONNREFUSED;
	x->connection = x_connect_again(application);
	if (!x->connection) {
		output_log(x->host, KR_LOG_ERROR, "X output: no second connection to the X server");
		goto err_free;
	}
	ret = inspect_window(x, shown, width, height);
	if (ret)
		goto err_disconnect;
	x->width = *width;
	x->height = *height;
	if (shown)
		init_window(x);
	*out = x;
	return 0;

err_disconnect:
	xcb_disconnect(x->connection);
err_free:
	free(x);
	return ret;
}

void
x_window_close(struct x_window *x)
{
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (x->slots[i].used)
			x_pixels_finish(x, &x->slots[i]);
	}
	if (x->special)
		xcb_unregister_for_special_event(x->connection, x->special);
	xcb_flush(x->connection);
	xcb_disconnect(x->connection);
	free(x);
}

static int
get_size(struct kr_output_window *window, uint32_t *width, uint32_t *height)
{
	struct x_window *x = x_window_from_output(window);
	xcb_get_geometry_cookie_t cookie = xcb_get_geometry(x->connection, x->window);
	xcb_get_geometry_reply_t *reply = x_wait_reply(x->connection, cookie.sequence, NULL);

	if (!reply)
		return -ENODEV;
	*width = reply->width;
	*height = reply->height;
	free(reply);
	return 0;
}

static void
close_window(struct kr_output_window *window)
{
	x_window_close(x_window_from_output(window));
}

const struct kr_output_window_impl x_output_impl = {
	.get_size = get_size,
	.close = close_window,
};

/* The connection of libxcb that a window is spoken of on; NULL when there is none (logged). */
static xcb_connection_t *
connection_of(const struct kr_output_host *host, enum kr_output_system system, void *connection)
{
	switch (system) {
	case KR_OUTPUT_SYSTEM_XCB:
		return connection;
	case KR_OUTPUT_SYSTEM_XLIB:
		return x_connection_of_xlib(host, connection);
	default:
		return NULL;
	}
}

static struct kr_abilities
abilities_of(const struct x_window *x)
{
	struct kr_abilities abilities = {
		.modes = KR_ABILITY(KR_PRESENT_FIFO) | KR_ABILITY(KR_PRESENT_MAILBOX) |
			KR_ABILITY(KR_PRESENT_IMMEDIATE) | KR_ABILITY_SHARED,
		.transforms = KR_ABILITY_TRANSFORMS,
		.alphas = KR_ABILITY(KR_ALPHA_INHERIT) | KR_ABILITY(KR_ALPHA_OPAQUE),
		.scalings = KR_ABILITY_ALL(KR_SCALING_COUNT),
		.gravities = KR_ABILITY_ALL(KR_GRAVITY_COUNT),
		.tells_shown = true,
	};

	/* Whoever composes the screen takes such pixels for premultiplied. */
	if (x->depth == 32)
		abilities.alphas |= KR_ABILITY(KR_ALPHA_PREMULTIPLIED);
	if (x->present)
		abilities.modes |= KR_ABILITY(KR_PRESENT_FIFO_RELAXED) |
			KR_ABILITY(KR_PRESENT_FIFO_LATEST_READY);
	return abilities;
}

static int
open_window(const struct kr_output_host *host, const struct kr_native_window *native,
	struct kr_queue_config *config, struct kr_output_window **window)
{
	xcb_connection_t *application;
	uint32_t width, height;
	struct x_window *x;
	int ret;

	if (host->abi != KR_OUTPUT_MODULE_ABI)
		return -EPROTO;
	application = connection_of(host, native->system, native->connection);
	if (!application)
		return -ENOENT;
	ret = x_window_open(host, application, (xcb_window_t)native->window, config != NULL, &x,
		&width, &height);
	if (ret)
		return ret;
	*window = &x->output;
	if (!config)
		return 0;
	x->output.sink = &x->base;
	*config = (struct kr_queue_config){
		.default_width = width,
		.default_height = height,
		.default_format = AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
		.consumer_usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
		.max_acquired = 1,
		.abilities = abilities_of(x),
	};
	return 0;
}

static bool
supports(const struct kr_output_host *host, enum kr_output_system system, void *connection,
	uintptr_t visual)
{
	xcb_connection_t *application = connection_of(host, system, connection);
	uint8_t depth;

	return application && x_visual_fits(application, (xcb_visualid_t)visual, &depth);
}

extern const struct kr_output_module kr_output_module;
KR_EXPORT const struct kr_output_module kr_output_module = {
	.abi = KR_OUTPUT_MODULE_ABI,
	.name = "xcb",
	.open = open_window,
	.supports = supports,
};
