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
#include "composer/sample.h"
#include "util/macros.h"
#include "window/queue/frame.h"

#define KR_CANVAS_MAX 16384

struct kr_canvas {
	uint32_t width;
	uint32_t height;
	uint32_t row_bytes;
	uint32_t *pixels;
	enum kr_pixels_order order;
	struct kr_sampler sampler;
};

/* Black; KR_PIXELS_XRGB. -EINVAL for a size of 0 or above KR_CANVAS_MAX, -ENOMEM. */
int kr_canvas_init(struct kr_canvas *canvas, uint32_t width, uint32_t height) KR_MUST_CHECK;
/* Safe on a zeroed canvas. */
void kr_canvas_finish(struct kr_canvas *canvas);
/* Makes a part black. */
void kr_canvas_clear(struct kr_canvas *canvas, const android_native_rect_t *box);
/*
 * Turns a part around that is to be kept when `order` changes, of pixels that are the canvas's own
 * or as large.
 */
void kr_canvas_swap(
	const struct kr_canvas *canvas, uint32_t *pixels, const android_native_rect_t *box);
/* AHARDWAREBUFFER_FORMAT_* of the canvas. */
uint32_t kr_canvas_format(const struct kr_canvas *canvas);

/*
 * Where a frame goes: its crop, turned by its transform, at 0,0 in its own size, or scaled to the
 * canvas when its scaling mode says so. -EINVAL when the frame's buffer can't have its pixels,
 * -EOPNOTSUPP when their format isn't known here.
 */
int kr_canvas_place(const struct kr_canvas *canvas, const struct kr_frame *frame,
	struct kr_placement *placement) KR_MUST_CHECK;

/*
 * What it takes to draw a frame, in bytes that are read and written, for each pixel of the canvas.
 */
uint64_t kr_canvas_pixel_cost(const struct kr_frame *frame, const struct kr_placement *placement);

/* Where a frame's pixels can be read, and from which on. Errors as of kr_canvas_draw. */
int kr_canvas_open(const struct kr_frame *frame, void **data) KR_MUST_CHECK;
/*
 * Draws a frame's pixels in a part of `box`, which lies inside the placement's, and leaves that
 * part there: from the top left, as many rows as cost no more than *budget, one at least, and of a
 * turned frame some columns. *budget: what is left; 0 when that is no row more. `pixels` is the
 * canvas's own or as large. Waits for nothing. -EOPNOTSUPP for a format that isn't known here,
 * -ETIME when somebody writes into the buffer (a dma-buf), -EINVAL, -ENOMEM.
 */
int kr_canvas_draw(struct kr_canvas *canvas, uint32_t *pixels, const struct kr_frame *frame,
	const struct kr_placement *placement, android_native_rect_t *box, uint64_t *budget)
	KR_MUST_CHECK;

#endif
