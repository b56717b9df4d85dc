/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doing what a plan says.
 *
 * Where one opaque layer lies alone its rows are written straight to the canvas. Elsewhere a tile
 * of the picture is made beside it (tile.c), then written. So the canvas is never read, and each of
 * its pixels written once, however many layers there are.
 */
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "render/place.h"
#include "render/scratch.h"
#include "render/tile.h"
#include "render/wide.h"

static bool
first_box(pixman_region32_t *region, pixman_box32_t *box)
{
	int count;
	const pixman_box32_t *at = pixman_region32_rectangles(region, &count);

	if (count)
		*box = *at;
	return count;
}

static void
take_box(pixman_region32_t *region, const pixman_box32_t *box)
{
	pixman_region32_t taken;

	pixman_region32_init_rect(&taken, box->x1, box->y1, (unsigned)(box->x2 - box->x1),
		(unsigned)(box->y2 - box->y1));
	pixman_region32_subtract(region, region, &taken);
	pixman_region32_fini(&taken);
}

/* The canvas has a box as it should be. */
static void
finish_box(struct kr_render_work *work, pixman_region32_t *todo, const pixman_box32_t *box)
{
	take_box(todo, box);
	take_box(work->plan->stale, box);
	*work->written += (uint64_t)(box->x2 - box->x1) * (uint64_t)(box->y2 - box->y1) *
		work->canvas->pixel_bytes;
}

/* How many rows of this cost the budget has; it pays for them, and with what is no whole row. */
static int32_t
take_rows(uint64_t *budget, uint64_t row_cost, int32_t height)
{
	uint64_t rows = KR_MIN(KR_MAX(*budget / row_cost, UINT64_C(1)), (uint64_t)height);

	*budget -= KR_MIN(rows * row_cost, *budget);
	if (*budget < row_cost)
		*budget = 0;
	return (int32_t)rows;
}

/* --- Colors --- */

/* Of one that hides what is below. */
static uint32_t
opaque_color(const struct kr_render_layer *layer, enum kr_pixels_order order)
{
	uint32_t first = order == KR_PIXELS_XRGB ? layer->color.b : layer->color.r;
	uint32_t third = order == KR_PIXELS_XRGB ? layer->color.r : layer->color.b;

	if (layer->hole)
		return 0;
	return KR_RENDER_ALPHA | third << 16 | (uint32_t)layer->color.g << 8 | first;
}

/* Where no layer is. */
static uint32_t
bare_color(const struct kr_render_work *work)
{
	return work->plan->has_alpha ? 0 : KR_RENDER_ALPHA;
}

static void
fill(uint32_t *to, uint32_t color, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = color;
}

/* --- Straight to the canvas --- */

static void
fill_box(const struct kr_render_canvas *canvas, const pixman_box32_t *box, uint32_t color)
{
	for (int32_t y = box->y1; y < box->y2; y++)
		fill(kr_render_pixel_at(canvas, box->x1, y), color, (uint32_t)(box->x2 - box->x1));
}

/* Rows of another colour space. */
static void
convert_rows(const struct kr_render_canvas *canvas, const struct kr_render_layer *layer,
	const uint8_t *from, const pixman_box32_t *box)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(layer->buffer);
	uint32_t width = (uint32_t)(box->x2 - box->x1);
	struct kr_colour_conversion conversion;

	kr_colour_conversion_init(&conversion, info->desc.format,
		kr_colour_resolve(layer->dataspace, canvas->dataspace), canvas->dataspace, false);
	for (int32_t y = box->y1; y < box->y2; y++, from += info->row_bytes) {
		uint32_t *to = kr_render_pixel_at(canvas, box->x1, y);

		kr_colour_to_words(&conversion, from, to, width, canvas->order == KR_PIXELS_XRGB);
		for (uint32_t x = 0; canvas->has_alpha && x < width; x++)
			to[x] |= KR_RENDER_ALPHA;
	}
}

/* On a canvas with alpha. */
static void
move_full_row(const struct kr_buffer_info *info, enum kr_pixels_order order, const void *from,
	uint32_t *to, uint32_t count)
{
	enum kr_pixels_order own;
	const uint32_t *pixels = from;

	if (!kr_render_order_of(info->desc.format, &own) || own != order) {
		kr_pixels_row(info->desc.format, order)(from, to, count);
		pixels = to;
	}
	for (uint32_t i = 0; i < count; i++)
		to[i] = pixels[i] | KR_RENDER_ALPHA;
}

/*
 * Rows that come as they lie there, pixel for pixel; all in one go where nothing lies between them.
 */
static void
move_rows(struct kr_render_work *work, const struct kr_render_layer *layer,
	const struct kr_render_place *place, const uint8_t *from, const pixman_box32_t *box)
{
	const struct kr_render_canvas *canvas = work->canvas;
	const struct kr_buffer_info *info = kr_buffer_get_info(layer->buffer);
	kr_pixels_row_fn row = kr_pixels_row(info->desc.format, canvas->order);
	uint32_t bytes = kr_format_bytes(info->desc.format);
	uint32_t width = (uint32_t)(box->x2 - box->x1);

	from += (size_t)(place->down.first + box->y1 - place->down.origin) * info->row_bytes +
		(size_t)(place->along.first + box->x1 - place->along.origin) * bytes;
	if (kr_colour_resolve(layer->dataspace, canvas->dataspace) != canvas->dataspace) {
		convert_rows(canvas, layer, from, box);
		return;
	}
	if (!canvas->has_alpha && width * sizeof(uint32_t) == canvas->row_bytes &&
		width * bytes == info->row_bytes) {
		row(from, kr_render_pixel_at(canvas, box->x1, box->y1),
			width * (uint32_t)(box->y2 - box->y1));
		return;
	}
	for (int32_t y = box->y1; y < box->y2; y++, from += info->row_bytes) {
		uint32_t *to = kr_render_pixel_at(canvas, box->x1, y);

		if (canvas->has_alpha)
			move_full_row(info, canvas->order, from, to, width);
		else
			row(from, to, width);
	}
}

static void
sample_box(struct kr_render_work *work, const struct kr_render_layer *layer, const void *data,
	const pixman_box32_t *box)
{
	struct kr_render_sampler *sampler = &work->scratch->sampler;
	const struct kr_render_canvas *canvas = work->canvas;
	uint32_t count = (uint32_t)(box->x2 - box->x1);

	kr_render_sampler_start(sampler, layer, data, canvas, canvas->has_alpha, box->x1, box->x2);
	for (int32_t y = box->y1; y < box->y2; y++) {
		uint32_t *to = kr_render_pixel_at(canvas, box->x1, y);
		const uint32_t *row;

		if (sampler->place.scaled) {
			work->rows->narrow(to, kr_render_sampler_wide_row(sampler, y), count);
			continue;
		}
		row = kr_render_sampler_row(sampler, y, to);
		if (row != to)
			memcpy(to, row, count * sizeof(*to));
	}
}

/* Draws what lies alone of a part as far as the budget goes. */
static void
draw_alone(struct kr_render_work *work, struct kr_render_part *part, const void *data)
{
	const struct kr_render_layer *layer = &part->layer;
	struct kr_render_place place = {0};
	pixman_box32_t box;
	bool plain;

	if (kr_render_has_pixels(layer))
		kr_render_place_find(layer, &place);
	plain = kr_render_place_is_plain(&place);
	while (*work->budget && first_box(&part->alone, &box)) {
		if (kr_render_has_pixels(layer) && !plain)
			box.x2 = KR_MIN(box.x2, box.x1 + kr_render_sampler_run(&place));
		box.y2 = box.y1 +
			take_rows(work->budget, part->cost * (uint64_t)(box.x2 - box.x1),
				box.y2 - box.y1);
		if (!kr_render_has_pixels(layer))
			fill_box(work->canvas, &box, opaque_color(layer, work->canvas->order));
		else if (plain)
			move_rows(work, layer, &place, data, &box);
		else
			sample_box(work, layer, data, &box);
		finish_box(work, &part->alone, &box);
	}
}

static void
draw_bare(struct kr_render_work *work)
{
	pixman_region32_t *bare = &work->plan->bare_alone;
	pixman_box32_t box;

	while (*work->budget && first_box(bare, &box)) {
		uint64_t row_cost = (uint64_t)(box.x2 - box.x1) * sizeof(uint32_t);

		box.y2 = box.y1 + take_rows(work->budget, row_cost, box.y2 - box.y1);
		fill_box(work->canvas, &box, bare_color(work));
		finish_box(work, bare, &box);
	}
}

/* --- By tiles --- */

/* Bytes that a row of a tile takes: all parts of which something lies in it. */
static uint64_t
cost_of(struct kr_render_plan *plan, const pixman_box32_t *box)
{
	uint64_t cost = sizeof(uint32_t);

	for (unsigned i = 0; i < plan->count; i++) {
		const pixman_box32_t *extents = pixman_region32_extents(&plan->parts[i].visible);

		if (extents->x1 < box->x2 && extents->x2 > box->x1 && extents->y1 < box->y2 &&
			extents->y2 > box->y1)
			cost += plan->parts[i].cost;
	}
	return cost * (uint64_t)(box->x2 - box->x1);
}

static void
draw_blended(struct kr_render_work *work)
{
	pixman_region32_t *blended = &work->plan->blended;
	pixman_box32_t box;

	while (*work->budget && first_box(blended, &box)) {
		pixman_box32_t tile = box;

		box.y2 = KR_MIN(box.y2, box.y1 + KR_RENDER_TILE_ROWS);
		box.y2 = box.y1 +
			take_rows(work->budget, cost_of(work->plan, &box), box.y2 - box.y1);
		tile.y2 = box.y2;
		for (; tile.x1 < box.x2; tile.x1 = tile.x2) {
			tile.x2 = KR_MIN(box.x2, tile.x1 + KR_RENDER_RUN);
			kr_render_tile_draw(work, &tile);
		}
		finish_box(work, blended, &box);
	}
}

/* --- On a wide canvas: all of it by tiles of floats --- */

static void
draw_wide_region(struct kr_render_work *work, pixman_region32_t *region)
{
	pixman_box32_t box;

	while (*work->budget && first_box(region, &box)) {
		pixman_box32_t tile = box;

		box.y2 = KR_MIN(box.y2, box.y1 + KR_RENDER_TILE_ROWS);
		box.y2 = box.y1 +
			take_rows(work->budget, cost_of(work->plan, &box), box.y2 - box.y1);
		tile.y2 = box.y2;
		for (; tile.x1 < box.x2; tile.x1 = tile.x2) {
			tile.x2 = KR_MIN(box.x2, tile.x1 + KR_RENDER_FLOAT_RUN);
			kr_render_wide_tile_draw(work, &tile);
		}
		finish_box(work, region, &box);
	}
}

static void
draw_wide(struct kr_render_work *work)
{
	struct kr_render_plan *plan = work->plan;

	for (unsigned i = 0; i < plan->count; i++)
		draw_wide_region(work, &plan->parts[i].alone);
	draw_wide_region(work, &plan->bare_alone);
	draw_wide_region(work, &plan->blended);
}

/* --- The whole --- */

/* Gives the canvas the order that the plan wants: what stays on it is turned around. */
static void
turn_canvas(struct kr_render_work *work)
{
	struct kr_render_canvas *canvas = work->canvas;
	pixman_region32_t kept;
	const pixman_box32_t *at;
	int count;

	if (canvas->order == work->plan->order)
		return;
	pixman_region32_init_rect(&kept, 0, 0, canvas->width, canvas->height);
	pixman_region32_subtract(&kept, &kept, work->plan->stale);
	at = pixman_region32_rectangles(&kept, &count);
	for (; count > 0; count--, at++) {
		for (int32_t y = at->y1; y < at->y2; y++)
			kr_pixels_swap(
				kr_render_pixel_at(canvas, at->x1, y), (uint32_t)(at->x2 - at->x1));
		*work->written += (uint64_t)(at->x2 - at->x1) * (uint64_t)(at->y2 - at->y1) *
			sizeof(uint32_t);
	}
	pixman_region32_fini(&kept);
	canvas->order = work->plan->order;
}

static bool
is_read(struct kr_render_part *part)
{
	return kr_render_has_pixels(&part->layer) && pixman_region32_not_empty(&part->visible);
}

static void
close_parts(struct kr_render_work *work, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct kr_render_part *part = &work->plan->parts[i];

		if (is_read(part))
			kr_buffer_end_cpu(kr_buffer_get_info(part->layer.buffer), KR_DMA_BUF_READ);
	}
}

/*
 * Fences have signalled: a writer that is in a buffer now came too late to be waited for.
 */
static int
open_parts(struct kr_render_work *work, const struct kr_render_layer **failed)
{
	for (unsigned i = 0; i < work->plan->count; i++) {
		struct kr_render_part *part = &work->plan->parts[i];
		int err;

		work->scratch->data[i] = NULL;
		if (!is_read(part))
			continue;
		err = kr_buffer_map(part->layer.buffer, &work->scratch->data[i]);
		if (err == 0)
			err = kr_buffer_begin_cpu(
				kr_buffer_get_info(part->layer.buffer), KR_DMA_BUF_READ, 0);
		if (err) {
			close_parts(work, i);
			*failed = &part->layer;
			return err;
		}
	}
	return 0;
}

static void
draw_narrow(struct kr_render_work *work)
{
	turn_canvas(work);
	for (unsigned i = 0; i < work->plan->count; i++)
		draw_alone(work, &work->plan->parts[i], work->scratch->data[i]);
	draw_bare(work);
	draw_blended(work);
}

int
kr_render_draw(struct kr_render_plan *plan, struct kr_render_canvas *canvas, uint64_t *budget,
	uint64_t *written, const struct kr_render_layer **failed)
{
	struct kr_render_work work = {plan, canvas, NULL, kr_render_best_rows(), budget, written};
	int err;

	*failed = NULL;
	if (plan->way != KR_RENDER_DRAW)
		return 0;
	if (!canvas->scratch)
		canvas->scratch = malloc(sizeof(*canvas->scratch));
	work.scratch = canvas->scratch;
	err = work.scratch ? kr_render_canvas_reserve(canvas) : -ENOMEM;
	if (err == 0)
		err = open_parts(&work, failed);
	if (err)
		return err;
	if (canvas->wide_format)
		draw_wide(&work);
	else
		draw_narrow(&work);
	close_parts(&work, plan->count);
	return kr_render_plan_is_done(plan) ? 0 : 1;
}
