/* SPDX-License-Identifier: Apache-2.0 */
/* What the server says: frames that are done, the window's size, its end. */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <stdlib.h>
#include <xcb/xcbext.h>

#include "outputs/log.h"
#include "util/clock.h"

/* How long ago a frame may have been shown that is told of now. */
#define PLAUSIBLE_US 10000000

int
x_lose(struct x_window *x, const char *why)
{
	if (!x->gone)
		output_log(x->host, KR_LOG_WARN, "X output: %s", why);
	x->gone = true;
	if (x->queue)
		x->host->queue_abandon(x->queue);
	return -EPIPE;
}

/* A slot goes back; what became of it is forgotten first, because it may return at once. */
static void
finish_pending(struct x_window *x, struct x_pending *pending)
{
	uint32_t slot = pending->slot;
	uint64_t number = pending->number;

	pending->kind = X_PENDING_NONE;
	if (pending->stays)
		return;
	(void)x->host->queue_release(x->queue, slot, number, -1);
}

static struct x_pending *
find_serial(struct x_window *x, uint32_t serial)
{
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (x->pending[i].kind == X_PENDING_PRESENT && x->pending[i].serial == serial)
			return &x->pending[i];
	}
	return NULL;
}

static void
set_size(struct x_window *x, uint16_t width, uint16_t height)
{
	x->width = width;
	x->height = height;
	if (x->queue)
		x->host->queue_configure(x->queue, width, height, 0);
}

static void
mark_complete(struct x_window *x, uint32_t serial)
{
	struct x_pending *pending = find_serial(x, serial);

	/* IDLE may come first and has counted it then. */
	if (!pending || pending->complete)
		return;
	pending->complete = true;
	x->vsync.outstanding--;
}

/*
 * Shown, or skipped for good. The server's clock is ours, CLOCK_MONOTONIC in us, unless it is
 * another machine's.
 */
static void
tell_shown(struct x_window *x, uint32_t serial, uint64_t ust)
{
	int64_t now = kr_clock_now(), time_ns = now;

	if (ust <= (uint64_t)now / 1000 && (uint64_t)now / 1000 - ust < PLAUSIBLE_US)
		time_ns = (int64_t)ust * 1000;
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct x_tell *tell = &x->tells[i];

		if (!tell->number || tell->serial != serial)
			continue;
		x->host->queue_shown(x->queue, tell->number, time_ns);
		tell->number = 0;
	}
}

static void
handle_complete(struct x_window *x, const xcb_present_complete_notify_event_t *event)
{
	if (event->kind != XCB_PRESENT_COMPLETE_KIND_NOTIFY_MSC) {
		mark_complete(x, event->serial);
		tell_shown(x, event->serial, event->ust);
		return;
	}
	/* A late frame of RELAXED is shown in the very blank's time that is told. */
	x->vsync.last_target = KR_MAX(
		x->vsync.last_target, event->msc + (x->vsync.mode != KR_PRESENT_FIFO_RELAXED));
	x->vsync.asked = false;
}

static void
handle_idle(struct x_window *x, const xcb_present_idle_notify_event_t *event)
{
	struct x_pending *pending = find_serial(x, event->serial);

	if (!pending)
		return;
	mark_complete(x, event->serial);
	finish_pending(x, pending);
}

static void
handle_present(struct x_window *x, const xcb_generic_event_t *event)
{
	const xcb_present_generic_event_t *e = (const xcb_present_generic_event_t *)event;

	switch (e->evtype) {
	case XCB_PRESENT_EVENT_COMPLETE_NOTIFY:
		handle_complete(x, (const void *)event);
		break;
	case XCB_PRESENT_EVENT_IDLE_NOTIFY:
		handle_idle(x, (const void *)event);
		break;
	default:
		break;
	}
}

static int
handle_event(struct x_window *x, const xcb_generic_event_t *event)
{
	const xcb_generic_error_t *error = (const void *)event;
	const xcb_configure_notify_event_t *configure = (const void *)event;

	switch (event->response_type & 0x7f) {
	case 0:
		if (error->error_code == XCB_WINDOW || error->error_code == XCB_DRAWABLE)
			return x_lose(x, "the window is gone");
		output_log(x->host, KR_LOG_WARN, "X output: error %d of request %d.%d",
			error->error_code, error->major_code, error->minor_code);
		return 0;
	case XCB_DESTROY_NOTIFY:
		return x_lose(x, "the window was destroyed");
	case XCB_CONFIGURE_NOTIFY:
		set_size(x, configure->width, configure->height);
		return 0;
	default:
		return 0;
	}
}

/* The put that was sent first. */
static struct x_pending *
first_put(struct x_window *x)
{
	struct x_pending *first = NULL;

	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct x_pending *p = &x->pending[i];

		if (p->kind == X_PENDING_PUT && (!first || p->order < first->order))
			first = p;
	}
	return first;
}

static int
take_puts(struct x_window *x)
{
	struct x_pending *put;
	int came = 0;

	while ((put = first_put(x))) {
		xcb_generic_error_t *error = NULL;
		xcb_get_geometry_reply_t *reply = NULL;

		if (!xcb_poll_for_reply(x->connection, put->cookie, (void **)&reply, &error))
			break;
		came++;
		if (reply)
			set_size(x, reply->width, reply->height);
		if (put->tell)
			x->host->queue_shown(x->queue, put->number, kr_clock_now());
		finish_pending(x, put);
		free(reply);
		free(error);
		if (error || !reply)
			return x_lose(x, "the window is gone");
	}
	return came;
}

static int
take_ping(struct x_window *x)
{
	xcb_generic_error_t *error = NULL;
	void *reply = NULL;

	if (!x->pinged || !xcb_poll_for_reply(x->connection, x->ping_cookie, &reply, &error))
		return 0;
	x->pinged = false;
	free(reply);
	free(error);
	return 1;
}

int
x_take_events(struct x_window *x)
{
	xcb_generic_event_t *event;
	int came = 0, ret = 0;

	if (x->gone)
		return -EPIPE;
	while (!ret && (event = xcb_poll_for_event(x->connection))) {
		ret = handle_event(x, event);
		free(event);
		came++;
	}
	while (!ret && x->special &&
		(event = xcb_poll_for_special_event(x->connection, x->special))) {
		handle_present(x, event);
		free(event);
		came++;
	}
	if (!ret)
		ret = take_puts(x);
	if (ret < 0)
		return ret;
	came += ret + take_ping(x);
	if (xcb_connection_has_error(x->connection))
		return x_lose(x, "the connection to the X server broke");
	return came;
}
