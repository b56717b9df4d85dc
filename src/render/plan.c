/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a picture is made. From the top down each layer has what the opaque ones above it leave; what
 * lies under something translucent is seen, too. That parts the stale pixels of a picture in two:
 *
 *   alone    one opaque layer, or none: written straight from its buffer
 *   blended  something translucent: drawn from the bottom up beside the canvas, a tile at a time
 *
 * A layer without content hides what is below, and nobody knows what it looks like: where it is
 * seen the canvas stays as it is, and stale.
 */
#include "render/render.h"

#include <krafla/native_window.h>

#include "colour/convert.h"
#include "gralloc/buffer.h"
#include "render/place.h"

void
kr_render_plan_init(struct kr_render_plan *plan)
{
	*plan = (struct kr_render_plan){0};
	pixman_region32_init(&plan->bare);
	pixman_region32_init(&plan->bare_alone);
	pixman_region32_init(&plan->blended);
}

static void
clear(struct kr_render_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		pixman_region32_fini(&plan->parts[i].visible);
		pixman_region32_fini(&plan->parts[i].alone);
	}
	plan->count = 0;
	plan->older = false;
	plan->cost = 0;
	plan->stale = NULL;
	pixman_region32_clear(&plan->bare);
	pixman_region32_clear(&plan->bare_alone);
	pixman_region32_clear(&plan->blended);
}

void
kr_render_plan_finish(struct kr_render_plan *plan)
{
	clear(plan);
	pixman_region32_fini(&plan->bare);
	pixman_region32_fini(&plan->bare_alone);
	pixman_region32_fini(&plan->blended);
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

static bool
has_buffer(const struct kr_render_layer *layer)
{
	return layer->buffer && !layer->no_content && !layer->hole;
}

/* The color of a layer as a canvas of 8 bits a channel has it. */
static void
convert_color(struct kr_render_layer *layer, int32_t canvas)
{
	int32_t own = kr_colour_resolve(layer->dataspace, canvas);
	const struct kr_render_color color = layer->color;
	struct kr_colour_conversion conversion;
	uint32_t word;

	if (own == canvas)
		return;
	kr_colour_conversion_init(&conversion, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, own, canvas,
		layer->blend == KR_RENDER_BLEND_PREMULTIPLIED);
	kr_colour_to_words(&conversion, &color, &word, 1, true);
	layer->color = (struct kr_render_color){
		(uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word, (uint8_t)(word >> 24)};
	layer->dataspace = canvas;
}

/* What is seen of a layer, out of `open`; an opaque one leaves `open` without that. */
static void
add_part(struct kr_render_plan *plan, const struct kr_render_layer *layer, pixman_region32_t *open,
	const struct kr_render_scene *scene)
{
	struct kr_render_part *part = &plan->parts[plan->count];
	pixman_box32_t box;

	if ((layer->alpha <= 0 && !layer->hole && !layer->no_content) ||
		!kr_render_frame_box(layer, scene->width, scene->height, &box))
		return;
	*part = (struct kr_render_part){
		.layer = *layer, .opaque = kr_render_layer_is_opaque(layer)};
	pixman_region32_init(&part->visible);
	pixman_region32_intersect_rect(&part->visible, open, box.x1, box.y1,
		(unsigned)(box.x2 - box.x1), (unsigned)(box.y2 - box.y1));
	if (!pixman_region32_not_empty(&part->visible)) {
		pixman_region32_fini(&part->visible);
		return;
	}
	if (part->opaque)
		pixman_region32_subtract(open, open, &part->visible);
	pixman_region32_init(&part->alone);
	if (!layer->buffer && !kr_render_wide_format(plan->dataspace))
		convert_color(&part->layer, plan->dataspace);
	part->cost = kr_render_layer_cost(layer);
	part->seen = area_of(&part->visible);
	plan->count++;
}

/*
 * The order of most pixels that are seen. The canvas changes only for more than it has now, since
 * what stays on it has to be turned around.
 */
static enum kr_pixels_order
choose_order(const struct kr_render_plan *plan, const struct kr_render_scene *scene)
{
	enum kr_pixels_order now = scene->order, order;
	enum kr_pixels_order other = now == KR_PIXELS_XRGB ? KR_PIXELS_XBGR : KR_PIXELS_XRGB;
	uint64_t seen[2] = {0};

	for (unsigned i = 0; i < plan->count; i++) {
		const struct kr_render_part *part = &plan->parts[i];

		if (has_buffer(&part->layer) &&
			kr_render_order_of(
				kr_buffer_get_info(part->layer.buffer)->desc.format, &order))
			seen[order] += part->seen;
	}
	if (scene->fixed_order || kr_render_wide_format(plan->dataspace))
		return now;
	return seen[other] > seen[now] ? other : now;
}

/* One layer that is the picture as it lies there. */
static bool
is_whole_picture(struct kr_render_plan *plan, const struct kr_render_scene *scene)
{
	const struct kr_render_layer *layer = &plan->parts[0].layer;
	struct kr_render_place place;

	if (plan->count != 1 || scene->must_draw || scene->has_alpha || !plan->parts[0].opaque ||
		kr_colour_resolve(layer->dataspace, plan->dataspace) != plan->dataspace ||
		!has_buffer(layer) || pixman_region32_not_empty(&plan->bare))
		return false;
	kr_render_place_find(layer, &place);
	if (!kr_render_place_is_plain(&place))
		return false;
	plan->x = (uint32_t)(place.along.first - place.along.origin);
	plan->y = (uint32_t)(place.down.first - place.down.origin);
	return true;
}

/* What is to be drawn, as a region of a bounded number of boxes. */
static void
init_todo(pixman_region32_t *todo, struct kr_render_plan *plan, const struct kr_render_scene *scene)
{
	pixman_region32_t kept;

	pixman_region32_init(todo);
	if (pixman_region32_n_rects(scene->stale) > KR_RENDER_MAX_STALE)
		pixman_region32_reset(scene->stale, pixman_region32_extents(scene->stale));
	pixman_region32_intersect_rect(
		scene->stale, scene->stale, 0, 0, scene->width, scene->height);
	pixman_region32_copy(todo, scene->stale);
	pixman_region32_init(&kept);
	for (unsigned i = 0; i < plan->count; i++) {
		if (plan->parts[i].layer.no_content)
			pixman_region32_union(&kept, &kept, &plan->parts[i].visible);
	}
	pixman_region32_intersect(&kept, &kept, todo);
	plan->older = pixman_region32_not_empty(&kept);
	pixman_region32_subtract(todo, todo, &kept);
	pixman_region32_fini(&kept);
}

static void
plan_drawing(struct kr_render_plan *plan, const struct kr_render_scene *scene)
{
	pixman_region32_t todo;

	init_todo(&todo, plan, scene);
	for (unsigned i = 0; i < plan->count; i++) {
		struct kr_render_part *part = &plan->parts[i];

		pixman_region32_intersect(&part->visible, &part->visible, &todo);
		if (!part->opaque)
			pixman_region32_union(&plan->blended, &plan->blended, &part->visible);
		plan->cost += area_of(&part->visible) * part->cost;
	}
	for (unsigned i = 0; i < plan->count; i++) {
		struct kr_render_part *part = &plan->parts[i];

		if (part->opaque)
			pixman_region32_subtract(&part->alone, &part->visible, &plan->blended);
	}
	pixman_region32_intersect(&plan->bare, &plan->bare, &todo);
	pixman_region32_subtract(&plan->bare_alone, &plan->bare, &plan->blended);
	plan->cost += area_of(&plan->bare) * sizeof(uint32_t);
	plan->stale = scene->stale;
	pixman_region32_fini(&todo);
}

void
kr_render_plan_make(struct kr_render_plan *plan, const struct kr_render_scene *scene)
{
	clear(plan);
	plan->way = KR_RENDER_NOTHING;
	plan->order = scene->order;
	plan->has_alpha = scene->has_alpha;
	plan->dataspace = kr_colour_resolve(scene->dataspace, HAL_DATASPACE_SRGB);
	if (!scene->wanted)
		return;
	pixman_region32_union_rect(&plan->bare, &plan->bare, 0, 0, scene->width, scene->height);
	for (unsigned i = 0; i < scene->count && pixman_region32_not_empty(&plan->bare); i++)
		add_part(plan, &scene->layers[i], &plan->bare, scene);
	if (is_whole_picture(plan, scene)) {
		const struct kr_render_layer source = plan->parts[0].layer;

		clear(plan);
		plan->way = KR_RENDER_HAND_OVER;
		plan->source = source;
		return;
	}
	plan->way = KR_RENDER_DRAW;
	plan->order = choose_order(plan, scene);
	plan_drawing(plan, scene);
}

bool
kr_render_plan_is_done(struct kr_render_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		if (pixman_region32_not_empty(&plan->parts[i].alone))
			return false;
	}
	return !pixman_region32_not_empty(&plan->bare_alone) &&
		!pixman_region32_not_empty(&plan->blended);
}
