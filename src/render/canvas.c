/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn on. */
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>

#include "render/scratch.h"

static bool
is_size(uint32_t width, uint32_t height)
{
	return width && height && width <= KR_RENDER_MAX_SIZE && height <= KR_RENDER_MAX_SIZE;
}

int
kr_render_canvas_init(struct kr_render_canvas *canvas, uint32_t width, uint32_t height)
{
	if (!is_size(width, height))
		return -EINVAL;
	*canvas = (struct kr_render_canvas){
		.width = width,
		.height = height,
		.row_bytes = width * (uint32_t)sizeof(uint32_t),
		.order = KR_PIXELS_XRGB,
		.own = true,
	};
	return 0;
}

int
kr_render_canvas_wrap(struct kr_render_canvas *canvas, void *pixels, uint32_t width,
	uint32_t height, uint32_t row_bytes, enum kr_pixels_order order, bool has_alpha)
{
	struct kr_render_scratch *scratch = canvas->scratch;

	if (!pixels || !is_size(width, height) || row_bytes % sizeof(uint32_t) ||
		row_bytes / sizeof(uint32_t) < width)
		return -EINVAL;
	*canvas = (struct kr_render_canvas){
		.width = width,
		.height = height,
		.row_bytes = row_bytes,
		.order = order,
		.has_alpha = has_alpha,
		.pixels = pixels,
		.scratch = scratch,
	};
	return 0;
}

void
kr_render_canvas_finish(struct kr_render_canvas *canvas)
{
	if (canvas->own)
		free(canvas->pixels);
	free(canvas->scratch);
	*canvas = (struct kr_render_canvas){0};
}

int
kr_render_canvas_reserve(struct kr_render_canvas *canvas)
{
	if (!canvas->pixels)
		canvas->pixels = calloc(canvas->height, canvas->row_bytes);
	return canvas->pixels ? 0 : -ENOMEM;
}

uint32_t
kr_render_canvas_format(const struct kr_render_canvas *canvas)
{
	return canvas->order == KR_PIXELS_XRGB ? AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
					       : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
}
