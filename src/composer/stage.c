/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that take more work than a tick has for them (real clock). What is seen of such a frame is
 * drawn beside the canvas, a piece a tick, and comes on screen when it is whole; until then the
 * frame before it stays. One frame at a time, so that there is one such picture however many
 * producers there are, and in turns, so that each gets its own: in the order of the list, beginning
 * after the last one. All that they take of a tick together is a part of its work.
 *
 * A frame waits out of its queue here, because a later one may not take its place any more: a
 * producer that always has a newer one would never be shown.
 */
#include "composer/picture.h"

#include <string.h>

#include "composer/display.h"

/* What is seen of a placement where `covered` is hidden. */
static void
init_seen(pixman_region32_t *seen, const struct kr_placement *placement, pixman_region32_t *covered)
{
	const android_native_rect_t *box = &placement->box;

	pixman_region32_init_rect(seen, box->left, box->top,
		(unsigned)KR_MAX(box->right - box->left, 0),
		(unsigned)KR_MAX(box->bottom - box->top, 0));
	pixman_region32_subtract(seen, seen, covered);
}

bool
kr_stage_spares(const struct kr_producer *producer, const struct kr_frame *frame,
	pixman_region32_t *covered)
{
	const struct kr_picture *picture = &producer->display->picture;
	struct kr_placement placement;
	pixman_region32_t seen;
	bool hidden;

	if (frame->no_pixels || !producer->visible || kr_picture_place(producer, frame, &placement))
		return true; /* nothing will be drawn */
	if (kr_picture_spares(picture, frame, &placement))
		return true;
	init_seen(&seen, &placement, covered);
	hidden = !pixman_region32_not_empty(&seen);
	pixman_region32_fini(&seen);
	return hidden;
}

/* The next producer, in turn, whose frame has to be prepared. */
static struct kr_producer *
next_in_turn(struct kr_display *display)
{
	struct kr_producer *producer, *next = NULL;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->costly && (!next || producer->staged_at < next->staged_at))
			next = producer;
	}
	return next;
}

/* What is seen of the frame as things are now is to be drawn, all of it. */
static void
start_over(struct kr_stage *stage)
{
	struct kr_producer *producer = stage->producer;
	pixman_region32_t covered, seen;

	pixman_region32_clear(&stage->shown);
	/* It has a place: that was seen when it was found to be costly. */
	if (producer->visible &&
		kr_picture_place(producer, &producer->coming, &stage->placement) == 0) {
		kr_picture_init_covered(&covered, producer);
		init_seen(&seen, &stage->placement, &covered);
		pixman_region32_copy(&stage->shown, &seen);
		pixman_region32_fini(&seen);
		pixman_region32_fini(&covered);
	}
	pixman_region32_copy(&stage->todo, &stage->shown);
}

void
kr_stage_begin_again(struct kr_display *display)
{
	if (display->picture.stage.producer)
		start_over(&display->picture.stage);
}

static bool
begin(struct kr_display *display)
{
	struct kr_stage *stage = &display->picture.stage;
	struct kr_producer *producer = next_in_turn(display);

	if (!producer || !kr_producer_stage(producer))
		return false;
	producer->costly = false;
	producer->staged_at = ++stage->turns;
	stage->producer = producer;
	start_over(stage);
	return true;
}

/*
 * Draws on; what can't be drawn is left to kr_picture_draw, which tells it. Whether
 * the frame is whole.
 */
static bool
work(struct kr_picture *picture, uint64_t *budget)
{
	struct kr_stage *stage = &picture->stage;
	android_native_rect_t box;

	while (*budget && kr_picture_first_box(&stage->todo, &box)) {
		if (kr_canvas_draw(&picture->canvas, stage->pixels, &stage->producer->coming,
			    &stage->placement, &box, budget)) {
			pixman_region32_clear(&stage->todo);
			pixman_region32_clear(&stage->shown);
			break;
		}
		kr_picture_take_box(&stage->todo, &box);
	}
	return !pixman_region32_not_empty(&stage->todo);
}

/* What was prepared comes onto the canvas where it is still seen. */
static void
finish(struct kr_display *display)
{
	struct kr_picture *picture = &display->picture;
	struct kr_stage *stage = &picture->stage;
	uint32_t width = picture->canvas.width;
	pixman_region32_t covered;
	const pixman_box32_t *at;
	int count;

	kr_producer_show_staged(stage->producer);
	kr_picture_init_covered(&covered, stage->producer);
	pixman_region32_subtract(&stage->shown, &stage->shown, &covered);
	pixman_region32_fini(&covered);
	at = pixman_region32_rectangles(&stage->shown, &count);
	for (; count > 0; count--, at++) {
		for (int32_t y = at->y1; y < at->y2; y++) {
			size_t first = (size_t)y * width + (size_t)at->x1;

			memcpy(picture->canvas.pixels + first, stage->pixels + first,
				(size_t)(at->x2 - at->x1) * sizeof(uint32_t));
		}
	}
	pixman_region32_subtract(&picture->stale, &picture->stale, &stage->shown);
	stage->producer = NULL;
}

bool
kr_stage_run(struct kr_display *display)
{
	struct kr_picture *picture = &display->picture;
	uint64_t whole = picture->work / KR_PICTURE_STAGE_PART, budget = whole;
	bool changed = false;

	while (budget && (picture->stage.producer || begin(display)) && work(picture, &budget)) {
		finish(display);
		changed = true;
	}
	picture->spent += whole - budget;
	return changed;
}
