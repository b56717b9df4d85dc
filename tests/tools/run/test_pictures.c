/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What captures make of a display's pixels, whatever their format, and when the display has its
 * buffer back. The display's holds are this test's own.
 */
#include "harness.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <string.h>

#include "composer/output/output.h"
#include "gralloc/buffer.h"
#include "tools/run/capture/picture.h"
#include "tools/run/capture/rows.h"

#define WIDTH  5
#define HEIGHT 3

/* 8 bits a channel, whatever comes. */
static const struct kr_capture_taking copied = {.fixed = true, .depth = KR_CAPTURE_8};
static const struct kr_capture_taking lent = {.as_is = true, .fixed = true, .depth = KR_CAPTURE_8};

struct kr_picture_hold {
	bool refused;
	int taken;
	int dropped;
};

bool
kr_picture_hold_take(struct kr_picture_hold *hold)
{
	hold->taken += !hold->refused;
	return !hold->refused;
}

void
kr_picture_hold_drop(struct kr_picture_hold *hold)
{
	hold->dropped++;
}

/* Red, green and blue of a pixel, each 0 or 255, which every format can have exactly. */
static uint32_t
colour(unsigned x, unsigned y)
{
	return ((x + y) & 1 ? 0xff : 0) | (x & 2 ? 0xff00 : 0) | (y & 1 ? 0xff0000 : 0);
}

/* The pixel in a format, its alpha, where it has some, being 0. */
static uint64_t
pixel_of(uint32_t format, uint32_t rgb)
{
	uint64_t r = rgb & 1, g = rgb >> 8 & 1, b = rgb >> 16 & 1;

	switch (format) {
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		return r * 0xff0000 + g * 0xff00 + b * 0xff;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
		return r * 0xf800 + g * 0x7e0 + b * 0x1f;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return r * 0x3ff + g * 0xffc00 + b * 0x3ff00000;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return r * 0x3c00 + g * 0x3c000000 + b * 0x3c0000000000;
	default:
		return rgb;
	}
}

/* A frame with so many bytes behind each row. */
static struct kr_composed_frame
make_frame(uint32_t format, uint32_t padding, struct kr_picture_hold *hold)
{
	static _Alignas(8) uint8_t pixels[4096];
	uint32_t bytes = kr_format_bytes(format), row = WIDTH * bytes + padding;

	memset(pixels, 0x5a, sizeof(pixels));
	for (unsigned y = 0; y < HEIGHT; y++) {
		for (unsigned x = 0; x < WIDTH; x++) {
			uint64_t pixel = pixel_of(format, colour(x, y));

			memcpy(pixels + (size_t)y * row + (size_t)x * bytes, &pixel, bytes);
		}
	}
	return (struct kr_composed_frame){
		.number = 7,
		.width = WIDTH,
		.height = HEIGHT,
		.format = format,
		.row_bytes = row,
		.pixels = pixels,
		.hold = hold,
		.dataspace = HAL_DATASPACE_SRGB,
	};
}

/* In two bands. */
static bool
take_all(const struct kr_capture_picture *picture)
{
	bool first = kr_capture_picture_take(picture, 0, 1);

	return kr_capture_picture_take(picture, 1, HEIGHT) && first;
}

static void
expect_pixels(const struct kr_capture_picture *picture)
{
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
		assert_int_equal(((const uint32_t *)picture->pixels)[i],
			0xff000000 | colour(i % WIDTH, i / WIDTH));
}

static const uint32_t formats[] = {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
	AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM,
	AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
};

/* The display has its buffer back as soon as the pixels were taken. */
static void
every_format_becomes_opaque_rgba(void **state)
{
	struct kr_capture_picture picture = {0};

	for (size_t i = 0; i < 2 * KR_ARRAY_LEN(formats); i++) {
		struct kr_picture_hold hold = {0};
		struct kr_composed_frame frame = make_frame(formats[i / 2], i % 2 ? 24 : 0, &hold);

		assert_int_equal(kr_capture_picture_begin(&picture, &frame, &copied), 0);
		assert_true(take_all(&picture));
		assert_int_equal(hold.dropped, 0);
		assert_true(kr_capture_picture_complete(&picture, true));
		assert_int_equal(hold.taken, 1);
		assert_int_equal(hold.dropped, 1);
		expect_pixels(&picture);
		kr_capture_picture_drop(&picture);
		assert_int_equal(hold.dropped, 1);
	}
	kr_capture_picture_finish(&picture);
}

/* What a pixel of a depth is, of a colour whose channels are 0 or 255. */
static uint64_t
deep_pixel(enum kr_capture_depth depth, uint32_t rgb)
{
	uint32_t format = kr_capture_pixel_format(depth);

	return depth == KR_CAPTURE_10 ? pixel_of(format, rgb) | UINT64_C(3) << 30
				      : pixel_of(format, rgb) | UINT64_C(0x3c00) << 48;
}

static void
expect_deep_pixels(const struct kr_capture_picture *picture)
{
	uint32_t bytes = kr_capture_bytes(picture->depth);

	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		uint64_t found = 0;

		memcpy(&found, (const uint8_t *)picture->pixels + (size_t)i * bytes, bytes);
		assert_int_equal(found, deep_pixel(picture->depth, colour(i % WIDTH, i / WIDTH)));
	}
}

/* More than 8 bits stay; floats that mean 0 to 1 become 10 bits. */
static void
deep_pictures_stay_deep(void **state)
{
	static const struct {
		uint32_t format;
		int32_t dataspace;
		struct kr_capture_taking taking;
		enum kr_capture_depth depth;
	} rows[] = {
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, HAL_DATASPACE_SRGB, {0}, KR_CAPTURE_10},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, HAL_DATASPACE_BT2020_PQ, {0},
			KR_CAPTURE_10},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, HAL_DATASPACE_SRGB, {0}, KR_CAPTURE_10},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, HAL_DATASPACE_SCRGB_LINEAR, {0},
			KR_CAPTURE_FLOAT},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, HAL_DATASPACE_BT2020_PQ,
			{.fixed = true, .depth = KR_CAPTURE_10}, KR_CAPTURE_10},
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, HAL_DATASPACE_SCRGB_LINEAR,
			{.fixed = true, .depth = KR_CAPTURE_FLOAT}, KR_CAPTURE_FLOAT},
	};
	struct kr_capture_picture picture = {0};

	for (size_t i = 0; i < 2 * KR_ARRAY_LEN(rows); i++) {
		struct kr_picture_hold hold = {0};
		struct kr_composed_frame frame =
			make_frame(rows[i / 2].format, i % 2 ? 24 : 0, &hold);

		frame.dataspace = rows[i / 2].dataspace;
		assert_int_equal(
			kr_capture_picture_begin(&picture, &frame, &rows[i / 2].taking), 0);
		assert_int_equal(picture.depth, rows[i / 2].depth);
		assert_int_equal(picture.dataspace, rows[i / 2].dataspace);
		assert_true(take_all(&picture));
		assert_true(kr_capture_picture_complete(&picture, true));
		assert_int_equal(hold.dropped, 1);
		expect_deep_pixels(&picture);
	}
	kr_capture_picture_finish(&picture);
}

static void
displays_have_depths(void **state)
{
	assert_int_equal(kr_capture_depth_of(0), KR_CAPTURE_8);
	assert_int_equal(kr_capture_depth_of(HAL_DATASPACE_SRGB), KR_CAPTURE_8);
	assert_int_equal(kr_capture_depth_of(HAL_DATASPACE_DISPLAY_P3), KR_CAPTURE_8);
	assert_int_equal(kr_capture_depth_of(HAL_DATASPACE_BT2020_PQ), KR_CAPTURE_10);
	assert_int_equal(kr_capture_depth_of(HAL_DATASPACE_BT2020_HLG), KR_CAPTURE_10);
	assert_int_equal(kr_capture_depth_of(HAL_DATASPACE_SCRGB_LINEAR), KR_CAPTURE_FLOAT);
}

static void
formats_that_nobody_knows_are_refused(void **state)
{
	struct kr_capture_picture picture = {0};
	struct kr_picture_hold hold = {0};
	struct kr_composed_frame frame = make_frame(formats[0], 0, &hold);

	frame.format = 0x7777;
	assert_int_equal(kr_capture_picture_begin(&picture, &frame, &copied), -22);
	assert_int_equal(hold.taken, hold.dropped);
	kr_capture_picture_finish(&picture);
}

static void
make_opaque(const struct kr_composed_frame *frame)
{
	uint8_t *alpha = (uint8_t *)(uintptr_t)frame->pixels + 3;

	for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
		alpha[(size_t)i * 4] = 255;
}

/* Nothing is copied; the buffer is the display's again when it was written. */
static void
what_is_right_stays_where_it_is(void **state)
{
	struct kr_capture_picture picture = {0};
	struct kr_picture_hold hold = {0};
	struct kr_composed_frame frame = make_frame(formats[0], 0, &hold);

	make_opaque(&frame);
	assert_int_equal(kr_capture_picture_begin(&picture, &frame, &lent), 0);
	assert_true(take_all(&picture));
	assert_true(kr_capture_picture_complete(&picture, true));
	assert_ptr_equal(picture.pixels, frame.pixels);
	assert_int_equal(hold.dropped, 0);
	kr_capture_picture_drop(&picture);
	assert_int_equal(hold.dropped, 1);
	kr_capture_picture_finish(&picture);
}

/* One pixel, in the last row, isn't opaque. */
static void
what_is_not_right_is_taken_again(void **state)
{
	struct kr_capture_picture picture = {0};
	struct kr_picture_hold hold = {0};
	struct kr_composed_frame frame = make_frame(formats[0], 0, &hold);
	uint8_t *last = (uint8_t *)(uintptr_t)frame.pixels + WIDTH * HEIGHT * 4 - 1;

	make_opaque(&frame);
	*last = 254;
	assert_int_equal(kr_capture_picture_begin(&picture, &frame, &lent), 0);
	assert_false(take_all(&picture));
	assert_false(kr_capture_picture_complete(&picture, false));
	assert_int_equal(hold.dropped, 0);
	assert_true(take_all(&picture));
	assert_true(kr_capture_picture_complete(&picture, true));
	assert_int_equal(hold.dropped, 1);
	expect_pixels(&picture);
	assert_int_equal(*last, 254);
	kr_capture_picture_finish(&picture);
}

/* Rows with gaps, another order of channels, and pixels that the display doesn't lend. */
static void
what_can_not_stay_is_converted(void **state)
{
	const struct {
		uint32_t format;
		uint32_t padding;
		bool refused;
	} rows[] = {{formats[0], 16, false}, {formats[2], 0, false}, {formats[0], 0, true}};
	struct kr_capture_picture picture = {0};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		struct kr_picture_hold hold = {.refused = rows[i].refused};
		struct kr_composed_frame frame = make_frame(rows[i].format, rows[i].padding, &hold);

		assert_int_equal(kr_capture_picture_begin(&picture, &frame, &lent), 0);
		assert_true(take_all(&picture));
		assert_true(kr_capture_picture_complete(&picture, true));
		assert_int_equal(hold.taken, !rows[i].refused);
		assert_int_equal(hold.dropped, hold.taken);
		expect_pixels(&picture);
	}
	kr_capture_picture_finish(&picture);
}

static void
expect_near(unsigned found, double wanted)
{
	if (found < wanted - 0.501 || found > wanted + 0.501)
		fail_msg("%u where %.4f is right", found, wanted);
}

/* BT.709 in the limited range, for colours all over the cube; grey has no colour. */
static void
y_cb_cr_is_the_nearest(void **state)
{
	uint32_t row[256];
	uint8_t y[256], cb[256], cr[256];

	for (unsigned outer = 0; outer < 52 * 52; outer++) {
		unsigned r = outer / 52 * 5, g = outer % 52 * 5;

		for (unsigned b = 0; b < 256; b++)
			row[b] = 0x12000000 | b << 16 | g << 8 | r;
		kr_ycbcr_from_rgbx(row, y, cb, cr, 256);
		for (unsigned b = 0; b < 256; b++) {
			double luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;

			expect_near(y[b], 16 + luma * 219 / 255);
			expect_near(cb[b], 128 + (b - luma) / 1.8556 * 224 / 255);
			expect_near(cr[b], 128 + (r - luma) / 1.5748 * 224 / 255);
		}
	}
	for (unsigned grey = 0; grey < 256; grey++)
		row[grey] = grey * 0x10101;
	kr_ycbcr_from_rgbx(row, y, cb, cr, 256);
	for (unsigned grey = 0; grey < 256; grey++) {
		assert_int_equal(cb[grey], 128);
		assert_int_equal(cr[grey], 128);
	}
}

/* The same of 10 bits, for either matrix. */
static void
y_cb_cr_of_ten_bits_is_the_nearest(void **state)
{
	static const double weights[][2] = {{0.2126, 0.0722}, {0.2627, 0.0593}};
	uint32_t row[64];
	uint16_t y[64], cb[64], cr[64];

	for (unsigned outer = 0; outer < 2 * 64 * 64; outer++) {
		unsigned bt2020 = outer / 4096, r = outer / 64 % 64 * 16, g = outer % 64 * 16 + 15;
		double kr = weights[bt2020][0], kb = weights[bt2020][1];

		for (unsigned i = 0; i < 64; i++)
			row[i] = (i * 16 + i % 16) << 20 | g << 10 | r;
		kr_ycbcr_from_10(row, y, cb, cr, 64, bt2020);
		for (unsigned i = 0; i < 64; i++) {
			double b = i * 16 + i % 16, luma = kr * r + (1 - kr - kb) * g + kb * b;

			expect_near(y[i], 64 + luma * 876 / 1023);
			expect_near(cb[i], 512 + (b - luma) / (2 - 2 * kb) * 896 / 1023);
			expect_near(cr[i], 512 + (r - luma) / (2 - 2 * kr) * 896 / 1023);
		}
	}
}

static void
ten_bits_are_spread_over_sixteen(void **state)
{
	for (uint32_t ten = 0; ten < 1024; ten++) {
		uint32_t pixel = UINT32_C(3) << 30 | (1023 - ten) << 20 | 512 << 10 | ten;
		uint8_t to[6];

		kr_rgb16_from_10(&pixel, to, 1);
		assert_int_equal(to[0] << 8 | to[1], (unsigned)(ten * 65535.0 / 1023 + 0.5));
		assert_int_equal(
			to[4] << 8 | to[5], (unsigned)((1023 - ten) * 65535.0 / 1023 + 0.5));
		kr_rgb_from_10(&pixel, to, 1);
		assert_int_equal(to[0] << 8 | to[1], ten);
		assert_int_equal(to[2] << 8 | to[3], 512);
		assert_int_equal(to[4] << 8 | to[5], 1023 - ten);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(deep_pictures_stay_deep),
	KR_TEST(displays_have_depths),
	KR_TEST(y_cb_cr_of_ten_bits_is_the_nearest),
	KR_TEST(ten_bits_are_spread_over_sixteen),
	KR_TEST(every_format_becomes_opaque_rgba),
	KR_TEST(formats_that_nobody_knows_are_refused),
	KR_TEST(what_is_right_stays_where_it_is),
	KR_TEST(what_is_not_right_is_taken_again),
	KR_TEST(what_can_not_stay_is_converted),
	KR_TEST(y_cb_cr_is_the_nearest),
};
KR_TEST_MAIN(tests)
