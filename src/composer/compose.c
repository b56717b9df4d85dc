/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing with pixman. pixman asks, for each pixel of the destination, where in the source it comes
 * from; so the matrix built here runs backwards:
 *
 *   destination pixel -> (u, v) in 0..1 of the placement -> undo ROT_90 -> undo the flips -> source pixel
 *
 * (Android applies the flips first and then turns clockwise: android-platform.md 8.) A frame that is
 * not scaled is sampled at pixel centres, so every one of its pixels arrives unchanged.
 *
 * The picture has 8 bits a channel. Frames of more are brought down to that first, by our own code:
 * pixman knows no 16-bit floating point numbers, and truncates where 10 bits become 8.
 */
#include "composer/compose.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pixman.h>

#include "gralloc/buffer.h"
#include "gralloc/pixels.h"

int
kr_canvas_init(struct kr_canvas *canvas, uint32_t width, uint32_t height)
{
	struct kr_canvas made = {.width = width, .height = height, .row_bytes = width * 4};

	if (!width || !height || width > KR_CANVAS_MAX || height > KR_CANVAS_MAX)
		return -EINVAL;
	made.pixels = calloc(height, made.row_bytes);
	if (!made.pixels)
		return -ENOMEM;
	made.image = pixman_image_create_bits_no_clear(
		PIXMAN_x8r8g8b8, (int)width, (int)height, made.pixels, (int)made.row_bytes);
	if (!made.image) {
		free(made.pixels);
		return -ENOMEM;
	}
	*canvas = made;
	return 0;
}

void
kr_canvas_finish(struct kr_canvas *canvas)
{
	if (canvas->image)
		pixman_image_unref(canvas->image);
	free(canvas->pixels);
	free(canvas->converted);
	*canvas = (struct kr_canvas){0};
}

void
kr_canvas_clear(struct kr_canvas *canvas)
{
	memset(canvas->pixels, 0, (size_t)canvas->row_bytes * canvas->height);
}

/* The frame's crop within its buffer; all of it when the crop is empty or lies outside. */
static android_native_rect_t
visible_source(const struct kr_frame *frame, const struct kr_buffer_desc *desc)
{
	const android_native_rect_t all = {0, 0, (int32_t)desc->width, (int32_t)desc->height};
	android_native_rect_t r = frame->crop;

	r.left = KR_MAX(r.left, 0);
	r.top = KR_MAX(r.top, 0);
	r.right = KR_MIN(r.right, all.right);
	r.bottom = KR_MIN(r.bottom, all.bottom);
	return r.left < r.right && r.top < r.bottom ? r : all;
}

int
kr_canvas_place(const struct kr_canvas *canvas, const struct kr_frame *frame,
	struct kr_placement *placement)
{
	const struct kr_buffer_desc *desc = &kr_buffer_info(frame->buffer)->desc;
	struct kr_placement p = {0};
	bool turned = frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	double w, h, fill;

	if (!desc->width || !desc->height || desc->width > KR_CANVAS_MAX ||
		desc->height > KR_CANVAS_MAX)
		return -EINVAL;
	p.source = visible_source(frame, desc);
	w = p.source.right - p.source.left;
	h = p.source.bottom - p.source.top;
	p.width = turned ? h : w;
	p.height = turned ? w : h;
	w = p.width;
	h = p.height;
	if (frame->scaling_mode == NATIVE_WINDOW_SCALING_MODE_SCALE_TO_WINDOW) {
		p.width = canvas->width;
		p.height = canvas->height;
	} else if (frame->scaling_mode == NATIVE_WINDOW_SCALING_MODE_SCALE_CROP) {
		fill = fmax(canvas->width / w, canvas->height / h);
		p.width = w * fill;
		p.height = h * fill;
		p.x = (canvas->width - p.width) / 2;
		p.y = (canvas->height - p.height) / 2;
	}
	p.scaled = p.width != w || p.height != h || p.x != 0 || p.y != 0;
	*placement = p;
	return 0;
}

bool
kr_canvas_covers(const struct kr_canvas *canvas, const struct kr_placement *p)
{
	return p->x <= 0 && p->y <= 0 && p->x + p->width >= canvas->width &&
		p->y + p->height >= canvas->height;
}

/* What pixman reads exactly as it is; 0: nothing does. */
static pixman_format_code_t
pixman_format(uint32_t format)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		return PIXMAN_x8b8g8r8;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return PIXMAN_x8r8g8b8;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return PIXMAN_r5g6b5;
	default:
		return 0;
	}
}

/* Where the pixel (left, top) of a buffer's mapping lies. */
static void *
pixel_at(const struct kr_buffer_info *info, void *data, int32_t left, int32_t top)
{
	return (char *)data + (size_t)top * info->row_bytes +
		(size_t)left * kr_format_bytes(info->desc.format);
}

/* The part of a buffer that is shown, in the canvas's own format. */
static int
convert_source(struct kr_canvas *canvas, const struct kr_buffer_info *info, void *data,
	const android_native_rect_t *r, pixman_image_t **image)
{
	uint32_t width = (uint32_t)(r->right - r->left), height = (uint32_t)(r->bottom - r->top);
	kr_pixels_row_fn convert = kr_pixels_to_xrgb(info->desc.format);
	size_t size = (size_t)width * height * sizeof(uint32_t);

	if (size > canvas->converted_size) {
		uint32_t *more = realloc(canvas->converted, size);

		if (!more)
			return -ENOMEM;
		canvas->converted = more;
		canvas->converted_size = size;
	}
	for (uint32_t y = 0; y < height; y++)
		convert(pixel_at(info, data, r->left, r->top + (int32_t)y),
			canvas->converted + (size_t)y * width, width);
	*image = pixman_image_create_bits_no_clear(PIXMAN_x8r8g8b8, (int)width, (int)height,
		canvas->converted, (int)(width * sizeof(uint32_t)));
	return *image ? 0 : -ENOMEM;
}

/*
 * The part of a buffer that is shown, so that a filter never reads across the crop. pixman wants rows
 * to begin at a multiple of 4 bytes: with 16-bit pixels the image may begin one pixel before the
 * crop, and *skip is 1.
 */
static int
open_source(struct kr_canvas *canvas, const struct kr_frame *frame, const android_native_rect_t *r,
	pixman_image_t **image, int32_t *skip)
{
	const struct kr_buffer_info *info = kr_buffer_info(frame->buffer);
	pixman_format_code_t format = pixman_format(info->desc.format);
	uint32_t bytes = kr_format_bytes(info->desc.format);
	int32_t left;
	void *data;
	int err;

	if (!kr_pixels_to_xrgb(info->desc.format))
		return -EOPNOTSUPP;
	if (info->row_bytes % 4 || info->row_bytes / bytes < info->desc.width ||
		(uint64_t)info->row_bytes * info->desc.height > info->size)
		return -EINVAL;
	err = kr_buffer_map(frame->buffer, &data);
	if (err < 0)
		return err;
	*skip = 0;
	if (!format)
		return convert_source(canvas, info, data, r, image);
	left = bytes == 2 ? r->left & ~1 : r->left;
	*image = pixman_image_create_bits_no_clear(format, r->right - left, r->bottom - r->top,
		pixel_at(info, data, left, r->top), (int)info->row_bytes);
	if (!*image)
		return -ENOMEM;
	*skip = r->left - left;
	return 0;
}

/* The matrix described at the top of this file. */
static void
matrix_backwards(struct pixman_transform *matrix, const struct kr_frame *frame,
	const struct kr_placement *p, int32_t skip)
{
	double w = p->source.right - p->source.left, h = p->source.bottom - p->source.top;
	double flip_x = frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_H ? -1 : 1;
	double flip_y = frame->transform & NATIVE_WINDOW_TRANSFORM_FLIP_V ? -1 : 1;
	struct pixman_f_transform m;

	pixman_f_transform_init_translate(&m, -p->x, -p->y);
	pixman_f_transform_scale(&m, NULL, 1 / p->width, 1 / p->height);
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90) {
		const struct pixman_f_transform turn = {{{0, 1, 0}, {-1, 0, 1}, {0, 0, 1}}};

		pixman_f_transform_multiply(&m, &turn, &m);
	}
	pixman_f_transform_scale(&m, NULL, flip_x, flip_y);
	pixman_f_transform_translate(&m, NULL, flip_x < 0, flip_y < 0);
	pixman_f_transform_scale(&m, NULL, w, h);
	pixman_f_transform_translate(&m, NULL, skip, 0);
	pixman_transform_from_pixman_f_transform(matrix, &m);
}

static int
composite(struct kr_canvas *canvas, const struct kr_frame *frame, const struct kr_placement *p)
{
	int32_t x = (int32_t)fmax(floor(p->x), 0), y = (int32_t)fmax(floor(p->y), 0);
	int32_t right = (int32_t)fmin(ceil(p->x + p->width), canvas->width);
	int32_t bottom = (int32_t)fmin(ceil(p->y + p->height), canvas->height);
	struct pixman_transform matrix;
	pixman_image_t *source;
	int32_t skip;
	int err = open_source(canvas, frame, &p->source, &source, &skip);

	if (err < 0)
		return err;
	matrix_backwards(&matrix, frame, p, skip);
	pixman_image_set_transform(source, &matrix);
	pixman_image_set_filter(
		source, p->scaled ? PIXMAN_FILTER_BILINEAR : PIXMAN_FILTER_NEAREST, NULL, 0);
	pixman_image_set_repeat(source, PIXMAN_REPEAT_PAD);
	pixman_image_composite32(PIXMAN_OP_SRC, source, NULL, canvas->image, x, y, 0, 0, x, y,
		right - x, bottom - y);
	pixman_image_unref(source);
	return 0;
}

int
kr_canvas_draw(struct kr_canvas *canvas, const struct kr_frame *frame, const struct kr_placement *p)
{
	const struct kr_buffer_info *info = kr_buffer_info(frame->buffer);
	/* The frame's fences have signalled: a writer that is there now came too late to be waited for. */
	int err = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, 0);

	if (err)
		return err;
	err = composite(canvas, frame, p);
	kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
	return err;
}
