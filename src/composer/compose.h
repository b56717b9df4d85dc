/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canvas: the picture that a display shows, and drawing frames of producers into it on the CPU.
 * Thread-safety: one thread at a time.
 */
#ifndef KR_COMPOSER_COMPOSE_H
#define KR_COMPOSER_COMPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"
#include "window/frame.h"

#define KR_CANVAS_MAX 16384

struct kr_canvas {
	uint32_t width;
	uint32_t height;
	uint32_t row_bytes;
	uint32_t *pixels; /* B, G, R, X */
	union pixman_image *image;
	uint32_t *converted; /* room for a frame that pixman can't read as it is; grows */
	size_t converted_size;
};

/* Black. -EINVAL for a size of 0 or above KR_CANVAS_MAX, -ENOMEM. */
int kr_canvas_init(struct kr_canvas *canvas, uint32_t width, uint32_t height) KR_MUST_CHECK;
/* Safe on a zeroed canvas. */
void kr_canvas_finish(struct kr_canvas *canvas);
void kr_canvas_clear(struct kr_canvas *canvas);

/*
 * Where a frame goes, in pixels of the canvas: its crop, turned by its transform, at 0,0 in its own
 * size, or scaled to the canvas when its scaling mode says so.
 */
struct kr_placement {
	android_native_rect_t source; /* in the buffer; not empty, inside it */
	double x;                     /* of the destination, before clipping */
	double y;
	double width;
	double height;
	bool scaled;
};

/* -EINVAL when the frame's buffer has no pixels. */
int kr_canvas_place(const struct kr_canvas *canvas, const struct kr_frame *frame,
	struct kr_placement *placement) KR_MUST_CHECK;
/* Whether nothing below shows. Layers are opaque: alpha is not looked at. */
bool kr_canvas_covers(const struct kr_canvas *canvas, const struct kr_placement *placement);
/*
 * Waits for nothing. -EOPNOTSUPP for a format that isn't known here, -ETIME when somebody writes into the
 * buffer (a dma-buf), -EINVAL, -ENOMEM.
 */
int kr_canvas_draw(struct kr_canvas *canvas, const struct kr_frame *frame,
	const struct kr_placement *placement) KR_MUST_CHECK;

#endif
