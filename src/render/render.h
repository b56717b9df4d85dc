/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU renderer: pictures made of layers. Whoever composes uses it, a device that takes layers
 * and a client that draws what a device hands back; it waits for nothing, and knows no fences.
 *
 *   kr_render_plan_make    decides once how a picture is made, from nothing but the scene:
 *       nobody wants to see it                          no pixel is touched; what is stale stays so
 *       one opaque layer is all of it, pixel for pixel  its buffer is the picture
 *       else                                            what is seen and stale is drawn
 *   kr_render_draw         draws that, as far as a budget goes
 *
 * What is drawn is within 1 of 255 of what the exact calculation gives, and exact where nothing is
 * blended, scaled or converted. Channels are blended as they are encoded in the canvas's colour
 * space, to which those of other spaces are converted first (room `colour`). On a canvas of 8 bits
 * a channel pixels of more are rounded to 8 before they are blended; a wide one (wide.c) is drawn
 * in floats. A pixel of the canvas is written once, whatever lies above each other.
 *
 * Thread-safety: one thread at a time for a plan or a canvas.
 */
#ifndef KR_RENDER_RENDER_H
#define KR_RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <krafla/hardware_buffer.h>
#include <pixman.h>
#include "gralloc/pixels.h"
#include "util/macros.h"

struct kr_buffer;
struct kr_render_scratch;

#define KR_RENDER_MAX_LAYERS 65    /* those of a display, and one that is put below */
#define KR_RENDER_MAX_SIZE   16384 /* of canvases and buffers, either way */
#define KR_RENDER_MAX_PLACE  65536 /* edges of frames, to either side of 0 */
#define KR_RENDER_MAX_STALE  256   /* a region of more boxes counts as the box around them */

/* The hardware composer's numbers. */
enum kr_render_blend {
	KR_RENDER_BLEND_NONE = 1,          /* alpha of the pixels means nothing */
	KR_RENDER_BLEND_PREMULTIPLIED = 2, /* color + below * (1 - alpha) */
	KR_RENDER_BLEND_COVERAGE = 3,      /* color * alpha + below * (1 - alpha) */
};

struct kr_render_crop {
	float left;
	float top;
	float right;
	float bottom;
};

struct kr_render_color {
	uint8_t r;
	uint8_t g;
	uint8_t b;
	uint8_t a;
};

struct kr_render_layer {
	void *owner;              /* whoever asks knows */
	struct kr_buffer *buffer; /* NULL: `color` all over; borrowed */
	/* Its pixels aren't there: the canvas stays as it is where it is seen. */
	bool no_content;
	/* A canvas with alpha gets transparent there; its frame counts alone. */
	bool hole;
	/* In the buffer's pixels; what is outside is left out. Empty, or nothing left: all. */
	struct kr_render_crop crop;
	/* On the canvas, beyond its edges too; empty: nothing is seen. */
	ARect frame;
	int32_t transform; /* NATIVE_WINDOW_TRANSFORM_*: of the crop on its way to the frame */
	int32_t blend;     /* enum kr_render_blend */
	float alpha;       /* from 0 to 1: of the layer as a whole */
	/* Of a layer without a buffer; blended as pixels of that value would be. */
	struct kr_render_color color;
	int32_t dataspace; /* HAL_DATASPACE_*, one that is known: of its pixels, or its color */
};

/*
 * 0; -EINVAL: numbers out of their bounds (what is no number is), or a buffer that can't have its
 * pixels; -EOPNOTSUPP: a format that isn't known here. A layer of a scene has passed this.
 */
int kr_render_layer_check(const struct kr_render_layer *layer) KR_MUST_CHECK;
/* Whether nothing below it is seen where it is. */
bool kr_render_layer_is_opaque(const struct kr_render_layer *layer);
/* Whether both put the pixels of their buffers (one size) in the same places, in the same way. */
bool kr_render_layer_same_place(const struct kr_render_layer *a, const struct kr_render_layer *b);
/* Adds the part of a canvas of that size that a layer covers. */
void kr_render_layer_add_frame(const struct kr_render_layer *layer, uint32_t width, uint32_t height,
	pixman_region32_t *region);
/* Adds what a part of its buffer has a say in: scaled, its neighbours too. */
void kr_render_layer_add_damage(const struct kr_render_layer *layer, uint32_t width,
	uint32_t height, const ARect *damage, pixman_region32_t *region);
/* Bytes that are read and written for a pixel of it, on the average; 1 at least. */
uint64_t kr_render_layer_cost(const struct kr_render_layer *layer);

struct kr_render_scene {
	uint32_t width;
	uint32_t height;
	enum kr_pixels_order order; /* the canvas's now */
	bool fixed_order;           /* and it can't have another */
	bool has_alpha;             /* where no layer is, it is transparent; else black */
	bool wanted;                /* by anybody */
	bool must_draw;             /* no buffer is handed over */
	/* Where the canvas isn't as the layers have it. What is drawn is taken out of it. */
	pixman_region32_t *stale;
	int32_t dataspace; /* HAL_DATASPACE_*: the canvas's; UNKNOWN: sRGB */
	struct kr_render_layer layers[KR_RENDER_MAX_LAYERS]; /* from the top down */
	unsigned count;
};

enum kr_render_way {
	KR_RENDER_NOTHING,   /* no pixel is touched */
	KR_RENDER_HAND_OVER, /* the picture is the buffer of one layer, as it is */
	KR_RENDER_DRAW,
};

/* One layer's part of a picture that is drawn. */
struct kr_render_part {
	struct kr_render_layer layer;
	uint64_t cost;             /* kr_render_layer_cost */
	uint64_t seen;             /* pixels of it that no opaque layer hides, stale or not */
	pixman_region32_t visible; /* those that are stale and not under a layer without content */
	pixman_region32_t
		alone; /* of an opaque layer: where nothing lies on it; what is done leaves */
	bool opaque;
};

struct kr_render_plan {
	enum kr_render_way way;
	struct kr_render_layer source; /* of KR_RENDER_HAND_OVER: its pixels begin at x, y */
	uint32_t x;
	uint32_t y;
	enum kr_pixels_order order; /* that the canvas is to have */
	bool has_alpha;
	int32_t dataspace; /* the canvas's, never UNKNOWN */
	bool older;        /* something that is seen and stale has no content */
	struct kr_render_part
		parts[KR_RENDER_MAX_LAYERS]; /* of those that are seen, from the top down */
	unsigned count;
	pixman_region32_t bare;       /* stale, without an opaque layer */
	pixman_region32_t bare_alone; /* and without any; what is done leaves */
	pixman_region32_t blended;    /* stale, with something translucent; what is done leaves */
	pixman_region32_t *stale;     /* the scene's */
	uint64_t cost;                /* bytes that drawing it all takes */
};

void kr_render_plan_init(struct kr_render_plan *plan);
/* Safe on one that is zeroed. */
void kr_render_plan_finish(struct kr_render_plan *plan);
/* Replaces what was planned. Buffers and the stale region are borrowed until the next time. */
void kr_render_plan_make(struct kr_render_plan *plan, const struct kr_render_scene *scene);
/* Whether there is nothing left to draw. */
bool kr_render_plan_is_done(struct kr_render_plan *plan);
/* Which of the two orders has this format's bytes; false: neither. */
bool kr_render_order_of(uint32_t format, enum kr_pixels_order *order);
/* Whether pixels of a format have alpha. */
bool kr_render_has_alpha(uint32_t format);
/* What a canvas of a colour space is drawn in, where 8 bits a channel are too few; else 0. */
uint32_t kr_render_wide_format(int32_t dataspace);

struct kr_render_canvas {
	uint32_t width;
	uint32_t height;
	uint32_t row_bytes; /* a multiple of 4 */
	uint32_t pixel_bytes;
	int32_t dataspace;    /* never UNKNOWN */
	uint32_t wide_format; /* AHARDWAREBUFFER_FORMAT_*; 0: 8 bits a channel, in `order` */
	enum kr_pixels_order order;
	bool has_alpha;                    /* the X of its pixels is one; of wide ones alpha */
	uint8_t *pixels;                   /* NULL: nothing was drawn yet */
	bool own;                          /* the memory of the pixels */
	struct kr_render_scratch *scratch; /* comes when it is needed, and stays */
};

/*
 * One that has memory of its own, from the first drawing on: black, KR_PIXELS_XRGB. -EINVAL for a
 * size of 0 or above KR_RENDER_MAX_SIZE.
 */
int kr_render_canvas_init(struct kr_render_canvas *canvas, uint32_t width, uint32_t height)
	KR_MUST_CHECK;
/* The same of a colour space, and wide where that wants it. */
int kr_render_canvas_init_colour(struct kr_render_canvas *canvas, uint32_t width, uint32_t height,
	int32_t dataspace) KR_MUST_CHECK;
/* Over memory of the caller's, for a zeroed canvas, or one that had such before. -EINVAL: sizes. */
int kr_render_canvas_wrap(struct kr_render_canvas *canvas, void *pixels, uint32_t width,
	uint32_t height, uint32_t row_bytes, enum kr_pixels_order order, bool has_alpha)
	KR_MUST_CHECK;
/*
 * The same over pixels of a format, 8 bits in either order, R10G10B10A2 or R16G16B16A16_FLOAT, and
 * a colour space. -EINVAL: sizes; -EOPNOTSUPP another format, or 8 bits for a wide space.
 */
int kr_render_canvas_wrap_colour(struct kr_render_canvas *canvas, void *pixels, uint32_t width,
	uint32_t height, uint32_t row_bytes, uint32_t format, int32_t dataspace, bool has_alpha)
	KR_MUST_CHECK;
/* Safe on one that is zeroed. */
void kr_render_canvas_finish(struct kr_render_canvas *canvas);
/* Memory for its pixels, if there is none yet. -ENOMEM. */
int kr_render_canvas_reserve(struct kr_render_canvas *canvas) KR_MUST_CHECK;
/* AHARDWAREBUFFER_FORMAT_* of its pixels. */
uint32_t kr_render_canvas_format(const struct kr_render_canvas *canvas);

/*
 * Draws what the plan has to draw, from the top left, until that cost *budget bytes; a piece at
 * least. What is done is taken out of the plan and of the stale region, and *written grows by the
 * bytes of the canvas that were written. 0: all is done; 1: the budget is used up; -errno: the
 * layer of *failed can't be read, and nothing was drawn by this call (-ETIME: somebody writes into
 * its buffer, a dma-buf; -EINVAL, -ENOMEM); -ENOMEM with *failed NULL: no memory for the canvas.
 */
int kr_render_draw(struct kr_render_plan *plan, struct kr_render_canvas *canvas, uint64_t *budget,
	uint64_t *written, const struct kr_render_layer **failed) KR_MUST_CHECK;

#endif
