/* SPDX-License-Identifier: Apache-2.0 */
/* The canvas: where frames go on it, and drawing them. */
#include "composer/compose.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "gralloc/pixels.h"

#define STRIP 64 /* columns of a turned frame that are drawn at a time */

int
kr_canvas_init(struct kr_canvas *canvas, uint32_t width, uint32_t height)
{
	struct kr_canvas made = {.width = width, .height = height, .row_bytes = width * 4};
	int err;

	if (!width || !height || width > KR_CANVAS_MAX || height > KR_CANVAS_MAX)
		return -EINVAL;
	made.pixels = calloc(height, made.row_bytes);
	if (!made.pixels)
		return -ENOMEM;
	err = kr_sampler_init(&made.sampler, width);
	if (err) {
		free(made.pixels);
		return err;
	}
	*canvas = made;
	return 0;
}

void
kr_canvas_finish(struct kr_canvas *canvas)
{
	kr_sampler_finish(&canvas->sampler);
	free(canvas->pixels);
	*canvas = (struct kr_canvas){0};
}

void
kr_canvas_clear(struct kr_canvas *canvas, const android_native_rect_t *box)
{
	size_t bytes = (size_t)(box->right - box->left) * sizeof(uint32_t);

	for (int32_t y = box->top; y < box->bottom; y++)
		memset(canvas->pixels + (size_t)y * canvas->width + (size_t)box->left, 0, bytes);
}

void
kr_canvas_swap(const struct kr_canvas *canvas, uint32_t *pixels, const android_native_rect_t *box)
{
	for (int32_t y = box->top; y < box->bottom; y++)
		kr_pixels_swap(pixels + (size_t)y * canvas->width + (size_t)box->left,
			(uint32_t)(box->right - box->left));
}

uint32_t
kr_canvas_format(const struct kr_canvas *canvas)
{
	return canvas->order == KR_PIXELS_XRGB ? AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
					       : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
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

/* The pixels of the canvas that the destination touches. */
static android_native_rect_t
visible_box(const struct kr_canvas *canvas, const struct kr_placement *p)
{
	return (android_native_rect_t){
		.left = (int32_t)fmax(floor(p->x), 0),
		.top = (int32_t)fmax(floor(p->y), 0),
		.right = (int32_t)fmin(ceil(p->x + p->width), canvas->width),
		.bottom = (int32_t)fmin(ceil(p->y + p->height), canvas->height),
	};
}

/* Whether the pixels can be read. */
static int
check_source(const struct kr_buffer_info *info)
{
	uint32_t bytes = kr_format_bytes(info->desc.format);

	if (!kr_pixels_to_xrgb(info->desc.format))
		return -EOPNOTSUPP;
	if (!info->desc.width || !info->desc.height || info->desc.width > KR_CANVAS_MAX ||
		info->desc.height > KR_CANVAS_MAX)
		return -EINVAL;
	if (info->row_bytes / bytes < info->desc.width ||
		(uint64_t)info->row_bytes * info->desc.height > info->size)
		return -EINVAL;
	return 0;
}

int
kr_canvas_place(const struct kr_canvas *canvas, const struct kr_frame *frame,
	struct kr_placement *placement)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(frame->buffer)->desc;
	struct kr_placement p = {.transform = frame->transform};
	bool turned = frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90;
	double w, h, fill;
	int err = check_source(kr_buffer_get_info(frame->buffer));

	if (err)
		return err;
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
	p.box = visible_box(canvas, &p);
	*placement = p;
	return 0;
}

uint64_t
kr_canvas_pixel_cost(const struct kr_frame *frame, const struct kr_placement *placement)
{
	return kr_sample_pixel_cost(kr_buffer_get_info(frame->buffer), placement);
}

int
kr_canvas_open(const struct kr_frame *frame, void **data)
{
	int err = check_source(kr_buffer_get_info(frame->buffer));

	return err ? err : kr_buffer_map(frame->buffer, data);
}

/* How many rows of this cost a budget has; it pays for them, and with what is no whole row. */
static uint32_t
take_rows(uint64_t *budget, uint64_t row_cost, uint32_t height)
{
	uint64_t rows = KR_MIN(KR_MAX(*budget / row_cost, UINT64_C(1)), (uint64_t)height);

	*budget -= KR_MIN(rows * row_cost, *budget);
	if (*budget < row_cost)
		*budget = 0;
	return (uint32_t)rows;
}

/*
 * A row of a turned frame is a column of the buffer, each pixel of it in another page: fewer rows
 * of the buffer at a time, so that their pages are at hand for the next column, and don't all have
 * to be faulted in at once.
 */
static void
cut_to_strip(const struct kr_frame *frame, android_native_rect_t *box)
{
	if (frame->transform & NATIVE_WINDOW_TRANSFORM_ROT_90)
		box->right = KR_MIN(box->right, box->left + STRIP);
}

/*
 * Rows that come as they lie there, pixel for pixel; all in one go where nothing lies between them.
 */
static void
move_rows(const struct kr_canvas *canvas, const struct kr_buffer_info *info, const void *data,
	const struct kr_placement *p, const android_native_rect_t *box, uint32_t rows, uint32_t *to)
{
	kr_pixels_row_fn row = kr_pixels_row(info->desc.format, canvas->order);
	uint32_t bytes = kr_format_bytes(info->desc.format);
	uint32_t width = (uint32_t)(box->right - box->left);
	const uint8_t *from = (const uint8_t *)data +
		(size_t)(p->source.top + box->top) * info->row_bytes +
		(size_t)(p->source.left + box->left) * bytes;

	if (width == canvas->width && info->row_bytes == width * bytes) {
		row(from, to, width * rows);
		return;
	}
	for (uint32_t y = 0; y < rows; y++, to += canvas->width, from += info->row_bytes)
		row(from, to, width);
}

static void
sample_rows(struct kr_canvas *canvas, const struct kr_buffer_info *info, const void *data,
	const struct kr_placement *p, const android_native_rect_t *box, uint32_t rows, uint32_t *to)
{
	kr_sampler_start(&canvas->sampler, info, data, p, canvas->order, box->left, box->right);
	for (uint32_t y = 0; y < rows; y++, to += canvas->width)
		kr_sampler_row(&canvas->sampler, box->top + (int32_t)y, to);
}

int
kr_canvas_draw(struct kr_canvas *canvas, uint32_t *pixels, const struct kr_frame *frame,
	const struct kr_placement *placement, android_native_rect_t *box, uint64_t *budget)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(frame->buffer);
	uint64_t cost = kr_canvas_pixel_cost(frame, placement);
	uint32_t *to = pixels + (size_t)box->top * canvas->width + (size_t)box->left, rows;
	void *data;
	int err = kr_canvas_open(frame, &data);

	/*
	 * The frame's fences have signalled: a writer that is there now came too late
	 * to be waited for.
	 */
	if (!err)
		err = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, 0);
	if (err)
		return err;
	cut_to_strip(frame, box);
	rows = take_rows(budget, cost * (uint64_t)(box->right - box->left),
		(uint32_t)(box->bottom - box->top));
	if (placement->scaled || placement->transform)
		sample_rows(canvas, info, data, placement, box, rows, to);
	else
		move_rows(canvas, info, data, placement, box, rows, to);
	box->bottom = box->top + (int32_t)rows;
	kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
	return 0;
}
