/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a display shows: its canvas, which parts of it aren't as they should be, and how much may be
 * done about that at a time. Thread-safety: the display's thread.
 */
#ifndef KR_COMPOSER_PICTURE_H
#define KR_COMPOSER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <pixman.h>
#include "composer/compose.h"
#include "composer/plan.h"
#include "util/macros.h"

struct kr_display;
struct kr_producer;

/*
 * Bytes that are read and written for a tick: for each pixel of the canvas, and at least. Enough
 * for each pixel to be scaled from 8-bit formats, or converted from the widest; a processor does it
 * in a fraction of 1/60 s.
 */
#define KR_PICTURE_PIXEL_BYTES UINT64_C(32)
#define KR_PICTURE_LEAST_BYTES (UINT64_C(4) << 20)
/* So many times as much while there is one producer alone: nobody else waits. */
#define KR_PICTURE_ALONE UINT64_C(4)
/*
 * On the virtual clock a picture is drawn in pieces of so many bytes; between them
 * the display answers.
 */
#define KR_PICTURE_SLICE_BYTES (UINT64_C(16) << 20)
/* A frame that takes more than that is prepared by this part of it at a tick. */
#define KR_PICTURE_STAGE_PART 4

/* A frame on its way to the screen, drawn beside the canvas over several ticks. One at a time. */
struct kr_stage {
	uint32_t *pixels;             /* as large as the canvas; memory comes when it is written */
	struct kr_producer *producer; /* whose; NULL: none */
	struct kr_placement placement;
	pixman_region32_t shown; /* what is seen of it, as it was when it began */
	pixman_region32_t todo;
	uint64_t turns; /* how many began */
};

struct kr_picture {
	struct kr_canvas canvas;
	pixman_region32_t stale;   /* what isn't as the frames on screen have it */
	struct kr_scene_plan plan; /* of the picture that is made, or was last */
	bool wanted;               /* somebody wants to see that one */
	uint64_t drawn;            /* bytes of the canvas that were written for it */
	uint64_t least;            /* bytes that any tick may do */
	uint64_t work;             /* this one */
	uint64_t spent;            /* bytes of the last tick */
	struct kr_stage stage;
};

void kr_picture_init(struct kr_picture *picture);
/* Once its size is known. */
int kr_picture_open(struct kr_picture *picture, uint32_t width, uint32_t height) KR_MUST_CHECK;
static inline bool
kr_picture_is_open(const struct kr_picture *picture)
{
	return picture->canvas.pixels;
}
void kr_picture_finish(struct kr_picture *picture);

/* A producer's frame is on screen from now on: finds its place. Or isn't any more. */
void kr_picture_put(struct kr_producer *producer);
void kr_picture_take_away(struct kr_producer *producer);
/* Where a frame of a producer goes. Errors as of kr_canvas_place. */
int kr_picture_place(const struct kr_producer *producer, const struct kr_frame *frame,
	struct kr_placement *placement) KR_MUST_CHECK;
/* Finds all places anew. */
void kr_picture_arrange(struct kr_display *display);
/* Counts frames that came on screen: whether anything of them is seen. */
void kr_picture_count_seen(struct kr_display *display, int64_t now);
/* Nothing is prepared for the producer any more. */
void kr_picture_forget_staged(const struct kr_producer *producer);

/*
 * The first of the calls that make a picture: plans it. What could not be drawn is tried again.
 * `wanted`: by anybody.
 */
void kr_picture_begin(struct kr_display *display, bool wanted);
/* Plans it anew, as the layers are now. */
void kr_picture_plan(struct kr_display *display);
/*
 * Does what the plan says, and display->frame has the pixels, or none when nobody wants them. Real
 * clock: each layer has the part of the tick's work that it has of the canvas; what takes more
 * stays stale until the next picture. Virtual clock: a slice. Whether the picture is as it should
 * be.
 */
bool kr_picture_draw(struct kr_display *display);
/* The last one: it was shown. */
void kr_picture_end(struct kr_display *display);
/* A layer that can't be drawn is out of this picture; the plan is to be made anew. */
void kr_picture_fail(struct kr_producer *producer, int err);
/* Whether each pixel of a frame costs no more than a tick has for a pixel. */
bool kr_picture_spares(const struct kr_picture *picture, const struct kr_frame *frame,
	const struct kr_placement *placement);
/* One of the boxes of a region, false when it is empty; taking one away. */
bool kr_picture_first_box(pixman_region32_t *region, android_native_rect_t *box);
void kr_picture_take_box(pixman_region32_t *region, const android_native_rect_t *box);
/* Adds what a producer's layer covers; makes a region of what all above it do. */
void kr_picture_add_layer(pixman_region32_t *covered, const struct kr_producer *producer);
void kr_picture_init_covered(pixman_region32_t *covered, const struct kr_producer *below);
/* How many windows are in it, hidden ones too. */
uint32_t kr_picture_layers(const struct kr_display *display);

/* --- stage.c --- */

/*
 * Whether a frame can be drawn at the tick that shows it: little enough of work for what is seen of
 * it. `covered`: what lies under the producers above.
 */
bool kr_stage_spares(const struct kr_producer *producer, const struct kr_frame *frame,
	pixman_region32_t *covered);
/* Places have changed. */
void kr_stage_begin_again(struct kr_display *display);
/* A tick's part of preparing the others, in turns. Whether one came on screen. */
bool kr_stage_run(struct kr_display *display);

#endif
