/* SPDX-License-Identifier: Apache-2.0 */
/* krafla-output-display-x11.so: its table, and an output's life. */
#include "outputs/display/x11/x11.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/display/log.h"
#include "outputs/xcb/connection.h"
#include "util/clock.h"
#include "util/env.h"
#include "util/fd.h"
#include "util/text.h"

/* Coordinates are signed 16 bit numbers. */
#define X_MAX_EXTENT 32767u
/* At the end, for pictures that are on their way. */
#define FINISH_NS KR_NSEC_PER_SEC

static const struct kr_display_output_impl impl;

static struct x11 *
from_output(struct kr_display_output *output)
{
	assert(output->impl == &impl);
	return (struct x11 *)output;
}

static int
show(struct kr_display_output *output, const struct kr_composed_frame *frame)
{
	struct x11 *x = from_output(output);
	struct slot *slot;
	int ret;

	if (x->broken)
		return -EPIPE;
	if (frame->width > X_MAX_EXTENT || frame->height > X_MAX_EXTENT) {
		output->dropped++;
		return 0;
	}
	if (frame->width != x->slots.width || frame->height != x->slots.height)
		x11_resize_pictures(x, frame->width, frame->height);
	/* Half a picture that went out is of no use with half of another. */
	if (x->sending) {
		output->dropped++;
		return 0;
	}
	ret = slots_take(&x->slots, frame, false, &slot);
	if (ret)
		return x11_lose(x, "no memory for a picture");
	if (!x->mapped)
		xcb_map_window(x->connection, x->window);
	x->mapped = true;
	return x11_send(x);
}

static unsigned
poll_fds(struct kr_display_output *output, struct pollfd *fds)
{
	struct x11 *x = from_output(output);

	fds[0] = (struct pollfd){
		.fd = xcb_get_file_descriptor(x->connection),
		.events = (short)(POLLIN | (x->full ? POLLOUT : 0)),
	};
	return 1;
}

static int
dispatch(struct kr_display_output *output, struct kr_display_output_events *events)
{
	struct x11 *x = from_output(output);
	int ret = x11_take_events(x);

	if (!ret)
		ret = x11_send(x);
	/* Sending may have read. */
	if (!ret)
		ret = x11_take_events(x);
	events->closed = x->closed;
	events->resized = x->resized;
	events->width = x->width;
	events->height = x->height;
	x->closed = x->resized = false;
	return ret;
}

static int
shown_fence(struct kr_display_output *output, uint64_t number)
{
	return slots_shown_fence(&from_output(output)->slots, number);
}

static int
shown_time(struct kr_display_output *output, uint64_t number, int64_t *time_ns)
{
	return slots_shown_time(&from_output(output)->slots, number, time_ns);
}

static void
timing(struct kr_display_output *output, struct kr_display_output_timing *at)
{
	const struct x11 *x = from_output(output);

	*at = (struct kr_display_output_timing){(int64_t)x->last_ust * 1000, x->period_ns};
}

static int
finish(struct kr_display_output *output, uint64_t *shown)
{
	struct x11 *x = from_output(output);
	int64_t deadline = kr_deadline_in(FINISH_NS);
	struct kr_display_output_events events;
	struct pollfd p;

	while (dispatch(output, &events) == 0 && !slots_settled(&x->slots) &&
		kr_clock_now() < deadline) {
		poll_fds(output, &p);
		if (kr_fd_poll(&p, 1, deadline) < 0)
			break;
	}
	x11_forget_slots(x);
	slots_resize(&x->slots, 0, 0);
	*shown = x->slots.shown;
	return 0;
}

static void
destroy(struct kr_display_output *output)
{
	struct x11 *x = from_output(output);

	slots_finish(&x->slots);
	if (x->special)
		xcb_unregister_for_special_event(x->connection, x->special);
	if (x->connection)
		xcb_disconnect(x->connection);
	free(x->server);
	free(x);
}

static const struct kr_display_output_impl impl = {
	.name = "x11",
	.slow_ok = true,
	.show = show,
	.finish = finish,
	.destroy = destroy,
	.poll_fds = poll_fds,
	.dispatch = dispatch,
	.shown_fence = shown_fence,
	.timing = timing,
	.shown_time = shown_time,
};

static bool
is_number(const char *text)
{
	return *text && text[strspn(text, "0123456789.")] == '\0';
}

/* What xcb takes: a number alone is a display of this machine. NULL without memory. */
static char *
server_name(const char *argument)
{
	const char *said = argument && *argument ? argument : kr_env_get("DISPLAY");

	return said ? kr_asprintf("%s%s", is_number(said) ? ":" : "", said) : strdup("");
}

static const xcb_screen_t *
find_screen(xcb_connection_t *connection, int number)
{
	xcb_screen_iterator_t at = xcb_setup_roots_iterator(xcb_get_setup(connection));

	while (at.rem > 1 && number-- > 0)
		xcb_screen_next(&at);
	return at.data;
}

static int
connect_to_server(struct x11 *x)
{
	int screen = 0, error;

	if (!x->server[0]) {
		display_log(x->host, KR_LOG_ERROR,
			"X11 output: no X server is named: set DISPLAY, or say which one, as in --output x11::0");
		return -ENOENT;
	}
	x->connection = xcb_connect(x->server, &screen);
	error = xcb_connection_has_error(x->connection);
	if (error) {
		display_log(x->host, KR_LOG_ERROR, "X11 output: can't reach the X server '%s': %s",
			x->server,
			error == XCB_CONN_CLOSED_PARSE_ERR
				? "that is no name of a display, such as :0"
				: error == XCB_CONN_CLOSED_INVALID_SCREEN
				? "it has no such screen"
				: "see that it runs, and that this user may use it (XAUTHORITY)");
		return -ECONNREFUSED;
	}
	x_limit_tcp(x->connection);
	x->screen = find_screen(x->connection, screen);
	return 0;
}

static int
open_output(const struct kr_display_output_host *host,
	const struct kr_display_output_options *options, struct kr_display_output **output)
{
	uint32_t width = KR_MIN(options->width, X_MAX_EXTENT);
	uint32_t height = KR_MIN(options->height, X_MAX_EXTENT);
	struct x11 *x;
	int ret = -ENOMEM;

	if (host->abi != KR_DISPLAY_OUTPUT_ABI)
		return -EPROTO;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	x->base = (struct kr_display_output){.impl = &impl, .wanted = {.from = 1, .every = 1}};
	x->host = host;
	slots_init(&x->slots, host, &x->base);
	x->server = server_name(options->argument);
	if (x->server)
		ret = connect_to_server(x);
	if (!ret)
		ret = x11_window_create(x, options->title, width, height);
	if (ret) {
		destroy(&x->base);
		return ret;
	}
	x11_find_extensions(x);
	*output = &x->base;
	return 0;
}

extern const struct kr_display_output_module kr_display_output_module;
KR_EXPORT const struct kr_display_output_module kr_display_output_module = {
	.abi = KR_DISPLAY_OUTPUT_ABI,
	.name = "x11",
	.open = open_output,
};
