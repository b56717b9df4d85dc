/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a picture of layers.
 *
 * Layers are opaque, so each pixel of the canvas is one pixel of the topmost layer there: a
 * picture costs what its own pixels cost, however many layers there are, and what nobody
 * sees costs nothing. And it keeps: only what has changed is drawn, that is where a frame
 * came, was replaced or went.
 *
 *   stale = what is seen of the places of frames that came and went
 *   from the top down: draw (stale and under the layer); what is left goes to the
 *   layers below; then black
 *
 * How much a pixel costs is up to its producer (format, scale, turns), and a tick can't take all of
 * it. The work of a tick is a number of bytes for each pixel of the canvas, and a layer has as much
 * of it as it has pixels; no time is measured, so that the same frames are drawn at the same tick
 * whatever else a machine does. A frame that needs more isn't put on screen at once (stage.c). What
 * such a frame still has to draw when a layer above uncovers it, or goes, is drawn at the next
 * pictures, as much at each as it may.
 */
#include "composer/picture.h"

#include <errno.h>
#include <stdlib.h>

#include "composer/display.h"
#include "util/log.h"

int
kr_picture_init(struct kr_picture *picture, uint32_t width, uint32_t height)
{
	uint64_t pixels = (uint64_t)width * height;
	int err = kr_canvas_init(&picture->canvas, width, height);

	if (err)
		return err;
	picture->stage.pixels = malloc((size_t)picture->canvas.row_bytes * height);
	if (!picture->stage.pixels) {
		kr_canvas_finish(&picture->canvas);
		return -ENOMEM;
	}
	picture->least = picture->work =
		KR_MAX(pixels * KR_PICTURE_PIXEL_BYTES, KR_PICTURE_LEAST_BYTES);
	pixman_region32_init(&picture->stale);
	pixman_region32_init(&picture->stage.shown);
	pixman_region32_init(&picture->stage.todo);
	return 0;
}

void
kr_picture_finish(struct kr_picture *picture)
{
	if (!picture->canvas.pixels)
		return;
	pixman_region32_fini(&picture->stale);
	pixman_region32_fini(&picture->stage.shown);
	pixman_region32_fini(&picture->stage.todo);
	free(picture->stage.pixels);
	kr_canvas_finish(&picture->canvas);
}

static void
add_box(pixman_region32_t *region, const android_native_rect_t *box)
{
	if (box->left < box->right && box->top < box->bottom)
		pixman_region32_union_rect(region, region, box->left, box->top,
			(unsigned)(box->right - box->left), (unsigned)(box->bottom - box->top));
}

/* What can't be drawn is told once a producer, and its layer stays out. */
static void
refuse_frame(struct kr_producer *producer, int err)
{
	if (!producer->refused)
		kr_error("display: frames of %s (pid %d) can't be drawn (error %d)",
			kr_consumer_label(producer->consumer), kr_consumer_pid(producer->consumer),
			-err);
	producer->refused = true;
}

static bool
is_layer(const struct kr_producer *producer)
{
	return producer->on_screen && producer->placed && !producer->failed;
}

void
kr_picture_add_layer(pixman_region32_t *covered, const struct kr_producer *producer)
{
	if (is_layer(producer))
		add_box(covered, &producer->placement.box);
}

void
kr_picture_init_covered(pixman_region32_t *covered, const struct kr_producer *below)
{
	const struct kr_producer *producer;

	pixman_region32_init(covered);
	kr_list_for_each_back (producer, &below->display->producers, link) {
		if (producer == below)
			break;
		kr_picture_add_layer(covered, producer);
	}
}

/* What is seen of a producer's place has changed. */
static void
mark_stale(const struct kr_producer *producer)
{
	pixman_region32_t *stale = &producer->display->picture.stale, covered, seen;

	kr_picture_init_covered(&covered, producer);
	pixman_region32_init(&seen);
	add_box(&seen, &producer->placement.box);
	pixman_region32_subtract(&seen, &seen, &covered);
	pixman_region32_union(stale, stale, &seen);
	pixman_region32_fini(&seen);
	pixman_region32_fini(&covered);
}

void
kr_picture_put(struct kr_producer *producer)
{
	const struct kr_canvas *canvas = &producer->display->picture.canvas;
	int err = kr_canvas_place(canvas, &producer->current, &producer->placement);

	producer->placed = err == 0;
	producer->failed = false;
	if (err)
		refuse_frame(producer, err);
	else
		mark_stale(producer);
}

void
kr_picture_take_away(struct kr_producer *producer)
{
	if (producer->placed)
		mark_stale(producer);
	producer->placed = false;
}

void
kr_picture_forget_staged(const struct kr_producer *producer)
{
	struct kr_stage *stage = &producer->display->picture.stage;

	if (stage->producer == producer)
		stage->producer = NULL;
}

void
kr_picture_begin(struct kr_display *display)
{
	struct kr_picture *picture = &display->picture;
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if (!producer->failed)
			continue;
		producer->failed = false;
		add_box(&picture->stale, &producer->placement.box);
	}
}

uint32_t
kr_picture_layers(const struct kr_display *display)
{
	const struct kr_producer *producer;
	uint32_t layers = 0;

	kr_list_for_each (producer, &display->producers, link)
		layers += is_layer(producer);
	return layers;
}

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

/*
 * Draws a layer in `part`, as far as the budget goes, and takes what is done from
 * `part` and `stale`.
 */
static int
draw_layer(struct kr_picture *picture, const struct kr_producer *producer, pixman_region32_t *part,
	uint64_t *budget)
{
	struct kr_canvas *canvas = &picture->canvas;
	android_native_rect_t box;

	while (*budget && kr_picture_first_box(part, &box)) {
		int err = kr_canvas_draw(canvas, canvas->pixels, &producer->current,
			&producer->placement, &box, budget);

		if (err)
			return err;
		kr_picture_take_box(part, &box);
		kr_picture_take_box(&picture->stale, &box);
	}
	return 0;
}

static uint64_t
area_of(pixman_region32_t *region)
{
	int count;
	const pixman_box32_t *at = pixman_region32_rectangles(region, &count);
	uint64_t area = 0;

	for (int i = 0; i < count; i++)
		area += (uint64_t)(at[i].x2 - at[i].x1) * (uint64_t)(at[i].y2 - at[i].y1);
	return area;
}

bool
kr_picture_spares(const struct kr_picture *picture, const struct kr_frame *frame,
	const struct kr_placement *placement)
{
	uint64_t pixels = (uint64_t)picture->canvas.width * picture->canvas.height;

	return kr_canvas_pixel_cost(frame, placement) <= picture->work / pixels;
}

/*
 * The part of a tick's work that what is seen of a layer has; all that it asks for
 * when that is no more.
 */
static uint64_t
share_of(const struct kr_picture *picture, const struct kr_producer *producer,
	pixman_region32_t *seen)
{
	uint64_t pixels = (uint64_t)picture->canvas.width * picture->canvas.height;

	if (kr_picture_spares(picture, &producer->current, &producer->placement))
		return UINT64_MAX;
	return picture->work / pixels * area_of(seen);
}

/*
 * One layer's turn. `open`: what no layer above covers. False: it can't be drawn, and those below
 * have to be looked at again.
 */
static bool
take_turn(struct kr_display *display, struct kr_producer *producer, pixman_region32_t *open,
	uint64_t *slice)
{
	struct kr_picture *picture = &display->picture;
	const android_native_rect_t *box = &producer->placement.box;
	bool real = display->config.clock == KR_CLOCK_REAL;
	uint64_t share, before;
	pixman_region32_t part;
	int err = 0;

	pixman_region32_init(&part);
	pixman_region32_intersect_rect(&part, open, box->left, box->top,
		(unsigned)KR_MAX(box->right - box->left, 0),
		(unsigned)KR_MAX(box->bottom - box->top, 0));
	share = before = real ? share_of(picture, producer, &part) : *slice;
	pixman_region32_subtract(open, open, &part);
	pixman_region32_intersect(&part, &part, &picture->stale);
	if (pixman_region32_not_empty(&part))
		err = draw_layer(picture, producer, &part, &share);
	pixman_region32_fini(&part);
	picture->spent += before - share;
	*slice = real ? *slice : share;
	if (!err)
		return true;
	refuse_frame(producer, err);
	producer->failed = true;
	add_box(&picture->stale, box);
	return false;
}

/* Where no layer is. */
static void
draw_nothing(struct kr_picture *picture, pixman_region32_t *open)
{
	int count;
	const pixman_box32_t *at;

	pixman_region32_intersect(open, open, &picture->stale);
	at = pixman_region32_rectangles(open, &count);
	for (int i = 0; i < count; i++) {
		const android_native_rect_t box = {at[i].x1, at[i].y1, at[i].x2, at[i].y2};

		kr_canvas_clear(&picture->canvas, &box);
	}
	pixman_region32_subtract(&picture->stale, &picture->stale, open);
}

/* One walk through the layers; false when one of them could not be drawn. */
static bool
draw_layers(struct kr_display *display, uint64_t *slice)
{
	struct kr_picture *picture = &display->picture;
	struct kr_producer *producer;
	pixman_region32_t open;
	bool good = true;

	pixman_region32_init_rect(&open, 0, 0, picture->canvas.width, picture->canvas.height);
	kr_list_for_each_back (producer, &display->producers, link) {
		if (!*slice || !pixman_region32_not_empty(&open))
			break;
		if (is_layer(producer))
			good = take_turn(display, producer, &open, slice);
		if (!good)
			break;
	}
	if (good && *slice)
		draw_nothing(picture, &open);
	pixman_region32_fini(&open);
	return good;
}

bool
kr_picture_draw(struct kr_display *display)
{
	uint64_t slice = KR_PICTURE_SLICE_BYTES;

	while (pixman_region32_not_empty(&display->picture.stale) && !draw_layers(display, &slice))
		; /* without that one, then */
	return !pixman_region32_not_empty(&display->picture.stale);
}
