/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests that show a frame, and when frames are shown.
 *
 * Two presents for the same vertical blank: the server skips the first. That is MAILBOX: the next
 * blank, each time. A FIFO frame needs a blank of its own. The server shows it at max(target, c +
 * 1), where c is the blank that was last when it got the request. So we ask for the blank behind
 * the last frame's, and send a question for "now" behind the request: its answer n, taken in before
 * the next frame, is at least c, and max(target, n + 1) no earlier than where the frame went.
 * However late requests arrive, each goes behind the one before; and nobody waits for more than a
 * question sent a frame ago.
 *
 * A present that names an update region is never skipped: two of them for the same blank are both
 * done, and in any order (Xvfb 21.1.7 has a timer of rounded milliseconds for each), so that the
 * older frame may be what stays. So no regions here, though they would cut the padding off a
 * pixmap's rows: the window does that, or where it is wider than the image, a copy without padding.
 */
#include "outputs/xcb/x_window.h"

#include <errno.h>
#include <poll.h>

#include "util/clock.h"
#include "util/fd.h"

#define BYTES_PER_PIXEL 4
/* Room for the PutImage request itself. */
#define REQUEST_HEADER 64

static uint32_t
stride_of(const struct x_pixels *pixels)
{
	return pixels->row_bytes / BYTES_PER_PIXEL;
}

/*
 * Pixels over the wire, in pieces that the server takes and that fit into the socket: xcb
 * waits without limit for a server that doesn't read, so nothing is written that wouldn't
 * go at once. 0 or -EPIPE.
 */
static int
send_pixels(struct x_window *x, const struct x_pixels *pixels, xcb_drawable_t target)
{
	const char *from = pixels->converted ? pixels->converted : pixels->source;
	uint32_t room = KR_MIN(x->max_request, x_socket_room(x->connection));
	uint32_t rows = 1;

	if (room > REQUEST_HEADER)
		rows = KR_MAX((room - REQUEST_HEADER) / pixels->row_bytes, 1u);
	for (uint32_t y = 0; y < pixels->info.desc.height; y += rows) {
		uint32_t n = KR_MIN(rows, pixels->info.desc.height - y);

		if (x_wait_room(x->connection))
			return x_lose(x, "the X server doesn't read");
		xcb_put_image(x->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, target, x->gc,
			(uint16_t)stride_of(pixels), (uint16_t)n, 0, (int16_t)y, 0, x->depth,
			n * pixels->row_bytes,
			(const uint8_t *)from + (size_t)y * pixels->row_bytes);
		xcb_flush(x->connection);
	}
	return 0;
}

static void
put_segment(struct x_window *x, const struct x_pixels *pixels, xcb_drawable_t target)
{
	uint16_t width = (uint16_t)pixels->info.desc.width;
	uint16_t height = (uint16_t)pixels->info.desc.height;

	xcb_shm_put_image(x->connection, target, x->gc, (uint16_t)stride_of(pixels), height, 0, 0,
		width, height, 0, 0, x->depth, XCB_IMAGE_FORMAT_Z_PIXMAP, 0, pixels->segment, 0);
}

/* The segment as a pixmap: nothing is copied, and the padding of its rows is part of it. */
static xcb_pixmap_t
shared_pixmap(struct x_window *x, struct x_pixels *pixels)
{
	if (!pixels->shared) {
		pixels->shared = xcb_generate_id(x->connection);
		xcb_shm_create_pixmap(x->connection, pixels->shared, x->window,
			(uint16_t)stride_of(pixels), (uint16_t)pixels->info.desc.height, x->depth,
			pixels->segment, 0);
	}
	return pixels->shared;
}

/*
 * A pixmap of the server's own, filled with the image: what lies beside it is cut off. 0 or -EPIPE.
 */
static int
fill_copy(struct x_window *x, struct x_pixels *pixels)
{
	if (!pixels->copy) {
		pixels->copy = xcb_generate_id(x->connection);
		xcb_create_pixmap(x->connection, x->depth, pixels->copy, x->window,
			(uint16_t)pixels->info.desc.width, (uint16_t)pixels->info.desc.height);
	}
	if (!pixels->segment)
		return send_pixels(x, pixels, pixels->copy);
	put_segment(x, pixels, pixels->copy);
	return 0;
}

int
x_show_put(struct x_window *x, struct x_pixels *pixels, struct x_pending *pending)
{
	int ret = 0;

	if (pixels->segment)
		put_segment(x, pixels, x->window);
	else
		ret = fill_copy(x, pixels);
	if (ret)
		return ret;
	if (!pixels->segment)
		xcb_copy_area(x->connection, pixels->copy, x->window, x->gc, 0, 0, 0, 0,
			(uint16_t)pixels->info.desc.width, (uint16_t)pixels->info.desc.height);
	pending->kind = X_PENDING_PUT;
	pending->cookie = xcb_get_geometry(x->connection, x->window).sequence;
	return 0;
}

static bool
is_answered(const struct x_window *x)
{
	return !x->vsync.asked;
}

static bool
is_drained(const struct x_window *x)
{
	return x->vsync.outstanding == 0;
}

int
x_wait_until(struct x_window *x, bool (*said)(const struct x_window *))
{
	int64_t deadline = kr_deadline_in(X_ANSWER_NS);
	struct pollfd p = {.fd = xcb_get_file_descriptor(x->connection), .events = POLLIN};

	xcb_flush(x->connection);
	for (;;) {
		int came = x_take_events(x);

		if (came < 0)
			return came;
		if (said(x))
			return 0;
		if (kr_clock_now() >= deadline)
			return x_lose(x, "the X server doesn't answer");
		if (kr_fd_poll(&p, 1, KR_MIN(deadline, kr_clock_now() + 10 * KR_NSEC_PER_MSEC)) < 0)
			return x_lose(x, "it can't be waited for: poll is denied");
	}
}

int
x_switch_mode(struct x_window *x, uint8_t mode)
{
	int ret = 0;

	if (mode != x->vsync.mode)
		ret = x_wait_until(x, is_drained);
	if (!ret)
		x->vsync.mode = mode;
	return ret;
}

/* The blank after the last FIFO frame's. 0 or -EPIPE. */
static int
next_target(struct x_window *x, uint64_t *target)
{
	/*
	 * It was asked behind that frame, so the answer has come unless this one is close behind.
	 */
	int ret = x_wait_until(x, is_answered);

	if (!ret)
		*target = x->vsync.last_target + 1;
	return ret;
}

/* Asks where the screen is when the server has got the frame. */
static void
ask_msc(struct x_window *x, uint64_t target)
{
	x->vsync.last_target = target;
	x->vsync.asked = true;
	xcb_present_notify_msc(x->connection, x->window, 0, 0, 0, 0);
}

/* Padding is seen in a window that is wider than the image: no pixmap with padding for that one. */
static bool
padding_shows(const struct x_window *x, const struct x_pixels *pixels)
{
	return stride_of(pixels) != pixels->info.desc.width && x->width > pixels->info.desc.width;
}

/* One more that is waited for; of more than there can be the oldest counts as shown. */
static void
keep_tell(struct x_window *x, uint32_t serial, uint64_t number)
{
	struct x_tell *place = &x->tells[0];

	for (size_t i = 0; i < KR_QUEUE_SLOTS && place->number; i++) {
		if (x->tells[i].number < place->number)
			place = &x->tells[i];
	}
	if (place->number)
		x->host->queue_shown(x->queue, place->number, kr_clock_now());
	*place = (struct x_tell){serial, number};
}

/* Each has a blank of its own. */
static bool
is_fifo(uint8_t mode)
{
	return mode == KR_PRESENT_FIFO || mode == KR_PRESENT_FIFO_RELAXED;
}

int
x_show_present(struct x_window *x, struct x_pixels *pixels, struct x_pending *pending, uint8_t mode)
{
	uint32_t options = mode == KR_PRESENT_FIFO_RELAXED ? XCB_PRESENT_OPTION_ASYNC
							   : XCB_PRESENT_OPTION_NONE;
	uint64_t target = 0;
	xcb_pixmap_t pixmap;
	int ret;

	/* Either takes in how wide the window is by now. */
	ret = is_fifo(mode) ? next_target(x, &target) : KR_MIN(x_take_events(x), 0);
	if (ret)
		return ret;
	if (pixels->segment && x->shared_pixmaps && !padding_shows(x, pixels)) {
		pixmap = shared_pixmap(x, pixels);
	} else {
		ret = fill_copy(x, pixels);
		if (ret)
			return ret;
		pixmap = pixels->copy;
	}
	pending->kind = X_PENDING_PRESENT;
	pending->serial = ++x->serial;
	pending->complete = false;
	x->vsync.outstanding++;
	if (pending->tell)
		keep_tell(x, pending->serial, pending->number);
	xcb_present_pixmap(x->connection, x->window, pixmap, pending->serial, XCB_NONE, XCB_NONE, 0,
		0, XCB_NONE, XCB_NONE, XCB_NONE, options, target, 0, 0, 0, NULL);
	if (is_fifo(mode))
		ask_msc(x, target);
	return 0;
}
