/* SPDX-License-Identifier: Apache-2.0 */
/* What can be allocated: formats, usage bits, layout. */
#include "gralloc/buffer.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/backends.h"

/*
 * What memory from here can't be used for is refused, not approximated. Bits that mean nothing here
 * (28 to 31, 32 and up: vendors', drivers' and newer platforms') are between who set them and who
 * reads them out of the handle, and change nothing (W-13).
 */
#define REFUSED_USAGE                                                                              \
	(AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT | AHARDWAREBUFFER_USAGE_VIDEO_ENCODE |            \
		AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER | \
		AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE)

static const struct {
	uint32_t format;
	uint32_t bytes;
} formats[] = {
	{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4},
	{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4},
	{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 4},
	{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2},
	{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4},
	{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8},
};

KR_PRIVATE uint32_t
kr_format_bytes(uint32_t format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format)
			return formats[i].bytes;
	}
	return 0;
}

static uint64_t
align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

int
kr_format_layout(
	uint32_t format, uint32_t width, uint32_t height, uint32_t *row_bytes, uint64_t *size)
{
	uint32_t bytes = kr_format_bytes(format);
	uint64_t row;

	if (!width || !height)
		return -EINVAL;
	if (!bytes || width > KR_BUFFER_MAX_EXTENT || height > KR_BUFFER_MAX_EXTENT)
		return -EOPNOTSUPP;
	row = align(align(width, 4) * bytes, KR_BUFFER_ROW_ALIGN);
	*row_bytes = (uint32_t)row;
	*size = align(row * align(height, 4), KR_BUFFER_PAGE);
	return 0;
}

/* Well formed as AHardwareBuffer.h words it, whatever can be had here. */
static bool
is_well_formed(const struct kr_buffer_desc *desc)
{
	uint64_t read = desc->usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK;
	uint64_t write = desc->usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;

	if (!desc->width || !desc->height || !desc->layers)
		return false;
	if (read && read != AHARDWAREBUFFER_USAGE_CPU_READ_RARELY &&
		read != AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN)
		return false;
	if (write && write != AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY &&
		write != AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)
		return false;
	if ((desc->usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT) && (read || write))
		return false;
	if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB && (desc->height != 1 || desc->layers != 1))
		return false;
	return !(desc->usage & AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP) ||
		(desc->width == desc->height && desc->layers % 6 == 0);
}

int
kr_buffer_check(const struct kr_buffer_desc *desc)
{
	uint32_t row_bytes;
	uint64_t size;

	if (!is_well_formed(desc))
		return -EINVAL;
	if (desc->layers != 1 || (desc->usage & (uint64_t)REFUSED_USAGE))
		return -EOPNOTSUPP;
	return kr_format_layout(desc->format, desc->width, desc->height, &row_bytes, &size);
}
