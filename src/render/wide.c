/* SPDX-License-Identifier: Apache-2.0 */
/* See wide.h. */
#include "render/wide.h"

#include <string.h>

#include "colour/convert.h"
#include "gralloc/buffer.h"
#include "render/place.h"
#include "render/tile_boxes.h"

#define CHANNELS KR_COLOUR_CHANNELS
#define ALPHA    3

static float *
floats_at(const struct kr_render_work *work, const pixman_box32_t *tile, int32_t x, int32_t y)
{
	return work->scratch->floats +
		((size_t)(y - tile->y1) * KR_RENDER_FLOAT_RUN + (size_t)(x - tile->x1)) * CHANNELS;
}

/* How pixels of a layer come to lie on others. */
struct over {
	int32_t blend;
	float dim;
	float most; /* of a sum */
};

/* `step` is 0 where all pixels are one. */
static void
lay_over(float *acc, const float *from, size_t step, uint32_t count, const struct over *over)
{
	for (uint32_t i = 0; i < count; i++, acc += CHANNELS, from += step) {
		float alpha = over->blend == KR_RENDER_BLEND_NONE ? 1 : from[ALPHA];
		float times = over->dim * (over->blend == KR_RENDER_BLEND_COVERAGE ? alpha : 1);
		float rest = 1 - alpha * over->dim;

		for (int k = 0; k < ALPHA; k++) {
			float sum = from[k] * times + acc[k] * rest;

			acc[k] = KR_MIN(sum, over->most);
		}
		acc[ALPHA] = alpha * over->dim + acc[ALPHA] * rest;
	}
}

static struct over
over_of(const struct kr_render_work *work, const struct kr_render_part *part, int32_t blend)
{
	bool is_float = work->canvas->wide_format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT;

	/* What is beyond 1 in a space that has nothing there is clipped where it is written. */
	return (struct over){part->opaque ? KR_RENDER_BLEND_NONE : blend,
		part->opaque ? 1 : part->layer.alpha, is_float ? 65504.0f : 1.0f};
}

static void
sampled(struct kr_render_work *work, const struct kr_render_part *part, const void *data,
	const pixman_box32_t *tile, const pixman_box32_t *box)
{
	struct kr_render_sampler *sampler = &work->scratch->sampler;
	const struct kr_render_layer *layer = &part->layer;
	bool alpha = kr_render_has_alpha(kr_buffer_get_info(layer->buffer)->desc.format);
	struct over over = over_of(work, part, alpha ? layer->blend : KR_RENDER_BLEND_NONE);
	uint32_t count = (uint32_t)(box->x2 - box->x1);

	kr_render_sampler_start(sampler, layer, data, work->canvas,
		over.blend == KR_RENDER_BLEND_NONE, box->x1, box->x2);
	for (int32_t y = box->y1; y < box->y2; y++)
		lay_over(floats_at(work, tile, box->x1, y),
			kr_render_sampler_float_row(sampler, &work->scratch->float_sampler, y),
			CHANNELS, count, &over);
}

static void
colored(struct kr_render_work *work, const struct kr_render_part *part, const pixman_box32_t *tile,
	const pixman_box32_t *box)
{
	const struct kr_render_layer *layer = &part->layer;
	int32_t canvas = work->canvas->dataspace;
	struct over over = over_of(work, part, layer->blend);
	struct kr_colour_conversion conversion;
	float color[CHANNELS];

	kr_colour_conversion_init(&conversion, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		kr_colour_resolve(layer->dataspace, canvas), canvas,
		over.blend == KR_RENDER_BLEND_PREMULTIPLIED);
	kr_colour_to_floats(&conversion, &layer->color, color, 1);
	for (int32_t y = box->y1; y < box->y2; y++)
		lay_over(floats_at(work, tile, box->x1, y), color, 0, (uint32_t)(box->x2 - box->x1),
			&over);
}

static void
clear(struct kr_render_work *work, const pixman_box32_t *tile, const pixman_box32_t *box,
	float alpha)
{
	for (int32_t y = box->y1; y < box->y2; y++) {
		float *to = floats_at(work, tile, box->x1, y);

		for (int32_t x = box->x1; x < box->x2; x++, to += CHANNELS) {
			memset(to, 0, ALPHA * sizeof(*to));
			to[ALPHA] = alpha;
		}
	}
}

static void
draw_part(struct kr_render_work *work, struct kr_render_part *part, const void *data,
	const pixman_box32_t *tile)
{
	const pixman_box32_t *end, *at = kr_render_first_below(&part->visible, tile->y1, &end);
	struct kr_render_place place = {0};
	pixman_box32_t box;

	if (kr_render_has_pixels(&part->layer))
		kr_render_place_find(&part->layer, &place);
	while (kr_render_next_in_tile(&at, end, tile, &box)) {
		int32_t right = box.x2;
		int32_t run = KR_MIN(kr_render_sampler_run(&place), KR_RENDER_FLOAT_RUN);

		if (part->layer.hole)
			clear(work, tile, &box, 0);
		else if (!kr_render_has_pixels(&part->layer))
			colored(work, part, tile, &box);
		for (; kr_render_has_pixels(&part->layer) && box.x1 < right; box.x1 = box.x2) {
			box.x2 = KR_MIN(right, box.x1 + run);
			sampled(work, part, data, tile, &box);
		}
	}
}

void
kr_render_wide_tile_draw(struct kr_render_work *work, const pixman_box32_t *tile)
{
	const struct kr_render_canvas *canvas = work->canvas;

	clear(work, tile, tile, canvas->has_alpha ? 0 : 1);
	for (unsigned i = work->plan->count; i-- > 0;)
		draw_part(work, &work->plan->parts[i], work->scratch->data[i], tile);
	for (int32_t y = tile->y1; y < tile->y2; y++)
		kr_colour_pack(canvas->wide_format, floats_at(work, tile, tile->x1, y),
			canvas->pixels + (size_t)y * canvas->row_bytes +
				(size_t)tile->x1 * canvas->pixel_bytes,
			(uint32_t)(tile->x2 - tile->x1));
}
