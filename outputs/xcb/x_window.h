/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An X window as the far end of a queue. "Measured" is: with Xvfb 21.1.7 and xcb 1.15.
 *
 * We speak on a connection of our own to the application's server: its event queue stays as it was,
 * and a program that polls its connection doesn't delay our replies (measured on the shared one: by
 * 10 ms in the median, 92 at worst; on our own 30 us). Two ways to show a buffer:
 *
 *   IMMEDIATE       put it into the window; the reply to a get_geometry sent right behind says
 *                   that the server has read it, how large the window is now, and whether it is
 *                   still there
 *   FIFO, MAILBOX   PresentPixmap; the server says IDLE when it has read it. MAILBOX asks for the
 *                   next vertical blank each time, so that a later frame replaces one that still
 *                   waits; FIFO asks for increasing ones. RELAXED does, too, and for none at all
 *                   when it is late; LATEST_READY is as MAILBOX: frames come here when they are
 *                   ready, and of those that came before a blank the last is shown
 *
 * Measured besides: IDLE comes before COMPLETE; a window that isn't mapped still
 * completes; a destroyed one sends neither, so its DestroyNotify is listened to; requests are
 * checked and their replies discarded, since an unchecked one's error lands where the application's
 * are read.
 *
 * Pixels get to the server by shared memory where it can map ours: the segment is the buffer's own
 * memfd, nothing is copied on our side (attached writable, which a pixmap needs and F_SEAL_WRITE
 * would forbid; over TCP the server says BadMatch). Else they are sent.
 *
 * Threads: the queue serialises the ops of the sink. Only the window's size may be asked for on
 * another thread at the same time, which touches nothing but the connection.
 */
#ifndef KR_OUTPUTS_XCB_X_WINDOW_H
#define KR_OUTPUTS_XCB_X_WINDOW_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <xcb/present.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include "gralloc/buffer.h"
#include "outputs/xcb/connection.h"
#include "util/macros.h"
#include "surface/output_module.h"

/* The pixels of one slot, and how they come to the server. */
struct x_pixels {
	bool used;
	struct kr_buffer_info info;
	xcb_shm_seg_t segment; /* 0: pixels are sent */
	xcb_pixmap_t shared; /* the segment, whole rows with their padding; 0 until it is needed */
	xcb_pixmap_t copy;   /* the server's own, of the image alone; 0 until it is needed */
	const void *source;  /* the buffer mapped; NULL while nobody here reads it */
	void *converted;     /* B8G8R8X8 copy that the segment is of; NULL: the buffer itself */
	uint32_t row_bytes;  /* of what the server sees, 4 bytes a pixel */
	uint64_t size;
	struct x_pixels *picture; /* shown in its place: compose.c; NULL until it is needed */
};

/* A frame that the server has not finished with. */
struct x_pending {
	enum { X_PENDING_NONE, X_PENDING_PUT, X_PENDING_PRESENT } kind;
	uint32_t slot;
	uint64_t number;
	unsigned int cookie; /* put: of the get_geometry behind it */
	uint32_t serial;     /* present */
	bool complete;       /* present: shown or skipped */
	bool tell;           /* put: somebody waits for it to be shown */
	bool stays;          /* shared: the slot doesn't go back with it */
	uint64_t order;
};

/* A present that somebody waits for to be shown. */
struct x_tell {
	uint32_t serial;
	uint64_t number; /* 0: none */
};

/* The slot that is shared, shared.c. */
struct x_shared {
	bool on;
	uint32_t slot;
	uint64_t number;           /* of its newest frame */
	struct x_refresh *refresh; /* reads it at each refresh; NULL: it needn't */
};

/* Where FIFO frames go: see vsync.c. */
struct x_vsync {
	uint8_t mode;         /* enum kr_present_mode of the newest frame */
	uint64_t last_target; /* of the newest FIFO frame, or later */
	bool asked;           /* the answer to a question for "now" is still to come */
	uint32_t outstanding; /* presents that haven't completed */
};

struct x_window {
	struct kr_sink base; /* first */
	struct kr_output_window output;
	const struct kr_output_host *host;
	struct kr_queue *queue; /* NULL until attached */
	xcb_connection_t *connection;
	xcb_window_t window;
	xcb_gcontext_t gc;
	uint8_t depth;
	bool shm;
	bool shared_pixmaps;
	bool present;
	bool gone;      /* the window or its server */
	uint32_t width; /* of the window, as far as its server has told */
	uint32_t height;
	uint32_t max_request; /* bytes */
	uint32_t event_id;    /* of Present's special events */
	xcb_special_event_t *special;
	struct x_vsync vsync;
	uint32_t serial;
	uint64_t order;
	bool pinged;
	unsigned int ping_cookie;
	struct x_pixels slots[KR_QUEUE_SLOTS];
	struct x_pending pending[KR_QUEUE_SLOTS];
	struct x_tell tells[KR_QUEUE_SLOTS];
	struct x_shared shared_slot;
};

extern const struct kr_sink_impl x_sink_impl; /* sink.c */

static inline struct x_window *
x_window_from_sink(struct kr_sink *sink)
{
	assert(sink->impl == &x_sink_impl);
	return (struct x_window *)sink;
}

extern const struct kr_output_window_impl x_output_impl; /*
 * module.c. A window of the server that `application` is connected to, on a connection of its own;
 * without `shown` it is only asked for its size. 0 or -errno.
 */
int x_window_open(const struct kr_output_host *host, xcb_connection_t *application,
	xcb_window_t window, bool shown, struct x_window **out, uint32_t *width, uint32_t *height)
	KR_MUST_CHECK;

static inline struct x_window *
x_window_from_output(struct kr_output_window *window)
{
	assert(window->impl == &x_output_impl);
	return kr_container_of(window, struct x_window, output);
}

/*
 * xlib.c: the connection of libxcb below an Xlib Display; it is the Display's. NULL when
 * it isn't known (logged).
 */
xcb_connection_t *x_connection_of_xlib(const struct kr_output_host *host, void *display);

/*
 * module.c. A window of the server that `application` is connected to, on a connection of its own;
 * without `shown` it is only asked for its size. 0 or -errno.
 */
int x_window_open(const struct kr_output_host *host, xcb_connection_t *application,
	xcb_window_t window, bool shown, struct x_window **out, uint32_t *width, uint32_t *height)
	KR_MUST_CHECK;
void x_window_close(struct x_window *x);

/* pixels.c: what the server knows of a slot's buffer. */
int x_pixels_init(struct x_window *x, struct x_pixels *pixels, const struct kr_buffer_info *info)
	KR_MUST_CHECK;
void x_pixels_finish(struct x_window *x, struct x_pixels *pixels);
/* A picture of ours, which `converted` is: nothing is converted into it. */
int x_pixels_init_picture(
	struct x_window *x, struct x_pixels *pixels, uint32_t width, uint32_t height) KR_MUST_CHECK;
/* For who reads the frame here. 0 or -errno. */
int x_pixels_map(struct x_pixels *pixels) KR_MUST_CHECK;
/* Brings the frame's content to where the server reads it, except for what it has to be sent. */
void x_pixels_update(struct x_window *x, struct x_pixels *pixels);

/* compose.c: whether a frame is shown as its buffer is. */
bool x_is_plain(
	const struct x_window *x, const struct x_pixels *pixels, const struct kr_frame *frame);
/* Else: the picture to show in its place, which is the slot's. 0 or -errno. */
int x_compose(struct x_window *x, struct x_pixels *pixels, const struct kr_frame *frame,
	struct x_pixels **picture) KR_MUST_CHECK;

/*
 * vsync.c: before the first frame of another mode: frames that wait for a blank of theirs would be
 * shown after it. 0 or -EPIPE.
 */
int x_switch_mode(struct x_window *x, uint8_t mode);
/* Takes in events until that is so. 0, or -EPIPE, also when the server is silent. */
int x_wait_until(struct x_window *x, bool (*said)(const struct x_window *));
/* Requests that show a slot. */
int x_show_put(struct x_window *x, struct x_pixels *pixels, struct x_pending *pending);
int x_show_present(
	struct x_window *x, struct x_pixels *pixels, struct x_pending *pending, uint8_t mode);

/*
 * shared.c: with each frame, before it is shown: what is shared stays, or ends. 0 or -errno.
 */
int x_shared_begin(struct x_window *x, const struct kr_frame *frame) KR_MUST_CHECK;
/* Behind it, once its requests are sent. */
void x_shared_end(struct x_window *x, const struct kr_frame *frame);
/* The slot's buffer goes, or the window. */
void x_shared_forget(struct x_window *x);

/* refresh.c: reads a frame's buffer again and again, in a thread, until it is stopped. */
int x_refresh_start(struct x_window *x, const struct kr_frame *frame, struct x_refresh **refresh)
	KR_MUST_CHECK;
void x_refresh_stop(struct x_refresh *refresh);

/*
 * events.c: takes in what has arrived, without blocking; frames that are done go back to the queue.
 * How much came, or -EPIPE.
 */
int x_take_events(struct x_window *x);
/* The window is lost: everybody hears of it, once. -EPIPE. */
int x_lose(struct x_window *x, const char *why);

#endif
