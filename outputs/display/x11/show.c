/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures, turned into requests that never wait. */
#include "outputs/display/x11/x11.h"

#include <errno.h>
#include <poll.h>
#include <xcb/xcbext.h>

#include "outputs/xcb/connection.h"
#include "util/clock.h"
#include "util/fd.h"

/* Room for the request before the pixels. */
#define REQUEST_HEADER 64
/* Presents with a serial of 0 would be those that are forgotten. */
#define SERIAL_FIRST 1

static struct x11_slot *
known_of(struct x11 *x, const struct slot *slot)
{
	return &x->known[slot_index(&x->slots, slot)];
}

void
x11_forget_slots(struct x11 *x)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		struct x11_slot *known = &x->known[i];

		if (known->asked)
			xcb_discard_reply(x->connection, known->cookie);
		if (known->pixmap)
			xcb_free_pixmap(x->connection, known->pixmap);
		/* A present that is queued survives this. */
		if (known->segment)
			xcb_shm_detach(x->connection, known->segment);
		*known = (struct x11_slot){0};
	}
	x->sending = false;
}

/* A window that has its pictures' size follows them; one that its user has sized stays. */
void
x11_resize_pictures(struct x11 *x, uint32_t width, uint32_t height)
{
	const uint32_t size[] = {width, height};
	bool follows = !x->mapped || (x->width == x->slots.width && x->height == x->slots.height);

	x11_forget_slots(x);
	slots_resize(&x->slots, width, height);
	if (follows && (x->width != width || x->height != height)) {
		xcb_configure_window(x->connection, x->window,
			XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
		x->width = width;
		x->height = height;
	} else if (x->mapped) {
		/* What was outside of the old pictures is black; what was inside has to be. */
		xcb_clear_area(x->connection, 0, x->window, 0, 0, 0, 0);
	}
}

/* Whether a piece that fits into the socket's room may be written. */
static bool
has_room(struct x11 *x)
{
	struct pollfd p = {.fd = xcb_get_file_descriptor(x->connection), .events = POLLOUT};

	x->full = poll(&p, 1, 0) == 1 ? !(p.revents & (POLLOUT | POLLERR | POLLHUP)) : true;
	return !x->full;
}

/* Lets the server map the memory of a slot. 0 or -errno. */
static int
attach(struct x11 *x, struct slot *slot)
{
	struct x11_slot *known = known_of(x, slot);
	int passed, ret;

	if (known->segment)
		return 0;
	ret = kr_fd_dup(slot->fd, &passed);
	if (ret)
		return ret;
	known->segment = xcb_generate_id(x->connection);
	xcb_shm_attach_fd(x->connection, known->segment, passed, 0);
	xcb_flush(x->connection);
	x_close_unsent(x->connection, passed, slot->fd);
	if (!x->present)
		return 0;
	known->pixmap = xcb_generate_id(x->connection);
	xcb_shm_create_pixmap(x->connection, known->pixmap, x->window, (uint16_t)x->slots.width,
		(uint16_t)x->slots.height, x->depth, known->segment, 0);
	return 0;
}

/* Where a picture begins in the window. */
static void
place(const struct x11 *x, int16_t *left, int16_t *top)
{
	*left = (int16_t)(((int32_t)x->width - (int32_t)x->slots.width) / 2);
	*top = (int16_t)(((int32_t)x->height - (int32_t)x->slots.height) / 2);
}

/* The answer to this says that the server has read what was sent before. */
static void
ask(struct x11 *x, struct x11_slot *known)
{
	known->cookie = xcb_get_input_focus(x->connection).sequence;
	known->asked = true;
}

static int
send_present(struct x11 *x, struct slot *slot)
{
	struct x11_slot *known = known_of(x, slot);
	int16_t left, top;
	int ret = attach(x, slot);

	if (ret)
		return ret;
	place(x, &left, &top);
	x->serial = x->serial == UINT32_MAX ? SERIAL_FIRST : x->serial + 1;
	known->serial = x->serial;
	xcb_present_pixmap(x->connection, x->window, known->pixmap, known->serial, XCB_NONE,
		XCB_NONE, left, top, XCB_NONE, XCB_NONE, XCB_NONE, XCB_PRESENT_OPTION_NONE, 0, 0, 0,
		0, NULL);
	return 0;
}

static int
send_put(struct x11 *x, struct slot *slot)
{
	struct x11_slot *known = known_of(x, slot);
	uint16_t width = (uint16_t)x->slots.width, height = (uint16_t)x->slots.height;
	int16_t left, top;
	int ret = attach(x, slot);

	if (ret)
		return ret;
	place(x, &left, &top);
	xcb_shm_put_image(x->connection, x->window, x->gc, width, height, 0, 0, width, height, left,
		top, x->depth, XCB_IMAGE_FORMAT_Z_PIXMAP, 0, known->segment, 0);
	ask(x, known);
	return 0;
}

/*
 * As many rows as there is room for; *done when the last has gone. They go to a pixmap, so that a
 * window never shows half a picture.
 */
static void
send_pixels(struct x11 *x, struct slot *slot, bool *done)
{
	uint32_t piece = KR_MIN(x->max_request, x_socket_room(x->connection));
	uint32_t width = x->slots.width, row_bytes = x->slots.row_bytes, rows = 1;
	struct x11_slot *known = known_of(x, slot);
	int16_t left, top;

	if (!known->pixmap) {
		known->pixmap = xcb_generate_id(x->connection);
		xcb_create_pixmap(x->connection, x->depth, known->pixmap, x->window,
			(uint16_t)width, (uint16_t)x->slots.height);
	}
	if (!x->sending)
		x->sent_rows = 0;
	x->sending = true;
	if (piece > REQUEST_HEADER)
		rows = KR_MAX((piece - REQUEST_HEADER) / row_bytes, 1u);
	while (x->sent_rows < x->slots.height && has_room(x)) {
		uint32_t n = KR_MIN(rows, x->slots.height - x->sent_rows);

		xcb_put_image(x->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, known->pixmap, x->gc,
			(uint16_t)width, (uint16_t)n, 0, (int16_t)x->sent_rows, 0, x->depth,
			n * row_bytes,
			(const uint8_t *)slot->pixels + (size_t)x->sent_rows * row_bytes);
		xcb_flush(x->connection);
		x->sent_rows += n;
	}
	*done = x->sent_rows == x->slots.height;
	if (!*done)
		return;
	x->sending = false;
	place(x, &left, &top);
	xcb_copy_area(x->connection, known->pixmap, x->window, x->gc, 0, 0, left, top,
		(uint16_t)width, (uint16_t)x->slots.height);
	ask(x, known);
}

/* What is on screen goes out once more, when nothing newer does. */
static void
repeat(struct x11 *x)
{
	struct slot *newest = x->again ? slots_newest(&x->slots) : NULL;

	if (!x->again || slots_waiting(&x->slots)) {
		x->again = false;
		return;
	}
	if (newest && (newest->state != SLOT_FREE || !newest->counted))
		return; /* when it is idle */
	if (newest)
		newest->state = SLOT_WAITING;
	x->again = false;
}

/* Whether the server still has to show a picture. */
static bool
is_busy(const struct x11 *x)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (x->slots.items[i].state == SLOT_SENT && !x->slots.items[i].counted)
			return true;
	}
	return false;
}

int
x11_send(struct x11 *x)
{
	struct slot *slot;
	bool done = true;
	int ret = 0;

	repeat(x);
	slot = slots_waiting(&x->slots);
	x->full = false;
	if (!slot || is_busy(x) || slots_sent(&x->slots) >= SLOTS - 1 || !has_room(x))
		return 0;
	if (x->moved)
		xcb_clear_area(x->connection, 0, x->window, 0, 0, 0, 0);
	x->moved = false;
	if (x->present)
		ret = send_present(x, slot);
	else if (x->shm)
		ret = send_put(x, slot);
	else
		send_pixels(x, slot, &done);
	if (ret)
		return x11_lose(x, "its memory can't be shared with the X server");
	if (done)
		slot->state = SLOT_SENT;
	xcb_flush(x->connection);
	return 0;
}
