/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of a Wayland program, shown by the module's sink behind a queue; frames of a picture
 * that tells how it was turned, and of which each is told from the others.
 */
#ifndef KR_TESTS_SURFACE_WAYLAND_WINDOW_H
#define KR_TESTS_SURFACE_WAYLAND_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include "surface/output_module.h"
#include "surface/surface.h"
#include "window/queue/queue.h"

struct wayland_shown {
	const struct kr_output_module *module;
	struct kr_output_window *output;
	struct kr_queue *queue;
	struct kr_queue_input input; /* what frames are queued with */
	uint64_t number;             /* of the newest */
	uint32_t width;
	uint32_t height;
};

/* By the module: 0 or -errno, the rest filled in. `buffers` in all. */
int wayland_shown_open(struct wayland_shown *s, struct wl_display *display,
	struct wl_surface *surface, uint32_t buffers);
void wayland_shown_close(struct wayland_shown *s);

/*
 * A frame of the picture: quarters of pure colours, which are not those of the others with another
 * seed. 0, -ETIMEDOUT, -ENODEV...
 */
int wayland_shown_frame(struct wayland_shown *s, uint32_t format, uint32_t seed, int64_t limit_ns);
/* A frame whose pixels are all this word. */
int wayland_shown_plain(struct wayland_shown *s, uint32_t format, uint32_t word, int64_t limit_ns);
/* The picture, into a buffer that somebody has dequeued. */
void wayland_shown_draw(struct kr_buffer *buffer, uint32_t seed);
/* 0xRRGGBB of a quarter: 0 left of 1, both above 2 and 3. */
uint32_t wayland_shown_colour(uint32_t seed, unsigned quarter);

#endif
