/* SPDX-License-Identifier: Apache-2.0 */
/* See plan.h. */
#include "composer/plan.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"

void
kr_scene_plan_init(struct kr_scene_plan *plan)
{
	*plan = (struct kr_scene_plan){0};
	pixman_region32_init(&plan->black);
}

static void
clear(struct kr_scene_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		pixman_region32_fini(&plan->parts[i].todo);
	plan->count = 0;
	plan->older = false;
	plan->source = (struct kr_scene_layer){0};
	pixman_region32_clear(&plan->black);
}

void
kr_scene_plan_finish(struct kr_scene_plan *plan)
{
	clear(plan);
	pixman_region32_fini(&plan->black);
}

bool
kr_scene_plan_order_of(uint32_t format, enum kr_pixels_order *order)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		*order = KR_PIXELS_XBGR;
		return true;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		*order = KR_PIXELS_XRGB;
		return true;
	default:
		return false;
	}
}

static uint32_t
format_of(const struct kr_scene_layer *layer)
{
	return kr_buffer_get_info(layer->frame->buffer)->desc.format;
}

/* Pixel for pixel: no turn, no scale, no gap at an edge. */
static bool
is_whole_picture(const struct kr_scene_layer *layer, const struct kr_scene *scene)
{
	const struct kr_placement *p = layer->placement;

	return !p->scaled && !p->transform && p->box.left == 0 && p->box.top == 0 &&
		p->box.right == (int32_t)scene->width && p->box.bottom == (int32_t)scene->height;
}

static enum kr_scene_plan_move
move_of(const struct kr_scene_layer *layer, enum kr_pixels_order canvas)
{
	enum kr_pixels_order order;

	if (layer->frame->no_pixels)
		return KR_MOVE_NONE;
	if (layer->placement->scaled || layer->placement->transform)
		return KR_MOVE_SAMPLE;
	return kr_scene_plan_order_of(format_of(layer), &order) && order == canvas
		? KR_MOVE_COPY
		: KR_MOVE_CONVERT;
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

/*
 * The order of most pixels that are seen. The canvas changes only for more than it has now, since
 * what stays on it has to be turned around.
 */
static enum kr_pixels_order
choose_order(const struct kr_scene_plan *plan, enum kr_pixels_order now)
{
	uint64_t seen[2] = {0};
	enum kr_pixels_order order, other = now == KR_PIXELS_XRGB ? KR_PIXELS_XBGR : KR_PIXELS_XRGB;

	for (unsigned i = 0; i < plan->count; i++) {
		const struct kr_scene_plan_part *part = &plan->parts[i];

		if (!part->layer.frame->no_pixels &&
			kr_scene_plan_order_of(format_of(&part->layer), &order))
			seen[order] += part->seen;
	}
	return seen[other] > seen[now] ? other : now;
}

/* What is seen of a layer, out of `open`, which it leaves without that. False: nothing. */
static bool
add_part(struct kr_scene_plan *plan, const struct kr_scene_layer *layer, pixman_region32_t *open)
{
	const android_native_rect_t *box = &layer->placement->box;
	struct kr_scene_plan_part *part = &plan->parts[plan->count];

	*part = (struct kr_scene_plan_part){.layer = *layer};
	pixman_region32_init(&part->todo);
	pixman_region32_intersect_rect(&part->todo, open, box->left, box->top,
		(unsigned)KR_MAX(box->right - box->left, 0),
		(unsigned)KR_MAX(box->bottom - box->top, 0));
	if (!pixman_region32_not_empty(&part->todo)) {
		pixman_region32_fini(&part->todo);
		return false;
	}
	pixman_region32_subtract(open, open, &part->todo);
	part->seen = area_of(&part->todo);
	plan->count++;
	return true;
}

static void
plan_drawing(struct kr_scene_plan *plan, const struct kr_scene *scene)
{
	plan->order = choose_order(plan, scene->order);
	for (unsigned i = 0; i < plan->count; i++) {
		struct kr_scene_plan_part *part = &plan->parts[i];

		part->move = move_of(&part->layer, plan->order);
		pixman_region32_intersect(&part->todo, &part->todo, scene->stale);
		if (part->move != KR_MOVE_NONE || !pixman_region32_not_empty(&part->todo))
			continue;
		plan->older = true;
		pixman_region32_clear(&part->todo);
	}
	pixman_region32_intersect(&plan->black, &plan->black, scene->stale);
}

void
kr_scene_plan_make(struct kr_scene_plan *plan, const struct kr_scene *scene)
{
	clear(plan);
	plan->way = KR_PLAN_NOTHING;
	plan->order = scene->order;
	if (!scene->wanted)
		return;
	pixman_region32_union_rect(&plan->black, &plan->black, 0, 0, scene->width, scene->height);
	for (unsigned i = 0; i < scene->count; i++) {
		if (!pixman_region32_not_empty(&plan->black))
			break;
		(void)add_part(plan, &scene->layers[i], &plan->black);
	}
	if (plan->count == 1 && !scene->must_draw && !plan->parts[0].layer.frame->no_pixels &&
		is_whole_picture(&plan->parts[0].layer, scene)) {
		const struct kr_scene_layer source = plan->parts[0].layer;

		clear(plan);
		plan->way = KR_PLAN_HAND_OVER;
		plan->source = source;
		return;
	}
	plan->way = KR_PLAN_DRAW;
	plan_drawing(plan, scene);
}

bool
kr_scene_plan_is_done(struct kr_scene_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		if (pixman_region32_not_empty(&plan->parts[i].todo))
			return false;
	}
	return !pixman_region32_not_empty(&plan->black);
}
