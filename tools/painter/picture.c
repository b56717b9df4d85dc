/* SPDX-License-Identifier: Apache-2.0 */
/* See picture.h. */
#include "tools/painter/picture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "render/place.h"

#define MOST_BOXES 64 /* of a part, whose needs are looked at one by one */

void
kr_paint_picture_init(struct kr_paint_picture *picture)
{
	memset(picture, 0, sizeof(*picture));
	kr_render_plan_init(&picture->plan);
	pixman_region32_init(&picture->stale);
	pixman_region32_init(&picture->todo);
}

/* --- the message --- */

static int
read_layer(const struct kr_pp_layer *in, const struct kr_paint_sources *sources,
	struct kr_render_layer *out)
{
	struct kr_paint_source *source = NULL;

	if (in->kind >= KR_PAINTER_LAYER_KINDS)
		return -EPROTO;
	*out = (struct kr_render_layer){
		.no_content = in->kind == KR_PAINTER_LAYER_NO_CONTENT,
		.hole = in->kind == KR_PAINTER_LAYER_HOLE,
		.crop = {kr_painter_float_of(in->crop_left), kr_painter_float_of(in->crop_top),
			kr_painter_float_of(in->crop_right), kr_painter_float_of(in->crop_bottom)},
		.frame = {in->left, in->top, in->right, in->bottom},
		.transform = in->transform,
		.blend = in->blend,
		.alpha = kr_painter_float_of(in->alpha),
		.color = {(uint8_t)in->color, (uint8_t)(in->color >> 8), (uint8_t)(in->color >> 16),
			(uint8_t)(in->color >> 24)},
	};
	if (kr_render_layer_check(out))
		return -EPROTO;
	if (in->kind != KR_PAINTER_LAYER_BUFFER)
		return 0;
	source = kr_paint_sources_find(sources, in->buffer);
	if (!source)
		return -EPROTO;
	out->owner = source;
	out->buffer = source->buffer;
	return 0;
}

static int
read_scene(struct kr_paint_picture *picture, const struct kr_pp_draw *draw,
	const struct kr_paint_sources *sources)
{
	struct kr_render_scene *scene = &picture->scene;

	if (!draw->width || !draw->height || draw->width > KR_RENDER_MAX_SIZE ||
		draw->height > KR_RENDER_MAX_SIZE || draw->order > KR_PIXELS_XBGR)
		return -EPROTO;
	scene->width = draw->width;
	scene->height = draw->height;
	scene->order = (enum kr_pixels_order)draw->order;
	scene->fixed_order = scene->wanted = scene->must_draw = true;
	scene->has_alpha = draw->has_alpha;
	scene->stale = &picture->stale;
	scene->count = draw->layers_count;
	pixman_region32_clear(&picture->stale);
	for (unsigned i = 0; i < draw->stale_count; i++) {
		const struct kr_pp_rect *rect = &draw->stale[i];
		const ARect box = {KR_MAX(rect->left, 0), KR_MAX(rect->top, 0),
			KR_MIN(rect->right, (int32_t)draw->width),
			KR_MIN(rect->bottom, (int32_t)draw->height)};

		if (box.left < box.right && box.top < box.bottom)
			pixman_region32_union_rect(&picture->stale, &picture->stale, box.left,
				box.top, (unsigned)(box.right - box.left),
				(unsigned)(box.bottom - box.top));
	}
	for (unsigned i = 0; i < scene->count; i++) {
		if (read_layer(&draw->layers[i], sources, &scene->layers[i]))
			return -EPROTO;
	}
	return 0;
}

/* --- layers in the shader's words --- */

/* As 32.32. */
static void
put_fixed(double value, uint32_t out[2])
{
	int64_t fixed = (int64_t)floor(value * 4294967296.0 + 0.5);

	out[0] = (uint32_t)((uint64_t)fixed >> 32);
	out[1] = (uint32_t)fixed;
}

/* Where pixel `at` of the canvas lies in the buffer, and how far the next one is from there. */
static void
put_axis(const struct kr_render_axis *axis, bool scaled, int32_t at, uint32_t out[4])
{
	double part = (at + 0.5 - axis->origin) / axis->length, step = axis->size / axis->length;
	double start = axis->from + (axis->reversed ? 1 - part : part) * axis->size - 0.5;

	if (!scaled) {
		step = 1;
		start = axis->reversed ? axis->last - (at - axis->origin)
				       : axis->first + (at - axis->origin);
	}
	put_fixed(start, out);
	put_fixed(axis->reversed ? -step : step, out + 2);
}

static void
put_buffer(const struct kr_render_layer *layer, const struct kr_paint_source *source,
	struct kr_paint_layer *out)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(layer->buffer);
	struct kr_render_place place;

	kr_render_place_find(layer, &place);
	put_axis(&place.along, place.scaled, out->box[0], out->along);
	put_axis(&place.down, place.scaled, out->box[1], out->down);
	out->edges[0] = place.along.first;
	out->edges[1] = place.along.last;
	out->edges[2] = place.down.first;
	out->edges[3] = place.down.last;
	out->flags |= KR_PAINT_LAYER_BUFFER;
	out->flags |= source->is_image ? KR_PAINT_LAYER_IMAGE : 0;
	out->flags |= place.scaled ? KR_PAINT_LAYER_SCALED : 0;
	out->flags |= place.turned ? KR_PAINT_LAYER_TURNED : 0;
	out->flags |= kr_render_has_alpha(info->desc.format) ? 0 : KR_PAINT_LAYER_FULL;
	out->decoding = source->decoding;
	out->row_bytes = info->row_bytes;
}

static void
put_layer(struct kr_paint_picture *picture, uint32_t i)
{
	const struct kr_render_layer *layer = &picture->plan.parts[i].layer;
	struct kr_paint_layer *out = &picture->layers[i];
	pixman_box32_t box = {0};

	(void)kr_render_frame_box(layer, picture->scene.width, picture->scene.height, &box);
	*out = (struct kr_paint_layer){
		.box = {box.x1, box.y1, box.x2, box.y2},
		.color = {layer->color.r, layer->color.g, layer->color.b, layer->color.a},
		.plane = {layer->alpha},
		.flags = picture->plan.parts[i].opaque ? KR_PAINT_LAYER_OPAQUE : 0,
	};
	picture->sources[i] = NULL;
	if (layer->hole)
		out->flags |= KR_PAINT_LAYER_HOLE;
	if (layer->blend == KR_RENDER_BLEND_NONE)
		out->flags |= KR_PAINT_LAYER_FULL;
	else if (layer->blend == KR_RENDER_BLEND_COVERAGE)
		out->flags |= KR_PAINT_LAYER_COVERAGE;
	if (!layer->buffer)
		return;
	picture->sources[i] = layer->owner;
	put_buffer(layer, layer->owner, out);
}

/* --- passes --- */

static void
begin_pass(struct kr_paint_pass *pass, uint32_t high)
{
	*pass = (struct kr_paint_pass){.low = 0, .high = high, .variant = {.plain = true}};
}

/* A source's slot in a pass; false: they are all taken. */
static bool
take_slot(struct kr_paint_pass *pass, struct kr_paint_source *source, uint32_t *slot)
{
	struct kr_paint_source **slots = source->is_image ? pass->images : pass->words;
	uint32_t *count = source->is_image ? &pass->variant.images : &pass->variant.words;
	uint32_t i = 0;

	while (i < *count && slots[i] != source)
		i++;
	if (i == KR_PAINT_SLOTS)
		return false;
	if (i == *count)
		++*count;
	slots[i] = source;
	*slot = i;
	pass->variant.plain &=
		source->decoding == KR_PAINT_RGBA8 || source->decoding == KR_PAINT_BGRA8;
	return true;
}

static void
part_passes(struct kr_paint_picture *picture)
{
	struct kr_paint_pass *pass = &picture->passes[0];

	begin_pass(pass, picture->count);
	picture->pass_count = 1;
	for (uint32_t i = picture->count; i-- > 0;) {
		struct kr_paint_source *source = picture->sources[i];
		uint32_t *slot = &picture->layers[i].slot;

		if (!source)
			continue;
		if (take_slot(pass, source, slot))
			continue;
		pass->low = i + 1;
		pass = &picture->passes[picture->pass_count++];
		begin_pass(pass, i + 1);
		(void)take_slot(pass, source, slot);
	}
}

/* --- tiles --- */

static uint32_t
tiles_along(int32_t from, int32_t to, uint32_t size)
{
	return ((uint32_t)(to - from) + size - 1) / size;
}

static void
count_tiles(struct kr_paint_picture *picture)
{
	int count;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&picture->todo, &count);

	picture->tile_count = 0;
	for (int i = 0; i < count; i++)
		picture->tile_count += tiles_along(boxes[i].x1, boxes[i].x2, KR_PAINT_TILE_WIDTH) *
			tiles_along(boxes[i].y1, boxes[i].y2, KR_PAINT_TILE_HEIGHT);
}

/* Layers that are in it, from the top down to one that hides what is below in all of it. */
static void
put_mask(const struct kr_paint_picture *picture, const pixman_box32_t *box, uint32_t mask[4])
{
	memset(mask, 0, 4 * sizeof(*mask));
	for (uint32_t i = 0; i < picture->count; i++) {
		const int32_t *layer = picture->layers[i].box;

		if (layer[0] >= box->x2 || layer[1] >= box->y2 || layer[2] <= box->x1 ||
			layer[3] <= box->y1)
			continue;
		mask[i / 32] |= 1u << i % 32;
		if ((picture->layers[i].flags & KR_PAINT_LAYER_OPAQUE) && layer[0] <= box->x1 &&
			layer[1] <= box->y1 && layer[2] >= box->x2 && layer[3] >= box->y2)
			return;
	}
}

static struct kr_paint_tile *
put_tiles(const struct kr_paint_picture *picture, const pixman_box32_t *all,
	struct kr_paint_tile *tile)
{
	for (int32_t y = all->y1; y < all->y2; y += KR_PAINT_TILE_HEIGHT) {
		for (int32_t x = all->x1; x < all->x2; x += KR_PAINT_TILE_WIDTH, tile++) {
			const pixman_box32_t box = {x, y, KR_MIN(all->x2, x + KR_PAINT_TILE_WIDTH),
				KR_MIN(all->y2, y + KR_PAINT_TILE_HEIGHT)};

			tile->left = (uint32_t)x;
			tile->top = (uint32_t)y;
			tile->width = (uint32_t)(box.x2 - x);
			tile->height = (uint32_t)(box.y2 - y);
			put_mask(picture, &box, tile->mask);
		}
	}
	return tile;
}

void
kr_paint_picture_tiles(const struct kr_paint_picture *picture, struct kr_paint_tile *tiles)
{
	int count;
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)&picture->todo, &count);

	for (int i = 0; i < count; i++)
		tiles = put_tiles(picture, &boxes[i], tiles);
}

/* --- all --- */

int
kr_paint_picture_plan(struct kr_paint_picture *picture, const struct kr_pp_draw *draw,
	const struct kr_paint_sources *sources)
{
	int err = read_scene(picture, draw, sources);

	if (err)
		return err;
	kr_render_plan_make(&picture->plan, &picture->scene);
	picture->count = picture->plan.count;
	pixman_region32_copy(&picture->todo, &picture->plan.bare);
	for (uint32_t i = 0; i < picture->count; i++) {
		pixman_region32_union(
			&picture->todo, &picture->todo, &picture->plan.parts[i].visible);
		put_layer(picture, i);
	}
	part_passes(picture);
	count_tiles(picture);
	return 0;
}

/* The pixels of an axis that those from `low` to before `high` of the canvas read. */
static void
find_span(const struct kr_render_axis *axis, bool scaled, int32_t low, int32_t high, int32_t *first,
	int32_t *end)
{
	double step = axis->size / axis->length, from = (low - axis->origin) * step,
	       to = (high - axis->origin) * step, margin = scaled ? 1 : 0, swap;

	if (axis->reversed) {
		swap = axis->size - from;
		from = axis->size - to;
		to = swap;
	}
	*first = (int32_t)fmax(axis->first, floor(axis->from + from - margin));
	*end = (int32_t)fmin(axis->last + 1, ceil(axis->from + to + margin));
}

static void
add_needs(const struct kr_render_place *place, const pixman_box32_t *box, pixman_region32_t *region)
{
	int32_t along[2], down[2];

	find_span(&place->along, place->scaled, box->x1, box->x2, &along[0], &along[1]);
	find_span(&place->down, place->scaled, box->y1, box->y2, &down[0], &down[1]);
	if (along[0] >= along[1] || down[0] >= down[1])
		return;
	if (place->turned)
		pixman_region32_union_rect(region, region, down[0], along[0],
			(unsigned)(down[1] - down[0]), (unsigned)(along[1] - along[0]));
	else
		pixman_region32_union_rect(region, region, along[0], down[0],
			(unsigned)(along[1] - along[0]), (unsigned)(down[1] - down[0]));
}

void
kr_paint_picture_needs(struct kr_paint_picture *picture, uint32_t part, pixman_region32_t *region)
{
	pixman_region32_t *visible = &picture->plan.parts[part].visible;
	struct kr_render_place place;
	const pixman_box32_t *boxes;
	int count;

	kr_render_place_find(&picture->plan.parts[part].layer, &place);
	boxes = pixman_region32_rectangles(visible, &count);
	if (count > MOST_BOXES) {
		boxes = pixman_region32_extents(visible);
		count = 1;
	}
	for (int i = 0; i < count; i++)
		add_needs(&place, &boxes[i], region);
}
