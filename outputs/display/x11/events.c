/* SPDX-License-Identifier: Apache-2.0 */
/* What the server says: pictures that are on screen or done, the window's size and end. */
#include "outputs/display/x11/x11.h"

#include <errno.h>
#include <stdlib.h>
#include <xcb/xcbext.h>

#include "outputs/display/log.h"
#include "util/clock.h"

#define NSEC_PER_USEC 1000
#define USEC_PER_SEC  1000000

int
x11_lose(struct x11 *x, const char *why)
{
	if (!x->broken)
		display_log(x->host, KR_LOG_WARN,
			"X11 output: %s: %s; the run goes on without this output", x->server, why);
	x->broken = true;
	return -EPIPE;
}

/* NULL: one that is forgotten. */
static struct slot *
find_serial(struct x11 *x, uint32_t serial)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (x->known[i].serial == serial)
			return &x->slots.items[i];
	}
	return NULL;
}

/* Of a server on another machine it is that one's clock. */
static int64_t
time_of(const xcb_present_complete_notify_event_t *event)
{
	return slots_time(event->ust / USEC_PER_SEC, event->ust % USEC_PER_SEC * NSEC_PER_USEC);
}

static void
note_blank(struct x11 *x, const xcb_present_complete_notify_event_t *event)
{
	if (!time_of(event))
		return;
	if (event->msc > x->last_msc && event->ust > x->last_ust && x->last_msc)
		x->period_ns = (int64_t)((event->ust - x->last_ust) * NSEC_PER_USEC /
			(event->msc - x->last_msc));
	x->last_ust = event->ust;
	x->last_msc = event->msc;
}

/* COMPLETE and IDLE come in either order. */
static void
handle_present(struct x11 *x, const xcb_generic_event_t *event)
{
	const xcb_present_generic_event_t *generic = (const void *)event;
	const xcb_present_complete_notify_event_t *complete = (const void *)event;
	const xcb_present_idle_notify_event_t *idle = (const void *)event;
	struct slot *slot;

	if (generic->evtype == XCB_PRESENT_EVENT_COMPLETE_NOTIFY) {
		bool shown = complete->mode != XCB_PRESENT_COMPLETE_MODE_SKIP;

		slot = find_serial(x, complete->serial);
		if (shown)
			note_blank(x, complete);
		if (slot)
			slot_complete(&x->slots, slot, shown, time_of(complete));
	} else if (generic->evtype == XCB_PRESENT_EVENT_IDLE_NOTIFY) {
		slot = find_serial(x, idle->serial);
		if (slot && slot->state == SLOT_SENT)
			slot_idle(&x->slots, slot);
	}
}

/* The answers of a server without Present. */
static int
take_answers(struct x11 *x)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		xcb_generic_error_t *error = NULL;
		void *reply = NULL;

		if (!x->known[i].asked ||
			!xcb_poll_for_reply(x->connection, x->known[i].cookie, &reply, &error))
			continue;
		x->known[i].asked = false;
		slot_complete(&x->slots, &x->slots.items[i], reply != NULL, 0);
		slot_idle(&x->slots, &x->slots.items[i]);
		free(reply);
		free(error);
	}
	return 0;
}

static int
handle_error(struct x11 *x, const xcb_generic_error_t *error)
{
	if (error->error_code == XCB_WINDOW || error->error_code == XCB_DRAWABLE)
		return x11_lose(x, "the window is gone");
	if (error->error_code == XCB_ALLOC)
		return x11_lose(x, "the X server has no memory left");
	display_log(x->host, KR_LOG_WARN, "X11 output: error %d of request %d.%d",
		error->error_code, error->major_code, error->minor_code);
	return 0;
}

static int
handle_event(struct x11 *x, const xcb_generic_event_t *event)
{
	const xcb_configure_notify_event_t *configure = (const void *)event;
	const xcb_client_message_event_t *message = (const void *)event;

	switch (event->response_type & 0x7f) {
	case 0:
		return handle_error(x, (const void *)event);
	case XCB_DESTROY_NOTIFY:
		return x11_lose(x, "the window was destroyed");
	case XCB_CONFIGURE_NOTIFY:
		if (x->width == configure->width && x->height == configure->height)
			return 0;
		x->resized = x->again = x->moved = true;
		x->width = configure->width;
		x->height = configure->height;
		return 0;
	case XCB_EXPOSE:
		x->again = true;
		return 0;
	case XCB_CLIENT_MESSAGE:
		x->closed |= message->format == 32 && message->data.data32[0] == x->delete_window;
		return 0;
	default:
		return 0;
	}
}

int
x11_take_events(struct x11 *x)
{
	xcb_generic_event_t *event;
	int ret = x->broken ? -EPIPE : 0;

	while (!ret && (event = xcb_poll_for_event(x->connection))) {
		ret = handle_event(x, event);
		free(event);
	}
	while (!ret && x->special &&
		(event = xcb_poll_for_special_event(x->connection, x->special))) {
		handle_present(x, event);
		free(event);
	}
	if (!ret)
		ret = take_answers(x);
	if (!ret && xcb_connection_has_error(x->connection))
		ret = x11_lose(x, "the connection to the X server broke");
	return ret;
}
