/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of rows, in whole numbers alone: the same bytes on every machine. */
#include "gralloc/pixels.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"

static void
bgrx_row(const void *from, uint32_t *to, uint32_t width)
{
	memcpy(to, from, (size_t)width * 4);
}

static void
rgbx_row(const void *from, uint32_t *to, uint32_t width)
{
	const uint32_t *source = from;

	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = source[x];

		to[x] = (p & 0xff00ff00) | (p & 0xff) << 16 | (p >> 16 & 0xff);
	}
}

static void
rgb565_row(const void *from, uint32_t *to, uint32_t width)
{
	const uint16_t *source = from;

	for (uint32_t x = 0; x < width; x++) {
		uint32_t r = source[x] >> 11, g = source[x] >> 5 & 0x3f, b = source[x] & 0x1f;

		to[x] = 0xff000000 | (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 |
			(b << 3 | b >> 2);
	}
}

static uint32_t
from_10_bits(uint32_t value)
{
	return ((value & 0x3ff) * 255 + 511) / 1023;
}

static void
rgb10_row(const void *from, uint32_t *to, uint32_t width)
{
	const uint32_t *source = from;

	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = source[x];

		to[x] = 0xff000000 | from_10_bits(p) << 16 | from_10_bits(p >> 10) << 8 |
			from_10_bits(p >> 20);
	}
}

#define HALF_ONE      0x3c00u
#define HALF_INFINITY 0x7c00u
#define HALF_SIGN     0x8000u

/*
 * A half is (1024 + mantissa) * 2^(exponent - 25). Times 255 and rounded that is a shift; a
 * denormal number is too small to become 1.
 */
static uint32_t
from_half(uint32_t half)
{
	uint32_t exponent = half >> 10 & 0x1f, shift = 25 - exponent;

	if (half & HALF_SIGN || half > HALF_INFINITY || !exponent)
		return 0;
	if (half >= HALF_ONE)
		return 255;
	return ((1024 + (half & 0x3ff)) * 255 + (1u << (shift - 1))) >> shift;
}

static void
half_row(const void *from, uint32_t *to, uint32_t width)
{
	const uint16_t *source = from;

	for (uint32_t x = 0; x < width; x++, source += 4)
		to[x] = 0xff000000 | from_half(source[0]) << 16 | from_half(source[1]) << 8 |
			from_half(source[2]);
}

kr_pixels_row_fn
kr_pixels_to_xrgb(uint32_t format)
{
	static const struct {
		uint32_t format;
		kr_pixels_row_fn row;
	} rows[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, rgbx_row},
		{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, rgbx_row},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, bgrx_row},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, rgb565_row},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, rgb10_row},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, half_row},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (rows[i].format == format)
			return rows[i].row;
	}
	return NULL;
}
