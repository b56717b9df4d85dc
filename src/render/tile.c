/* SPDX-License-Identifier: Apache-2.0 */
/* See tile.h. */
#include "render/tile.h"

#include <string.h>

#include "gralloc/buffer.h"
#include "render/place.h"
#include "render/tile_boxes.h"

static uint16_t *
wide_at(const struct kr_render_work *work, const pixman_box32_t *tile, int32_t x, int32_t y)
{
	return work->scratch->tile +
		((size_t)(y - tile->y1) * KR_RENDER_RUN + (size_t)(x - tile->x1)) * KR_RENDER_WIDE;
}

/* What pixels of a layer of one color are, wide and premultiplied. */
static void
color_of(const struct kr_render_layer *layer, enum kr_pixels_order order,
	uint16_t wide[KR_RENDER_WIDE])
{
	bool coverage = layer->blend == KR_RENDER_BLEND_COVERAGE;
	bool none = layer->blend == KR_RENDER_BLEND_NONE;
	double alpha = none ? 255 : layer->color.a;
	double times = (double)layer->alpha * (coverage ? alpha / 255 : 1) * 256;
	double red = order == KR_PIXELS_XRGB ? layer->color.b : layer->color.r;
	double blue = order == KR_PIXELS_XRGB ? layer->color.r : layer->color.b;

	wide[0] = (uint16_t)(red * times + 0.5);
	wide[1] = (uint16_t)(layer->color.g * times + 0.5);
	wide[2] = (uint16_t)(blue * times + 0.5);
	wide[3] = (uint16_t)(alpha * (double)layer->alpha * 256 + 0.5);
}

static void
set_wide(uint16_t *to, const uint16_t color[KR_RENDER_WIDE], uint32_t count)
{
	uint64_t pixel;

	memcpy(&pixel, color, sizeof(pixel));
	for (uint32_t i = 0; i < count; i++, to += KR_RENDER_WIDE)
		memcpy(to, &pixel, sizeof(pixel));
}

/* What a tile gets of a box of a layer's pixels. */
static void
tile_sampled(struct kr_render_work *work, const struct kr_render_part *part, const void *data,
	bool wide, const pixman_box32_t *tile, const pixman_box32_t *box)
{
	struct kr_render_sampler *sampler = &work->scratch->sampler;
	const struct kr_render_layer *layer = &part->layer;
	uint32_t format = kr_buffer_get_info(layer->buffer)->desc.format;
	bool alpha = !part->opaque && kr_render_has_alpha(format);
	int32_t blend = alpha ? layer->blend : KR_RENDER_BLEND_NONE;
	uint32_t dim = (uint32_t)((double)layer->alpha * KR_RENDER_DIM_FULL + 0.5);
	uint32_t count = (uint32_t)(box->x2 - box->x1);

	kr_render_sampler_start(
		sampler, layer, data, work->canvas, part->opaque && wide, box->x1, box->x2);
	for (int32_t y = box->y1; y < box->y2; y++) {
		uint16_t *to = wide_at(work, tile, box->x1, y);
		const void *from = wide ? (const void *)kr_render_sampler_wide_row(sampler, y)
					: kr_render_sampler_row(sampler, y, sampler->row);

		if (part->opaque && wide)
			memcpy(to, from, count * KR_RENDER_WIDE * sizeof(*to));
		else if (part->opaque)
			work->rows->widen(to, from, count);
		else
			work->rows->over[wide][blend - 1](to, from, count, dim);
	}
}

static void
tile_color(struct kr_render_work *work, const struct kr_render_part *part,
	const pixman_box32_t *tile, const pixman_box32_t *box)
{
	uint32_t count = (uint32_t)(box->x2 - box->x1);
	uint16_t wide[KR_RENDER_WIDE] = {0};

	if (!part->layer.hole)
		color_of(&part->layer, work->canvas->order, wide);
	for (int32_t y = box->y1; y < box->y2; y++) {
		uint16_t *to = wide_at(work, tile, box->x1, y);

		if (part->opaque)
			set_wide(to, wide, count);
		else
			work->rows->over_color(to, wide, count);
	}
}

static void
tile_bare(struct kr_render_work *work, const pixman_box32_t *tile)
{
	const uint16_t bare[KR_RENDER_WIDE] = {0, 0, 0, work->plan->has_alpha ? 0 : KR_RENDER_FULL};
	const pixman_box32_t *end, *at = kr_render_first_below(&work->plan->bare, tile->y1, &end);
	pixman_box32_t box;

	while (kr_render_next_in_tile(&at, end, tile, &box)) {
		for (int32_t y = box.y1; y < box.y2; y++)
			set_wide(wide_at(work, tile, box.x1, y), bare, (uint32_t)(box.x2 - box.x1));
	}
}

static void
tile_part(struct kr_render_work *work, struct kr_render_part *part, const void *data,
	const pixman_box32_t *tile)
{
	const pixman_box32_t *end, *at = kr_render_first_below(&part->visible, tile->y1, &end);
	struct kr_render_place place = {0};
	pixman_box32_t box;

	if (kr_render_has_pixels(&part->layer))
		kr_render_place_find(&part->layer, &place);
	while (kr_render_next_in_tile(&at, end, tile, &box)) {
		int32_t right = box.x2;

		if (!kr_render_has_pixels(&part->layer)) {
			tile_color(work, part, tile, &box);
			continue;
		}
		for (; box.x1 < right; box.x1 = box.x2) {
			box.x2 = KR_MIN(right, box.x1 + kr_render_sampler_run(&place));
			tile_sampled(work, part, data, place.scaled, tile, &box);
		}
	}
}

void
kr_render_tile_draw(struct kr_render_work *work, const pixman_box32_t *tile)
{
	uint32_t count = (uint32_t)(tile->x2 - tile->x1);

	tile_bare(work, tile);
	for (unsigned i = work->plan->count; i-- > 0;)
		tile_part(work, &work->plan->parts[i], work->scratch->data[i], tile);
	for (int32_t y = tile->y1; y < tile->y2; y++)
		work->rows->narrow(kr_render_pixel_at(work->canvas, tile->x1, y),
			wide_at(work, tile, tile->x1, y), count);
}
