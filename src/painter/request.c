/* SPDX-License-Identifier: Apache-2.0 */
/* See request.h. */
#include "painter/request.h"

#include <errno.h>

static void
encode_layer(
	const struct kr_render_layer *layer, uint64_t id, uint64_t content, struct kr_pp_layer *out)
{
	*out = (struct kr_pp_layer){
		.buffer = id,
		.content = content,
		.blend = (uint8_t)layer->blend,
		.transform = (uint8_t)layer->transform,
		.kind = id ? KR_PAINTER_LAYER_BUFFER : KR_PAINTER_LAYER_COLOR,
		.alpha = kr_painter_bits_of(layer->alpha),
		.color = (uint32_t)layer->color.r | (uint32_t)layer->color.g << 8 |
			(uint32_t)layer->color.b << 16 | (uint32_t)layer->color.a << 24,
		.crop_left = kr_painter_bits_of(layer->crop.left),
		.crop_top = kr_painter_bits_of(layer->crop.top),
		.crop_right = kr_painter_bits_of(layer->crop.right),
		.crop_bottom = kr_painter_bits_of(layer->crop.bottom),
		.left = layer->frame.left,
		.top = layer->frame.top,
		.right = layer->frame.right,
		.bottom = layer->frame.bottom,
	};
	if (layer->no_content)
		out->kind = KR_PAINTER_LAYER_NO_CONTENT;
	else if (layer->hole)
		out->kind = KR_PAINTER_LAYER_HOLE;
	if (out->kind != KR_PAINTER_LAYER_BUFFER)
		out->buffer = 0;
}

/* A region of too many boxes is the box around them. */
static void
encode_stale(const struct kr_painter_request *request, bool everything, struct kr_pp_draw *draw)
{
	pixman_box32_t all = {0, 0, (int32_t)request->width, (int32_t)request->height};
	const pixman_box32_t *boxes = &all;
	pixman_region32_t *stale = (pixman_region32_t *)(uintptr_t)request->stale;
	int count = 1;

	if (!everything && pixman_region32_n_rects(stale) > (int)KR_ARRAY_LEN(draw->stale))
		boxes = pixman_region32_extents(stale);
	else if (!everything)
		boxes = pixman_region32_rectangles(stale, &count);
	draw->stale_count = (uint16_t)count;
	for (int i = 0; i < count; i++)
		draw->stale[i] =
			(struct kr_pp_rect){boxes[i].x1, boxes[i].y1, boxes[i].x2, boxes[i].y2};
}

int
kr_painter_request_encode(
	const struct kr_painter_request *request, bool everything, struct kr_pp_draw *draw)
{
	if (!request->width || !request->height || request->width > KR_RENDER_MAX_SIZE ||
		request->height > KR_RENDER_MAX_SIZE || request->count > KR_RENDER_MAX_LAYERS)
		return -EINVAL;
	*draw = (struct kr_pp_draw){
		.number = request->number,
		.width = request->width,
		.height = request->height,
		.order = (uint8_t)request->order,
		.has_alpha = request->has_alpha,
		.readback = request->readback,
		.layers_count = (uint16_t)request->count,
	};
	for (unsigned i = 0; i < request->count; i++) {
		struct kr_render_layer layer = request->layers[i];

		layer.buffer = NULL; /* what is said of it is the painter's to check */
		if (kr_render_layer_check(&layer))
			return -EINVAL;
		encode_layer(&layer, request->ids[i], request->contents ? request->contents[i] : 0,
			&draw->layers[i]);
	}
	encode_stale(request, everything, draw);
	return 0;
}
