/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of rows, the same bytes on every machine. Plain loops without branches, which
 * compilers turn into as many lanes as a processor has (meson.build has this file optimised for
 * that); what has no such form, shifts by a variable and divisions, is written as what has.
 */
#include "gralloc/pixels.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/pixels_lanes.h"
#include "util/macros.h"

/* Where red and blue stand in a word. */
#define XRGB 16, 0
#define XBGR 0, 16

static void
copy_row(const void *from, uint32_t *restrict to, uint32_t width)
{
	memcpy(to, from, (size_t)width * 4);
}

static void
swap_row(const void *from, uint32_t *restrict to, uint32_t width)
{
	const uint32_t *source = from;

	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = source[x];

		to[x] = (p & 0xff00ff00) | (p & 0xff) << 16 | (p >> 16 & 0xff);
	}
}

void
kr_pixels_swap(uint32_t *row, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = row[x];

		row[x] = (p & 0xff00ff00) | (p & 0xff) << 16 | (p >> 16 & 0xff);
	}
}

static inline void
from_565(const uint16_t *restrict from, uint32_t *restrict to, uint32_t width, int red, int blue)
{
	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = from[x], r = p >> 11, g = p >> 5 & 0x3f, b = p & 0x1f;

		to[x] = 0xff000000 | (r << 3 | r >> 2) << red | (g << 2 | g >> 4) << 8 |
			(b << 3 | b >> 2) << blue;
	}
}

/* (value * 255 + 511) / 1023, by shifts: exact for ten bits. */
static inline uint32_t
from_10_bits(uint32_t value)
{
	uint32_t n = ((value & 0x3ff) << 8) - (value & 0x3ff) + 511;

	return (n + (n >> 10) + 1) >> 10;
}

static inline void
from_10(const uint32_t *restrict from, uint32_t *restrict to, uint32_t width, int red, int blue)
{
	for (uint32_t x = 0; x < width; x++) {
		uint32_t p = from[x];

		to[x] = 0xff000000 | from_10_bits(p) << red | from_10_bits(p >> 10) << 8 |
			from_10_bits(p >> 20) << blue;
	}
}

#define HALF_ONE      0x3c00
#define HALF_INFINITY 0x7c00
/* 2^112, by which a half's exponent is less than a float's, times 255. */
#define HALF_TO_255 (0x1p112f * 255)

/*
 * A half's bits, three places further up, are a float's. Its 11 bits times 255 have 19, so that
 * nothing is rounded before the end: floor(255 * half + 1/2), as whole numbers have it. Denormal
 * halves are too small to become 1, whether the processor counts them as 0 or not.
 */
static inline uint8_t
from_half(int16_t half)
{
	union {
		uint32_t bits;
		float value;
	} as;
	int32_t value = half, over;

	/* Below 0 and no number: 0; above 1: 1. Without a branch, whatever the compiler thinks. */
	value &= ~(value >> 31);
	value &= ~((HALF_INFINITY - value) >> 31);
	over = value - HALF_ONE;
	value -= over & ~(over >> 31);
	as.bits = (uint32_t)value << 13;
	return (uint8_t)(int32_t)(as.value * HALF_TO_255 + 0.5f);
}

static void
half_to_xbgr(const void *from, uint32_t *restrict to, uint32_t width)
{
	const int16_t *source = from;
	uint8_t *bytes = (uint8_t *)to;

	for (size_t i = 0; i < (size_t)width * 4; i++)
		bytes[i] = from_half(source[i]);
}

/* In pieces that are still at hand for the swap. */
static void
half_to_xrgb(const void *from, uint32_t *restrict to, uint32_t width)
{
	const uint64_t *source = from;

	for (uint32_t x = 0; x < width; x += 512) {
		uint32_t count = KR_MIN(width - x, 512u);

		half_to_xbgr(source + x, to + x, count);
		kr_pixels_swap(to + x, count);
	}
}

static void
rgb565_to_xrgb(const void *from, uint32_t *restrict to, uint32_t width)
{
	from_565(from, to, width, XRGB);
}

static void
rgb565_to_xbgr(const void *from, uint32_t *restrict to, uint32_t width)
{
	from_565(from, to, width, XBGR);
}

static void
rgb10_to_xrgb(const void *from, uint32_t *restrict to, uint32_t width)
{
	from_10(from, to, width, XRGB);
}

static void
rgb10_to_xbgr(const void *from, uint32_t *restrict to, uint32_t width)
{
	from_10(from, to, width, XBGR);
}

/* Ten bits at the top of 16 each. */
static inline void
from_wide_10(
	const uint64_t *restrict from, uint32_t *restrict to, uint32_t width, int red, int blue)
{
	for (uint32_t x = 0; x < width; x++) {
		uint64_t p = from[x];

		to[x] = from_10_bits((uint32_t)(p >> 54)) << 24 |
			from_10_bits((uint32_t)(p >> 6)) << red |
			from_10_bits((uint32_t)(p >> 22)) << 8 |
			from_10_bits((uint32_t)(p >> 38)) << blue;
	}
}

static void
wide_10_to_xrgb(const void *from, uint32_t *restrict to, uint32_t width)
{
	from_wide_10(from, to, width, XRGB);
}

static void
wide_10_to_xbgr(const void *from, uint32_t *restrict to, uint32_t width)
{
	from_wide_10(from, to, width, XBGR);
}

/* As Vulkan reads it: the other channels are 0. */
static void
red_to_xrgb(const void *from, uint32_t *restrict to, uint32_t width)
{
	const uint8_t *source = from;

	for (uint32_t x = 0; x < width; x++)
		to[x] = 0xff000000 | (uint32_t)source[x] << 16;
}

static void
red_to_xbgr(const void *from, uint32_t *restrict to, uint32_t width)
{
	const uint8_t *source = from;

	for (uint32_t x = 0; x < width; x++)
		to[x] = 0xff000000 | source[x];
}

kr_pixels_row_fn
kr_pixels_row(uint32_t format, enum kr_pixels_order order)
{
	kr_pixels_row_fn lanes = kr_pixels_lanes_row(format, order);

	return lanes ? lanes : kr_pixels_plain_row(format, order);
}

kr_pixels_row_fn
kr_pixels_plain_row(uint32_t format, enum kr_pixels_order order)
{
	static const struct {
		uint32_t format;
		kr_pixels_row_fn row[2]; /* by enum kr_pixels_order */
	} rows[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, {swap_row, copy_row}},
		{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, {swap_row, copy_row}},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, {copy_row, swap_row}},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, {rgb565_to_xrgb, rgb565_to_xbgr}},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, {rgb10_to_xrgb, rgb10_to_xbgr}},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, {half_to_xrgb, half_to_xbgr}},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, {wide_10_to_xrgb, wide_10_to_xbgr}},
		{AHARDWAREBUFFER_FORMAT_R8_UNORM, {red_to_xrgb, red_to_xbgr}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (rows[i].format == format)
			return rows[i].row[order];
	}
	return NULL;
}

kr_pixels_row_fn
kr_pixels_to_xrgb(uint32_t format)
{
	return kr_pixels_row(format, KR_PIXELS_XRGB);
}
