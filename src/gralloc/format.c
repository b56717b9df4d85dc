/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: what memory of CPUs can have, and how it lies there. */
#include "gralloc/format.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/backends.h"
#include "gralloc/gpu_memory.h"

/* Of what rows are made. */
enum kind {
	PIXELS,     /* one plane */
	DEPTH,      /* the same of depth, stencil or both */
	PLANES_420, /* a plane of Y, then one of pairs Cb, Cr: half as wide, half as high */
	BYTES,      /* one row of bytes */
};

static const struct format {
	uint32_t format;
	uint32_t bytes; /* of a pixel, or of a Y */
	enum kind kind;
	bool shown;
} formats[] = {
	{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 4, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 3, PIXELS, false},
	{AHARDWAREBUFFER_FORMAT_R8_UNORM, 1, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_R16_UINT, 2, PIXELS, false},
	{AHARDWAREBUFFER_FORMAT_R16G16_UINT, 4, PIXELS, false},
	{AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, 8, PIXELS, true},
	{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1, PLANES_420, false},
	{AHARDWAREBUFFER_FORMAT_YCbCr_P010, 2, PLANES_420, false},
	{AHARDWAREBUFFER_FORMAT_BLOB, 1, BYTES, false},
	{AHARDWAREBUFFER_FORMAT_D16_UNORM, 2, DEPTH, false},
	{AHARDWAREBUFFER_FORMAT_D24_UNORM, 4, DEPTH, false},
	{AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, 4, DEPTH, false},
	{AHARDWAREBUFFER_FORMAT_D32_FLOAT, 4, DEPTH, false},
	{AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, 8, DEPTH, false},
	{AHARDWAREBUFFER_FORMAT_S8_UINT, 1, DEPTH, false},
};

static const struct format *
find_format(uint32_t format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format)
			return &formats[i];
	}
	return NULL;
}

KR_PRIVATE uint32_t
kr_format_bytes(uint32_t format)
{
	const struct format *found = find_format(format);

	return found && found->kind != DEPTH ? found->bytes : 0;
}

uint32_t
kr_format_pixel_bytes(uint32_t format)
{
	const struct format *found = find_format(format);

	return found ? found->bytes : 0;
}

bool
kr_format_is_shown(uint32_t format)
{
	const struct format *found = find_format(format);

	return found && found->shown;
}

bool
kr_format_is_depth(uint32_t format)
{
	const struct format *found = find_format(format);

	return found && found->kind == DEPTH;
}

bool
kr_format_is_planar(uint32_t format)
{
	const struct format *found = find_format(format);

	return found && found->kind == PLANES_420;
}

static uint64_t
align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Blocks of 4 x 4 pixels are written whole. */
static uint64_t
whole_rows(uint32_t height)
{
	return align(height, 4);
}

uint64_t
kr_format_size(uint32_t format, uint32_t row_bytes, uint32_t height)
{
	const struct format *found = find_format(format);
	uint64_t rows = whole_rows(height);

	if (!found)
		return 0;
	if (found->kind == BYTES)
		return row_bytes;
	if (found->kind == PLANES_420)
		rows += whole_rows(height / 2 + height % 2);
	return row_bytes * rows;
}

/* Rows of three bytes a pixel hold a whole number of them. */
uint32_t
kr_format_row_align(uint32_t format)
{
	const struct format *found = find_format(format);

	if (!found || found->kind == BYTES)
		return 1;
	return found->bytes == 3 ? 3 * KR_BUFFER_ROW_ALIGN : KR_BUFFER_ROW_ALIGN;
}

static int
lay_out(const struct format *format, uint32_t width, uint32_t height, uint32_t layers,
	uint32_t *row_bytes, uint64_t *size)
{
	uint64_t row, all;

	if (!width || !height)
		return -EINVAL;
	if (format->kind == BYTES ? width > INT32_MAX
				  : width > KR_BUFFER_MAX_EXTENT || height > KR_BUFFER_MAX_EXTENT)
		return -EOPNOTSUPP;
	row = format->kind == BYTES
		? width
		: align(align(width, 4) * format->bytes, kr_format_row_align(format->format));
	/* No factor is more than 2^32, 2^17 and 2^11. */
	all = kr_format_size(format->format, (uint32_t)row, height) * layers;
	if (all > KR_BUFFER_MAX_SIZE)
		return -EOPNOTSUPP;
	*row_bytes = (uint32_t)row;
	*size = align(all, KR_BUFFER_PAGE);
	return 0;
}

int
kr_format_layout(
	uint32_t format, uint32_t width, uint32_t height, uint32_t *row_bytes, uint64_t *size)
{
	const struct format *found = find_format(format);

	if (!found || found->kind == DEPTH)
		return width && height ? -EOPNOTSUPP : -EINVAL;
	return lay_out(found, width, height, 1, row_bytes, size);
}

int
kr_format_lay_out(const struct kr_buffer_desc *desc, uint32_t *row_bytes, uint64_t *size)
{
	const struct format *found = find_format(desc->format);

	if (!found || desc->layers > KR_BUFFER_MAX_LAYERS)
		return -EOPNOTSUPP;
	return lay_out(found, desc->width, desc->height, desc->layers, row_bytes, size);
}

uint64_t
kr_buffer_layer_bytes(const struct kr_buffer_info *info)
{
	return info->backend == KR_BUFFER_GPU
		? 0
		: kr_format_size(info->desc.format, info->row_bytes, info->desc.height);
}

/* Of a GPU's memory alone, in rows. */
static int
get_gpu_planes(const struct kr_buffer_info *info, struct kr_buffer_planes *planes)
{
	if (!info->gpu || !kr_buffer_gpu_is_linear(info->gpu) ||
		info->gpu->plane_count > KR_ARRAY_LEN(planes->plane))
		return -EOPNOTSUPP;
	planes->count = info->gpu->plane_count;
	for (uint32_t i = 0; i < planes->count; i++) {
		planes->plane[i] = (struct kr_buffer_plane){
			.offset = info->gpu->planes[i].offset,
			.row_bytes = (uint32_t)info->gpu->planes[i].row_bytes,
			.pixel_bytes = kr_buffer_gpu_pixel_bytes(info->gpu, info->desc.format, i),
		};
	}
	return 0;
}

int
kr_buffer_get_planes(const struct kr_buffer_info *info, struct kr_buffer_planes *planes)
{
	const struct format *found = find_format(info->desc.format);

	if (info->backend == KR_BUFFER_GPU)
		return get_gpu_planes(info, planes);
	if (!found)
		return -EOPNOTSUPP;
	*planes = (struct kr_buffer_planes){.count = 1};
	planes->plane[0] = (struct kr_buffer_plane){0, info->row_bytes, found->bytes};
	if (found->kind != PLANES_420)
		return 0;
	planes->count = 2;
	planes->plane[1] =
		(struct kr_buffer_plane){(uint64_t)info->row_bytes * whole_rows(info->desc.height),
			info->row_bytes, 2 * found->bytes};
	return 0;
}
