/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of an X server that shows a display's pictures.
 *
 * Nothing here waits for the server once the window is open: requests are sent while they fit into
 * the socket, and a server that reads nothing gets at most what two pictures need. Three ways, by
 * what the server can do:
 *
 *   Present       PresentPixmap of a pixmap that is our memory: the server copies it at the next
 *                 vertical blank and says when that was (COMPLETE), and when it needs the memory no
 *                 more (IDLE). The next picture goes out when the one before has completed.
 *   MIT-SHM       ShmPutImage out of our memory, at once; the answer to a question behind it says
 *                 that it was read.
 *   neither       the pixels themselves, in pieces that fit into the socket, into a pixmap that is
 *                 then copied to the window.
 *
 * Pictures keep their size. A window that is larger has black around them, one that is smaller
 * shows their middle.
 *
 * Measured with Xvfb 21.1.7: see outputs/xcb/x_window.h.
 */
#ifndef KR_OUTPUTS_DISPLAY_X11_X11_H
#define KR_OUTPUTS_DISPLAY_X11_X11_H

#include <stdbool.h>
#include <stdint.h>
#include <xcb/present.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include "outputs/display/slots.h"

/* What the server knows of a slot. */
struct x11_slot {
	xcb_shm_seg_t segment; /* 0: none */
	xcb_pixmap_t pixmap;   /* likewise: of the segment, or one that pixels are sent to */
	uint32_t serial;       /* Present's; 0: it isn't told of any more */
	bool asked;            /* without Present: whether the answer is still to come */
	unsigned cookie;
};

struct x11 {
	struct kr_display_output base; /* first */
	const struct kr_display_output_host *host;
	xcb_connection_t *connection;
	char *server; /* its name, for people */
	const xcb_screen_t *screen;
	xcb_window_t window;
	xcb_gcontext_t gc;
	xcb_colormap_t colormap;
	xcb_visualid_t visual;
	uint8_t depth;
	xcb_atom_t delete_window;
	uint32_t max_request; /* bytes */
	bool shm;
	bool shared_pixmaps;
	bool present;
	uint32_t event_id;
	xcb_special_event_t *special;
	bool mapped;
	bool closed;    /* by its user; told at the next dispatch */
	bool resized;   /* likewise */
	bool broken;    /* told */
	bool moved;     /* a picture on its way may end up where it isn't to be any more */
	bool again;     /* what is shown has to be shown again */
	bool full;      /* the socket: wait for room */
	uint32_t width; /* of the window */
	uint32_t height;
	uint32_t serial;
	bool sending; /* pixels of the slot that waits are on their way */
	uint32_t sent_rows;
	uint64_t last_ust; /* of the last blank that showed something, microseconds */
	uint64_t last_msc;
	int64_t period_ns;
	struct slots slots;
	struct x11_slot known[SLOTS];
};

/* window.c: a window for pictures of this size, not mapped yet. 0 or -errno (told). */
int x11_window_create(struct x11 *x, const char *title, uint32_t width, uint32_t height)
	KR_MUST_CHECK;
/* What the server can do. */
void x11_find_extensions(struct x11 *x);

/* show.c: pictures of another size from now on. */
void x11_resize_pictures(struct x11 *x, uint32_t width, uint32_t height);
/* The server forgets what it knows of the slots. */
void x11_forget_slots(struct x11 *x);
/* Sends what waits, if it may go now. 0 or -errno (told). */
int x11_send(struct x11 *x) KR_MUST_CHECK;

/* events.c: takes in what has come. 0 or -EPIPE (told). */
int x11_take_events(struct x11 *x) KR_MUST_CHECK;
/* The server is gone, or can't be used any more: told once. -EPIPE. */
int x11_lose(struct x11 *x, const char *why);

#endif
