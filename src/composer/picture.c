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
 */
#include "composer/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "composer/display.h"
#include "util/log.h"

void
kr_picture_init(struct kr_picture *picture)
{
	kr_scene_plan_init(&picture->plan);
	/* It is black, as a display without windows is. */
	pixman_region32_init(&picture->stale);
	pixman_region32_init(&picture->stage.shown);
	pixman_region32_init(&picture->stage.todo);
}

int
kr_picture_open(struct kr_picture *picture, uint32_t width, uint32_t height)
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
	return 0;
}

void
kr_picture_finish(struct kr_picture *picture)
{
	kr_scene_plan_finish(&picture->plan);
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
	return producer->on_screen && producer->placed && !producer->failed && producer->visible;
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
	kr_list_for_each_back (producer, &below->display->stack, in_stack) {
		if (producer == below)
			break;
		kr_picture_add_layer(covered, producer);
	}
}

/* What is seen of a part of a producer's place has changed. */
static void
mark_stale(const struct kr_producer *producer, pixman_region32_t *part)
{
	pixman_region32_t *stale = &producer->display->picture.stale, covered;

	kr_picture_init_covered(&covered, producer);
	pixman_region32_subtract(part, part, &covered);
	pixman_region32_union(stale, stale, part);
	pixman_region32_fini(&covered);
}

static void
mark_box(const struct kr_producer *producer, const android_native_rect_t *box)
{
	pixman_region32_t part;

	pixman_region32_init(&part);
	add_box(&part, box);
	mark_stale(producer, &part);
	pixman_region32_fini(&part);
}

static bool
same_rect(const android_native_rect_t *a, const android_native_rect_t *b)
{
	return a->left == b->left && a->top == b->top && a->right == b->right &&
		a->bottom == b->bottom;
}

static bool
same_place(const struct kr_placement *a, const struct kr_placement *b)
{
	return same_rect(&a->source, &b->source) && same_rect(&a->box, &b->box) && a->x == b->x &&
		a->y == b->y && a->width == b->width && a->height == b->height &&
		a->transform == b->transform;
}

/*
 * Whether a frame's damage says all that has changed of its layer: it is in the place of the frame
 * that it is the damage from, and what that one showed isn't turned.
 */
static bool
damage_counts(const struct kr_producer *producer, const struct kr_placement *before)
{
	const struct kr_frame *frame = &producer->current;

	return producer->placed && !producer->failed && !producer->skipped && !frame->no_pixels &&
		frame->damage_count && !before->transform &&
		same_place(before, &producer->placement);
}

/* The pixels of the canvas that a part of the buffer has a say in: scaled, a neighbour's too. */
static void
add_damage(pixman_region32_t *region, const struct kr_placement *p,
	const android_native_rect_t *damage)
{
	double margin = p->scaled ? 1 : 0;
	double across = p->width / (p->source.right - p->source.left);
	double down = p->height / (p->source.bottom - p->source.top);
	android_native_rect_t box = {
		.left = (int32_t)fmax(p->box.left,
			floor(p->x + (damage->left - p->source.left - margin) * across)),
		.top = (int32_t)fmax(
			p->box.top, floor(p->y + (damage->top - p->source.top - margin) * down)),
		.right = (int32_t)fmin(p->box.right,
			ceil(p->x + (damage->right - p->source.left + margin) * across)),
		.bottom = (int32_t)fmin(p->box.bottom,
			ceil(p->y + (damage->bottom - p->source.top + margin) * down)),
	};

	if (damage->left < damage->right && damage->top < damage->bottom)
		add_box(region, &box);
}

static void
mark_damage(const struct kr_producer *producer)
{
	pixman_region32_t damage;

	pixman_region32_init(&damage);
	for (uint32_t i = 0; i < producer->current.damage_count; i++)
		add_damage(&damage, &producer->placement, &producer->current.damage[i]);
	mark_stale(producer, &damage);
	pixman_region32_fini(&damage);
}

/*
 * Where a frame goes. What isn't scaled or turned lies at 0,0 for who draws it, so that its rows
 * are moved as they are.
 */
int
kr_picture_place(const struct kr_producer *producer, const struct kr_frame *frame,
	struct kr_placement *placement)
{
	const struct kr_layout_shape shape = kr_producer_shape(frame);
	struct kr_layout_spot spot;
	struct kr_placement p;
	uint32_t width, height;
	int err = kr_canvas_place(&producer->display->picture.canvas, frame, &p);

	if (err)
		return err;
	kr_producer_find_spot(producer, &shape, &spot);
	kr_layout_shape_size(&shape, &width, &height);
	p.box = spot.frame;
	p.x = spot.x;
	p.y = spot.y;
	p.width = spot.width;
	p.height = spot.height;
	p.scaled = p.width != width || p.height != height;
	if (!p.scaled && !p.transform) {
		p.source.left -= (int32_t)p.x;
		p.source.right -= (int32_t)p.x;
		p.source.top -= (int32_t)p.y;
		p.source.bottom -= (int32_t)p.y;
		p.x = p.y = 0;
	}
	p.scaled |= p.x != 0 || p.y != 0;
	*placement = p;
	return 0;
}

void
kr_picture_put(struct kr_producer *producer)
{
	const struct kr_placement before = producer->placement;
	int err = kr_picture_place(producer, &producer->current, &producer->placement);

	if (err == 0 && damage_counts(producer, &before)) {
		mark_damage(producer);
	} else {
		if (producer->placed)
			mark_box(producer, &before.box);
		if (err == 0)
			mark_box(producer, &producer->placement.box);
	}
	producer->placed = err == 0;
	producer->failed = false;
	producer->skipped = producer->current.no_pixels;
	if (err)
		refuse_frame(producer, err);
}

void
kr_picture_take_away(struct kr_producer *producer)
{
	if (producer->placed)
		mark_box(producer, &producer->placement.box);
	producer->placed = false;
}

void
kr_picture_arrange(struct kr_display *display)
{
	struct kr_picture *picture = &display->picture;
	struct kr_producer *producer;

	kr_list_for_each (producer, &display->producers, link) {
		if (producer->on_screen && producer->placed &&
			kr_picture_place(producer, &producer->current, &producer->placement))
			producer->placed = false;
	}
	kr_stage_begin_again(display);
	pixman_region32_union_rect(&picture->stale, &picture->stale, 0, 0, picture->canvas.width,
		picture->canvas.height);
}

void
kr_picture_count_seen(struct kr_display *display, int64_t now)
{
	struct kr_producer *producer;
	pixman_region32_t covered, seen;

	pixman_region32_init(&covered);
	pixman_region32_init(&seen);
	kr_list_for_each_back (producer, &display->stack, in_stack) {
		if (producer->fresh) {
			pixman_region32_clear(&seen);
			kr_picture_add_layer(&seen, producer);
			pixman_region32_subtract(&seen, &seen, &covered);
			kr_producer_count_shown(producer, pixman_region32_not_empty(&seen), now);
		}
		producer->fresh = false;
		kr_picture_add_layer(&covered, producer);
	}
	pixman_region32_fini(&seen);
	pixman_region32_fini(&covered);
}

void
kr_picture_forget_staged(const struct kr_producer *producer)
{
	struct kr_stage *stage = &producer->display->picture.stage;

	if (stage->producer == producer)
		stage->producer = NULL;
}

void
kr_picture_plan(struct kr_display *display)
{
	struct kr_picture *picture = &display->picture;
	struct kr_scene scene = {
		.width = picture->canvas.width,
		.height = picture->canvas.height,
		.order = picture->canvas.order,
		.wanted = picture->wanted,
		.stale = &picture->stale,
	};
	struct kr_producer *producer;

	kr_list_for_each_back (producer, &display->stack, in_stack) {
		if (is_layer(producer) && scene.count < KR_PLAN_MAX_LAYERS)
			scene.layers[scene.count++] = (struct kr_scene_layer){
				producer, &producer->current, &producer->placement};
	}
	kr_scene_plan_make(&picture->plan, &scene);
}

void
kr_picture_begin(struct kr_display *display, bool wanted)
{
	struct kr_picture *picture = &display->picture;
	struct kr_producer *producer;

	picture->wanted = wanted;
	picture->drawn = 0;
	kr_list_for_each (producer, &display->producers, link) {
		if (!producer->failed)
			continue;
		producer->failed = false;
		add_box(&picture->stale, &producer->placement.box);
	}
	kr_picture_plan(display);
}

void
kr_picture_fail(struct kr_producer *producer, int err)
{
	refuse_frame(producer, err);
	producer->failed = true;
	add_box(&producer->display->picture.stale, &producer->placement.box);
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
