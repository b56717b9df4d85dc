/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doing what a picture's plan says. What can't be read drops out of the picture, and a new plan is
 * made without it.
 *
 * How much a pixel costs is up to its producer (format, scale, turns), and a tick can't take all of
 * it. The work of a tick is a number of bytes for each pixel of the canvas, and a layer has as much
 * of it as it has pixels; no time is measured, so that the same frames are drawn at the same tick
 * whatever else a machine does. A frame that needs more isn't put on screen at once (stage.c). What
 * such a frame still has to draw when a layer above uncovers it, or goes, is drawn at the next
 * pictures, as much at each as it may.
 */
#include "composer/picture.h"

#include "composer/display.h"
#include "gralloc/buffer.h"

bool
kr_picture_first_box(pixman_region32_t *region, android_native_rect_t *box)
{
	int count;
	const pixman_box32_t *at = pixman_region32_rectangles(region, &count);

	if (count)
		*box = (android_native_rect_t){at->x1, at->y1, at->x2, at->y2};
	return count;
}

void
kr_picture_take_box(pixman_region32_t *region, const android_native_rect_t *box)
{
	pixman_region32_t taken;

	pixman_region32_init_rect(&taken, box->left, box->top, (unsigned)(box->right - box->left),
		(unsigned)(box->bottom - box->top));
	pixman_region32_subtract(region, region, &taken);
	pixman_region32_fini(&taken);
}

bool
kr_picture_spares(const struct kr_picture *picture, const struct kr_frame *frame,
	const struct kr_placement *placement)
{
	uint64_t pixels = (uint64_t)picture->canvas.width * picture->canvas.height;

	return kr_canvas_pixel_cost(frame, placement) <= picture->work / pixels;
}

static void
count_drawn(struct kr_picture *picture, const android_native_rect_t *box)
{
	picture->drawn += (uint64_t)(box->right - box->left) * (uint64_t)(box->bottom - box->top) *
		sizeof(uint32_t);
}

/* Draws a part as far as the budget goes; what is done is neither to do nor stale any more. */
static int
draw_part(struct kr_picture *picture, struct kr_scene_plan_part *part, uint64_t *budget)
{
	struct kr_canvas *canvas = &picture->canvas;
	android_native_rect_t box;

	while (*budget && kr_picture_first_box(&part->todo, &box)) {
		int err = kr_canvas_draw(canvas, canvas->pixels, part->layer.frame,
			part->layer.placement, &box, budget);

		if (err)
			return err;
		count_drawn(picture, &box);
		kr_picture_take_box(&part->todo, &box);
		kr_picture_take_box(&picture->stale, &box);
	}
	return 0;
}

/*
 * The part of a tick's work that what is seen of a layer has; all that it asks for
 * when that is no more.
 */
static uint64_t
share_of(const struct kr_picture *picture, const struct kr_scene_plan_part *part)
{
	uint64_t pixels = (uint64_t)picture->canvas.width * picture->canvas.height;

	if (kr_picture_spares(picture, part->layer.frame, part->layer.placement))
		return UINT64_MAX;
	return picture->work / pixels * part->seen;
}

/* Where no layer is. */
static void
draw_nothing(struct kr_picture *picture)
{
	android_native_rect_t box;

	while (kr_picture_first_box(&picture->plan.black, &box)) {
		kr_canvas_clear(&picture->canvas, &box);
		count_drawn(picture, &box);
		kr_picture_take_box(&picture->plan.black, &box);
		kr_picture_take_box(&picture->stale, &box);
	}
}

static void
turn(struct kr_picture *picture, uint32_t *pixels, pixman_region32_t *region)
{
	int count;
	const pixman_box32_t *at = pixman_region32_rectangles(region, &count);

	for (int i = 0; i < count; i++) {
		const android_native_rect_t box = {at[i].x1, at[i].y1, at[i].x2, at[i].y2};

		kr_canvas_swap(&picture->canvas, pixels, &box);
		count_drawn(picture, &box);
	}
}

/* Gives the canvas the order that the plan wants: what stays on it, or is prepared, is turned. */
static void
turn_canvas(struct kr_picture *picture)
{
	struct kr_canvas *canvas = &picture->canvas;
	pixman_region32_t kept;

	if (canvas->order == picture->plan.order)
		return;
	pixman_region32_init_rect(&kept, 0, 0, canvas->width, canvas->height);
	pixman_region32_subtract(&kept, &kept, &picture->stale);
	turn(picture, canvas->pixels, &kept);
	if (picture->stage.producer) {
		pixman_region32_subtract(&kept, &picture->stage.shown, &picture->stage.todo);
		turn(picture, picture->stage.pixels, &kept);
	}
	pixman_region32_fini(&kept);
	canvas->order = picture->plan.order;
}

/*
 * Real clock: each layer has its share, and what takes more stays stale until the next picture.
 * Virtual clock: a slice for all of them.
 */
static struct kr_scene_plan_part *
draw_parts(struct kr_display *display, int *err)
{
	struct kr_picture *picture = &display->picture;
	bool real = display->config.clock == KR_CLOCK_REAL;
	uint64_t slice = KR_PICTURE_SLICE_BYTES;

	turn_canvas(picture);
	for (unsigned i = 0; i < picture->plan.count && slice; i++) {
		struct kr_scene_plan_part *part = &picture->plan.parts[i];
		uint64_t share = real ? share_of(picture, part) : slice, before = share;

		*err = draw_part(picture, part, &share);
		picture->spent += before - share;
		slice = real ? slice : share;
		if (*err)
			return part;
	}
	if (slice)
		draw_nothing(picture);
	return NULL;
}

/* The picture is a buffer, if that can be read. */
static int
hand_over(struct kr_display *display)
{
	const struct kr_scene_layer *source = &display->picture.plan.source;
	const struct kr_buffer_info *info = kr_buffer_get_info(source->frame->buffer);
	struct kr_composed_frame *frame = &display->frame;
	const struct kr_producer *owner;
	void *data;
	int err = kr_canvas_open(source->frame, &data);

	if (!err)
		err = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, 0);
	if (err)
		return err;
	owner = source->owner;
	frame->hold = kr_holds_offer(
		display->holds, owner->own_number, source->frame->number, source->frame->buffer);
	frame->format = info->desc.format;
	frame->row_bytes = info->row_bytes;
	frame->pixels = (const uint8_t *)data +
		(size_t)source->placement->source.top * info->row_bytes +
		(size_t)source->placement->source.left * kr_format_bytes(info->desc.format);
	return 0;
}

static void
show_canvas(struct kr_display *display)
{
	const struct kr_canvas *canvas = &display->picture.canvas;

	display->frame.format = kr_canvas_format(canvas);
	display->frame.row_bytes = canvas->row_bytes;
	display->frame.pixels = canvas->pixels;
}

bool
kr_picture_draw(struct kr_display *display)
{
	struct kr_picture *picture = &display->picture;

	for (;;) {
		struct kr_scene_plan_part *part;
		struct kr_producer *failed = NULL;
		int err = 0;

		switch (picture->plan.way) {
		case KR_PLAN_NOTHING:
			return true;
		case KR_PLAN_HAND_OVER:
			err = hand_over(display);
			if (err)
				failed = picture->plan.source.owner;
			break;
		case KR_PLAN_DRAW:
			part = draw_parts(display, &err);
			failed = part ? part->layer.owner : NULL;
			break;
		}
		if (!failed)
			break;
		kr_picture_fail(failed, err); /* without that one, then */
		kr_picture_plan(display);
	}
	if (picture->plan.way == KR_PLAN_DRAW)
		show_canvas(display);
	return picture->plan.way == KR_PLAN_HAND_OVER || kr_scene_plan_is_done(&picture->plan);
}

void
kr_picture_end(struct kr_display *display)
{
	const struct kr_scene_plan *plan = &display->picture.plan;

	if (plan->way == KR_PLAN_HAND_OVER)
		kr_buffer_end_cpu(kr_buffer_get_info(plan->source.frame->buffer), KR_DMA_BUF_READ);
}
