/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn on. */
#include "render/render.h"

#include <errno.h>
#include <krafla/native_window.h>
#include <stdlib.h>

#include "colour/space.h"
#include "render/scratch.h"

static bool
is_size(uint32_t width, uint32_t height)
{
	return width && height && width <= KR_RENDER_MAX_SIZE && height <= KR_RENDER_MAX_SIZE;
}

/* What says light above reference white, or has large gamut and more: see docs/composer.md. */
uint32_t
kr_render_wide_format(int32_t dataspace)
{
	switch (kr_colour_resolve(dataspace, HAL_DATASPACE_SRGB)) {
	case HAL_DATASPACE_BT2020_PQ:
	case HAL_DATASPACE_BT2020_HLG:
		return AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM;
	case HAL_DATASPACE_SCRGB:
	case HAL_DATASPACE_SCRGB_LINEAR:
		return AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT;
	default:
		return 0;
	}
}

static uint32_t
bytes_of(uint32_t wide_format)
{
	return wide_format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT ? 8 : 4;
}

int
kr_render_canvas_init(struct kr_render_canvas *canvas, uint32_t width, uint32_t height)
{
	return kr_render_canvas_init_colour(canvas, width, height, HAL_DATASPACE_SRGB);
}

int
kr_render_canvas_init_colour(
	struct kr_render_canvas *canvas, uint32_t width, uint32_t height, int32_t dataspace)
{
	uint32_t format = kr_render_wide_format(dataspace);

	if (!is_size(width, height))
		return -EINVAL;
	*canvas = (struct kr_render_canvas){
		.width = width,
		.height = height,
		.row_bytes = width * bytes_of(format),
		.pixel_bytes = bytes_of(format),
		.dataspace = kr_colour_resolve(dataspace, HAL_DATASPACE_SRGB),
		.wide_format = format,
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
		.pixel_bytes = sizeof(uint32_t),
		.dataspace = HAL_DATASPACE_SRGB,
		.order = order,
		.has_alpha = has_alpha,
		.pixels = pixels,
		.scratch = scratch,
	};
	return 0;
}

int
kr_render_canvas_wrap_colour(struct kr_render_canvas *canvas, void *pixels, uint32_t width,
	uint32_t height, uint32_t row_bytes, uint32_t format, int32_t dataspace, bool has_alpha)
{
	uint32_t bytes = bytes_of(format);
	enum kr_pixels_order order = KR_PIXELS_XRGB;
	bool wide = !kr_render_order_of(format, &order);
	int err;

	if (!wide && kr_render_wide_format(dataspace))
		return -EOPNOTSUPP;
	if (wide && format != AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM &&
		format != AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT)
		return -EOPNOTSUPP;
	if (row_bytes % bytes || row_bytes / bytes < width)
		return -EINVAL;
	err = kr_render_canvas_wrap(canvas, pixels, width, height, row_bytes, order, has_alpha);
	if (err)
		return err;
	canvas->pixel_bytes = bytes;
	canvas->wide_format = wide ? format : 0;
	canvas->dataspace = kr_colour_resolve(dataspace, HAL_DATASPACE_SRGB);
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
	if (canvas->wide_format)
		return canvas->wide_format;
	return canvas->order == KR_PIXELS_XRGB ? AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
					       : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
}
