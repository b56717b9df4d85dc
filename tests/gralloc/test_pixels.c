/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion to 8 bits a channel: every value of every channel, against floating point. */
#include "harness.h"

#include <math.h>
#include <string.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "gralloc/pixels.h"

#define VALUES 65536

/* IEEE 754 binary16, by the book. */
static double
half_value(unsigned half)
{
	unsigned exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff;
	double sign = half & 0x8000 ? -1 : 1;

	if (exponent == 0x1f)
		return mantissa ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp(mantissa, -24);
	return sign * ldexp(1024 + mantissa, (int)exponent - 25);
}

static unsigned
unorm8(double value)
{
	if (!(value > 0))
		return 0;
	return value >= 1 ? 255 : (unsigned)floor(value * 255 + 0.5);
}

static void
every_half_becomes_the_nearest_value(void **state)
{
	static uint16_t pixels[VALUES][4];
	static uint32_t converted[VALUES];

	for (unsigned i = 0; i < VALUES; i++) {
		pixels[i][0] = (uint16_t)i;
		pixels[i][1] = (uint16_t)(i + 1);
		pixels[i][2] = (uint16_t)(i + 2);
		pixels[i][3] = 0x3c00;
	}
	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT)(pixels, converted, VALUES);
	for (unsigned i = 0; i < VALUES; i++) {
		unsigned r = unorm8(half_value(i)), g = unorm8(half_value((i + 1) & 0xffff)),
			 b = unorm8(half_value((i + 2) & 0xffff));

		if ((converted[i] & 0xffffff) != (r << 16 | g << 8 | b))
			fail_msg("half 0x%04x: 0x%06x, not %u %u %u", i, converted[i] & 0xffffff, r,
				g, b);
	}
}

static void
every_10_bits_become_the_nearest_value(void **state)
{
	static uint32_t pixels[1024], converted[1024];

	for (unsigned i = 0; i < 1024; i++)
		pixels[i] = i | (1023 - i) << 10 | ((i * 7) & 0x3ff) << 20;
	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM)(pixels, converted, 1024);
	for (unsigned i = 0; i < 1024; i++) {
		assert_int_equal(converted[i] >> 16 & 0xff, unorm8(i / 1023.0));
		assert_int_equal(converted[i] >> 8 & 0xff, unorm8((1023 - i) / 1023.0));
		assert_int_equal(converted[i] & 0xff, unorm8(((i * 7) & 0x3ff) / 1023.0));
	}
}

/* Of R10G10B10A10, in the upper bits of 16; what lies below them is nothing. */
static void
every_10_bits_of_16_become_the_nearest_value(void **state)
{
	static uint16_t pixels[1024][4];
	static uint32_t converted[2][1024];

	for (unsigned i = 0; i < 1024; i++) {
		pixels[i][0] = (uint16_t)(i << 6 | 63);
		pixels[i][1] = (uint16_t)((1023 - i) << 6);
		pixels[i][2] = (uint16_t)(((i * 7) & 0x3ff) << 6);
		pixels[i][3] = (uint16_t)(((i * 5) & 0x3ff) << 6);
	}
	for (int order = 0; order < 2; order++)
		kr_pixels_row(AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM,
			(enum kr_pixels_order)order)(pixels, converted[order], 1024);
	for (unsigned i = 0; i < 1024; i++) {
		const uint32_t xrgb = converted[KR_PIXELS_XRGB][i];

		assert_int_equal(xrgb >> 16 & 0xff, unorm8(i / 1023.0));
		assert_int_equal(xrgb >> 8 & 0xff, unorm8((1023 - i) / 1023.0));
		assert_int_equal(xrgb & 0xff, unorm8(((i * 7) & 0x3ff) / 1023.0));
		assert_int_equal(xrgb >> 24, unorm8(((i * 5) & 0x3ff) / 1023.0));
		kr_pixels_swap(&converted[KR_PIXELS_XBGR][i], 1);
		assert_int_equal(converted[KR_PIXELS_XBGR][i], xrgb);
	}
}

static void
one_channel_is_red(void **state)
{
	static const uint8_t pixels[2] = {0x12, 0xff};
	uint32_t converted[2];

	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_R8_UNORM)(pixels, converted, 2);
	assert_int_equal(converted[0], 0xff120000);
	assert_int_equal(converted[1], 0xffff0000);
	kr_pixels_row(AHARDWAREBUFFER_FORMAT_R8_UNORM, KR_PIXELS_XBGR)(pixels, converted, 2);
	assert_int_equal(converted[0], 0xff000012);
}

static void
smaller_formats_keep_their_values(void **state)
{
	static uint16_t packed[VALUES];
	static uint32_t converted[VALUES];
	uint32_t rgba = 0x40302010, bgra = 0x40102030, one;

	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM)(&rgba, &one, 1);
	assert_int_equal(one & 0xffffff, 0x102030);
	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM)(&rgba, &one, 1);
	assert_int_equal(one & 0xffffff, 0x102030);
	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM)(&bgra, &one, 1);
	assert_int_equal(one & 0xffffff, 0x102030);
	for (unsigned i = 0; i < VALUES; i++)
		packed[i] = (uint16_t)i;
	kr_pixels_to_xrgb(AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM)(packed, converted, VALUES);
	for (unsigned i = 0; i < VALUES; i++) {
		assert_in_range((converted[i] >> 16 & 0xff) - unorm8((i >> 11) / 31.0) + 1, 0, 2);
		assert_in_range(
			(converted[i] >> 8 & 0xff) - unorm8((i >> 5 & 63) / 63.0) + 1, 0, 2);
		assert_in_range((converted[i] & 0xff) - unorm8((i & 31) / 31.0) + 1, 0, 2);
	}
}

static void
every_format_that_is_shown_can_be_converted(void **state)
{
	for (uint32_t format = 0; format < 256; format++) {
		assert_int_equal(kr_pixels_to_xrgb(format) != NULL, kr_format_is_shown(format));
		assert_true(!kr_format_is_shown(format) || kr_format_bytes(format));
	}
}

/* And no pixel beyond the row is touched. */
static void
width_is_kept(void **state)
{
	static const uint64_t pixels[3] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};

	for (uint32_t format = 0; format < 256; format++) {
		uint32_t out[3] = {1, 1, 1};

		if (!kr_pixels_to_xrgb(format))
			continue;
		kr_pixels_to_xrgb(format)(pixels, out, 2);
		assert_int_not_equal(out[1], 1);
		assert_int_equal(out[2], 1);
	}
}

static void
assert_same(const uint32_t *plain, const uint32_t *other, uint32_t count, bool swapped)
{
	for (uint32_t x = 0; x < count; x++) {
		uint32_t p = other[x];

		if (swapped)
			p = (p & 0xff00) | (p & 0xff) << 16 | (p >> 16 & 0xff);
		if ((plain[x] & 0xffffff) != (p & 0xffffff))
			fail_msg("pixel %u: 0x%06x, not 0x%06x", x, p, plain[x]);
	}
}

/* Whatever the processor, whichever order: the same pixels. */
static void
all_ways_give_the_same(void **state)
{
	static uint64_t pixels[VALUES];
	static uint32_t plain[VALUES], other[VALUES];
	uint64_t value = 1;

	for (uint32_t i = 0; i < VALUES; i++) {
		value = value * UINT64_C(6364136223846793005) + 1442695040888963407;
		pixels[i] = (value & ~UINT64_C(0xffff)) | i;
	}
	for (uint32_t format = 0; format < 256; format++) {
		if (!kr_pixels_to_xrgb(format))
			continue;
		for (uint32_t width = VALUES; width; width = width > 50 ? 50 : width - 1) {
			kr_pixels_plain_row(format, KR_PIXELS_XRGB)(pixels, plain, width);
			kr_pixels_plain_row(format, KR_PIXELS_XBGR)(pixels, other, width);
			assert_same(plain, other, width, true);
			kr_pixels_row(format, KR_PIXELS_XRGB)(pixels, other, width);
			assert_same(plain, other, width, false);
			kr_pixels_row(format, KR_PIXELS_XBGR)(pixels, other, width);
			assert_same(plain, other, width, true);
		}
		kr_pixels_plain_row(format, KR_PIXELS_XBGR)(pixels, other, VALUES);
		kr_pixels_swap(other, VALUES);
		kr_pixels_plain_row(format, KR_PIXELS_XRGB)(pixels, plain, VALUES);
		assert_same(plain, other, VALUES, false);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(all_ways_give_the_same),
	KR_TEST(every_half_becomes_the_nearest_value),
	KR_TEST(every_10_bits_become_the_nearest_value),
	KR_TEST(every_10_bits_of_16_become_the_nearest_value),
	KR_TEST(one_channel_is_red),
	KR_TEST(smaller_formats_keep_their_values),
	KR_TEST(every_format_that_is_shown_can_be_converted),
	KR_TEST(width_is_kept),
};

KR_TEST_MAIN(tests)
