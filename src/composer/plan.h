/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a picture is made: decided once, before anything of it is done, and from nothing but what is
 * told here. Layers are opaque, so each pixel of a picture is one of the topmost layer there:
 *
 *   nobody wants to see it                          nothing is done, and what is stale stays so
 *   the topmost layer that is seen is all of it,    its buffer is the picture
 *   pixel for pixel
 *   else, from the top down                         what is seen of a layer and stale is drawn;
 *                                                   where no layer is, it gets black
 *
 * Thread-safety: one thread at a time.
 */
#ifndef KR_COMPOSER_PLAN_H
#define KR_COMPOSER_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <pixman.h>
#include "composer/sample.h"
#include "gralloc/pixels.h"
#include "util/macros.h"
#include "window/queue/frame.h"

#define KR_PLAN_MAX_LAYERS 64

enum kr_scene_plan_way {
	KR_PLAN_NOTHING,   /* no pixel is touched */
	KR_PLAN_HAND_OVER, /* outputs get the buffer of one layer as it is */
	KR_PLAN_DRAW,
};

/* How pixels of a layer come onto the canvas. */
enum kr_scene_plan_move {
	KR_MOVE_NONE,    /* they don't: the frame has none, and what is there stays */
	KR_MOVE_COPY,    /* as they are */
	KR_MOVE_CONVERT, /* row by row */
	KR_MOVE_SAMPLE,  /* turned, flipped or scaled */
};

struct kr_scene_layer {
	void *owner;                          /* whoever asks knows */
	const struct kr_frame *frame;         /* whose buffer has pixels */
	const struct kr_placement *placement; /* of that frame */
};

/* What is to be planned. */
struct kr_scene {
	uint32_t width;
	uint32_t height;
	enum kr_pixels_order order; /* the canvas's now */
	bool wanted;                /* by anybody */
	bool must_draw;             /* no buffer is handed over */
	pixman_region32_t *stale;   /* where the canvas isn't as the layers have it */
	struct kr_scene_layer layers[KR_PLAN_MAX_LAYERS]; /* from the top down */
	unsigned count;
};

/* One layer's part. */
struct kr_scene_plan_part {
	struct kr_scene_layer layer;
	enum kr_scene_plan_move move;
	uint64_t seen;          /* pixels of it that are seen, drawn or not */
	pixman_region32_t todo; /* what is to be drawn; who draws takes away what is done */
};

struct kr_scene_plan {
	enum kr_scene_plan_way way;
	struct kr_scene_layer source; /* of KR_PLAN_HAND_OVER */
	enum kr_pixels_order order;   /* that the canvas is to have */
	struct kr_scene_plan_part
		parts[KR_PLAN_MAX_LAYERS]; /* of KR_PLAN_DRAW, from the top down */
	unsigned count;
	pixman_region32_t black; /* likewise */
	bool older;              /* something that is seen has no pixels: it shows what it showed */
};

void kr_scene_plan_init(struct kr_scene_plan *plan);
void kr_scene_plan_finish(struct kr_scene_plan *plan);
/* Replaces what was planned. The scene's frames and placements are borrowed until the next time. */
void kr_scene_plan_make(struct kr_scene_plan *plan, const struct kr_scene *scene);
/* Whether there is nothing left to draw. */
bool kr_scene_plan_is_done(struct kr_scene_plan *plan);
/* Which of the two orders has this format's bytes; false: neither. */
bool kr_scene_plan_order_of(uint32_t format, enum kr_pixels_order *order);

#endif
