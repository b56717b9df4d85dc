/* SPDX-License-Identifier: Apache-2.0 */
/* Each pair of colour spaces against the reference, for each format; and what isn't converted. */
#include "harness.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>
#include <math.h>
#include <string.h>

#include "colour/convert.h"
#include "colour/half.h"
#include "colour/lanes.h"
#include "half.h"
#include "colour_reference.h"
#include "util/macros.h"

#define RGBA  AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define RGBX  AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM
#define BGRA  AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define RGB5  AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM
#define RGB10 AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM
#define WIDE  AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM
#define RED   AHARDWAREBUFFER_FORMAT_R8_UNORM
#define HALF  AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT

#define WIDTH   507 /* no multiple of what is done at once */
#define CORNERS 125 /* five values a channel */

static const uint32_t formats[] = {RGBA, RGBX, BGRA, RGB5, RGB10, WIDE, RED, HALF};

struct row {
	_Alignas(8) uint8_t pixels[WIDTH * 8];
	double signals[WIDTH][3];
	double alphas[WIDTH];
};

static uint64_t state = 1;

static uint32_t
random_below(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 33) % below);
}

static bool
is_extended(int32_t dataspace)
{
	return (dataspace >> 27 & 7) == 3;
}

/* Of one channel: corners first, then some that are dark, and any. */
static double
value_of(unsigned pixel, unsigned channel, bool extended)
{
	static const unsigned powers[] = {1, 5, 25};
	static const double plain[] = {0, 0.02, 0.5, 0.75, 1}, wide[] = {-0.5, 0, 0.18, 1, 12.5};
	double any = random_below(65536) / 65535.0;

	if (pixel < CORNERS)
		return (extended ? wide : plain)[pixel / powers[channel] % 5];
	if (pixel % 4 == 0)
		any *= 0.03;
	return extended ? any * 14 - 1 : any;
}

static void
put_half(struct row *row, unsigned i, const double v[3], double alpha)
{
	const float in[4] = {(float)v[0], (float)v[1], (float)v[2], (float)alpha};
	float out[4];

	kr_colour_to_halves(in, row->pixels + i * 8, 4);
	kr_colour_from_halves(row->pixels + i * 8, out, 4);
	for (int k = 0; k < 3; k++)
		row->signals[i][k] = (double)out[k];
	row->alphas[i] = (double)out[3];
}

static void
put_word(struct row *row, uint32_t format, unsigned i, const double v[3], double alpha)
{
	static const struct {
		uint32_t format;
		unsigned bits[4], shift[4], bytes;
	} all[] = {
		{RGBA, {8, 8, 8, 8}, {0, 8, 16, 24}, 4},
		{RGBX, {8, 8, 8, 0}, {0, 8, 16, 24}, 4},
		{BGRA, {8, 8, 8, 8}, {16, 8, 0, 24}, 4},
		{RGB5, {5, 6, 5, 0}, {11, 5, 0, 0}, 2},
		{RGB10, {10, 10, 10, 2}, {0, 10, 20, 30}, 4},
		{WIDE, {10, 10, 10, 10}, {6, 22, 38, 54}, 8},
		{RED, {8, 0, 0, 0}, {0, 0, 0, 0}, 1},
	};
	uint64_t word = 0;
	size_t at = 0;

	while (all[at].format != format)
		at++;
	for (int k = 0; k < 3; k++) {
		double most = (1u << all[at].bits[k]) - 1;
		uint32_t code = (uint32_t)(v[k] * most + 0.5);

		word |= (uint64_t)code << all[at].shift[k];
		row->signals[i][k] = most > 0 ? code / most : 0;
	}
	row->alphas[i] = 1;
	if (all[at].bits[3]) {
		double most = (1u << all[at].bits[3]) - 1;
		uint32_t code = (uint32_t)(alpha * most + 0.5);

		word |= (uint64_t)code << all[at].shift[3];
		row->alphas[i] = code / most;
	}
	memcpy(row->pixels + i * all[at].bytes, &word, all[at].bytes);
}

static void
fill(struct row *row, uint32_t format, int32_t dataspace, bool translucent)
{
	for (unsigned i = 0; i < WIDTH; i++) {
		double alpha = translucent && random_below(4) ? random_below(256) / 255.0 : 1, v[3];

		for (unsigned k = 0; k < 3; k++)
			v[k] = value_of(i, k, format == HALF && is_extended(dataspace));
		if (format == HALF)
			put_half(row, i, v, alpha);
		else
			put_word(row, format, i, v, alpha);
	}
}

/*
 * To 10 bits: within 1 of 1023; as floats, too, and of what is above 1 within that part. The same
 * bytes whatever the processor.
 */
static void
check_floats(const struct row *row, const struct kr_colour_conversion *c, int32_t from, int32_t to)
{
	static float floats[WIDTH * 4], plain[WIDTH * 4];
	static uint32_t words[WIDTH], plain_words[WIDTH];
	static uint16_t halves[WIDTH * 4], plain_halves[WIDTH * 4];

	kr_colour_to_floats(c, row->pixels, floats, WIDTH);
	kr_colour_pack(RGB10, floats, words, WIDTH);
	kr_colour_pack(HALF, floats, halves, WIDTH);
	kr_colour_without_lanes(true);
	kr_colour_to_floats(c, row->pixels, plain, WIDTH);
	kr_colour_pack(RGB10, floats, plain_words, WIDTH);
	kr_colour_pack(HALF, floats, plain_halves, WIDTH);
	kr_colour_without_lanes(false);
	assert_memory_equal(floats, plain, sizeof(floats));
	assert_memory_equal(words, plain_words, sizeof(words));
	assert_memory_equal(halves, plain_halves, sizeof(halves));
	for (unsigned i = 0; i < WIDTH; i++) {
		double want[3];

		reference_convert(from, to, row->signals[i], want);
		for (int k = 0; k < 3; k++) {
			double off = fabs((double)floats[4 * i + k] - want[k]) * 1023;
			double code = words[i] >> 10 * k & 1023;

			if (off > 0.5 * fmax(1, fabs(want[k])))
				fail_msg("%d to %d: pixel %u, channel %d is %f, not %f", from, to,
					i, k, (double)floats[4 * i + k], want[k]);
			assert_true(fabs(code - fmin(fmax(want[k], 0), 1) * 1023) <= 1);
		}
		assert_true(fabs((double)floats[4 * i + 3] - row->alphas[i]) < 1e-6);
	}
}

/* To 8 bits: 1 of 1023 beside what rounding does. The same bytes whatever the processor. */
static void
check_words(const struct row *row, const struct kr_colour_conversion *c, int32_t from, int32_t to)
{
	static uint32_t words[WIDTH], plain[WIDTH], other[WIDTH];

	kr_colour_to_words(c, row->pixels, words, WIDTH, false);
	kr_colour_without_lanes(true);
	kr_colour_to_words(c, row->pixels, plain, WIDTH, false);
	kr_colour_without_lanes(false);
	kr_colour_to_words(c, row->pixels, other, WIDTH, true);
	assert_memory_equal(words, plain, sizeof(words));
	for (unsigned i = 0; i < WIDTH; i++) {
		uint32_t w = words[i];
		double want[3];

		assert_int_equal(other[i], (w & 0xff00ff00) | (w & 0xff) << 16 | (w >> 16 & 0xff));
		assert_int_equal(w >> 24, (uint32_t)(row->alphas[i] * 255 + 0.5));
		reference_convert(from, to, row->signals[i], want);
		for (int k = 0; k < 3; k++) {
			double code = w >> 8 * k & 255;
			double off = fabs(code - fmin(fmax(want[k], 0), 1) * 255);

			if (off > 0.5 + 255.0 / 1023)
				fail_msg("%d to %d: pixel %u, channel %d is %f, not %f", from, to,
					i, k, code, want[k] * 255);
		}
	}
}

static void
all_pairs_are_as_the_standards_say(void **unused)
{
	static struct row row;

	for (size_t f = 0; f < KR_ARRAY_LEN(formats); f++) {
		for (int i = 0; i < REFERENCE_SPACES; i++) {
			for (int k = 0; k < REFERENCE_SPACES; k++) {
				int32_t from = reference_spaces[i], to = reference_spaces[k];
				struct kr_colour_conversion c;

				fill(&row, formats[f], from, formats[f] != RGB5);
				kr_colour_conversion_init(&c, formats[f], from, to, false);
				check_floats(&row, &c, from, to);
				check_words(&row, &c, from, to);
			}
		}
	}
}

/* Colours that come multiplied by alpha, as they are encoded, go so. */
static void
alpha_is_divided_out(void **unused)
{
	const double full[3] = {0.8, 0.5, 0.1};
	struct kr_colour_conversion c;
	struct row row = {0};
	double want[3];
	float out[4];

	reference_convert(HAL_DATASPACE_DISPLAY_P3, HAL_DATASPACE_BT2020_PQ, full, want);
	for (double alpha = 1; alpha > 0.2; alpha /= 2) {
		const double v[3] = {full[0] * alpha, full[1] * alpha, full[2] * alpha};

		put_half(&row, 0, v, alpha);
		kr_colour_conversion_init(
			&c, HALF, HAL_DATASPACE_DISPLAY_P3, HAL_DATASPACE_BT2020_PQ, true);
		kr_colour_to_floats(&c, row.pixels, out, 1);
		for (int k = 0; k < 3; k++)
			assert_true(fabs((double)out[k] - want[k] * alpha) < 1.0 / 1023);
		put_word(&row, RGBA, 0, v, alpha);
		kr_colour_conversion_init(
			&c, RGBA, HAL_DATASPACE_DISPLAY_P3, HAL_DATASPACE_BT2020_PQ, true);
		kr_colour_to_floats(&c, row.pixels, out, 1);
		for (int k = 0; k < 3; k++)
			assert_true(fabs((double)out[k] - want[k] * alpha) < 4.0 / 1023);
	}
	put_word(&row, RGBA, 0, full, 0);
	kr_colour_to_floats(&c, row.pixels, out, 1);
	for (int k = 0; k < 4; k++)
		assert_true(isfinite(out[k]));
}

/* Reference white and black are themselves everywhere: 203 cd/m2 of PQ, 0.75 of HLG. */
static void
white_is_white(void **unused)
{
	const uint32_t pixels[2] = {0xffffffff, 0xff000000};
	struct kr_colour_conversion c;
	uint32_t words[2];
	float out[8];

	for (int i = 0; i < REFERENCE_SPACES; i++) {
		int32_t to = reference_spaces[i];
		float white = to == HAL_DATASPACE_BT2020_PQ ? 0.5807f
			: to == HAL_DATASPACE_BT2020_HLG    ? 0.75f
							    : 1;

		kr_colour_conversion_init(&c, RGBA, HAL_DATASPACE_SRGB, to, false);
		kr_colour_to_floats(&c, pixels, out, 2);
		for (int k = 0; k < 3; k++) {
			assert_true(fabsf(out[k] - white) < 0.0005f);
			assert_true(fabsf(out[4 + k]) < 1e-5f);
		}
	}
	kr_colour_conversion_init(&c, RGBA, HAL_DATASPACE_SRGB, HAL_DATASPACE_DISPLAY_P3, false);
	kr_colour_to_words(&c, pixels, words, 2, false);
	assert_memory_equal(words, pixels, sizeof(pixels));
}

/* Nothing is off by anything where the space stays, and greys stay with sRGB's curve. */
static void
what_stays_is_exact(void **unused)
{
	uint32_t all[256], words[256];
	struct kr_colour_conversion c;
	static uint32_t ten[1024], back[1024];
	static float floats[4096];

	for (uint32_t i = 0; i < 256; i++)
		all[i] = 0xff000000 | i << 16 | i << 8 | i;
	kr_colour_conversion_init(&c, RGBA, HAL_DATASPACE_SRGB, HAL_DATASPACE_DISPLAY_P3, false);
	kr_colour_to_words(&c, all, words, 256, false);
	assert_memory_equal(words, all, sizeof(all));
	for (uint32_t i = 0; i < 1024; i++)
		ten[i] = (i & 3) << 30 | (1023 - i) << 20 | (i * 7 & 1023) << 10 | i;
	kr_colour_conversion_init(
		&c, RGB10, HAL_DATASPACE_BT2020_PQ, HAL_DATASPACE_BT2020_PQ, true);
	kr_colour_to_floats(&c, ten, floats, 1024);
	kr_colour_pack(RGB10, floats, back, 1024);
	assert_memory_equal(ten, back, sizeof(ten));
}

/* Halves there and back; what can't be shown is clipped, what is no number is 0. */
static void
halves_are_what_they_were(void **unused)
{
	static uint16_t halves[65536], back[65536];
	static float floats[65536];
	const float odd[4] = {INFINITY, -INFINITY, NAN, 1e9f};
	uint16_t out[4];

	for (uint32_t i = 0; i < 65536; i++)
		halves[i] = (uint16_t)i;
	kr_colour_from_halves(halves, floats, 65536);
	kr_colour_to_halves(floats, back, 65536);
	for (uint32_t i = 0; i < 65536; i++) {
		if ((i & 0x7fff) < 0x7c00)
			assert_int_equal(back[i], i);
	}
	for (uint32_t i = 0; i < 256; i++) {
		float value = (float)i / 255;

		kr_colour_to_halves(&value, out, 1);
		assert_int_equal(out[0], kr_test_half(i));
	}
	kr_colour_to_halves(odd, out, 4);
	assert_int_equal(out[0], 0x7bff);
	assert_int_equal(out[1], 0xfbff);
	assert_int_equal(out[2] & 0x7fff, 0);
	assert_int_equal(out[3], 0x7bff);
}

/* Numbers that are none, or beyond what a space has, make no others. */
static void
odd_numbers_are_clipped(void **unused)
{
	const uint16_t pixels[8] = {0x7c00, 0xfc00, 0x7e00, 0x3c00, 0x7bff, 0x8001, 0x0001, 0x7e00};
	float out[8];

	for (int i = 0; i < REFERENCE_SPACES; i++) {
		for (int k = 0; k < REFERENCE_SPACES; k++) {
			bool extended = is_extended(reference_spaces[k]);
			struct kr_colour_conversion c;

			kr_colour_conversion_init(
				&c, HALF, reference_spaces[i], reference_spaces[k], true);
			kr_colour_to_floats(&c, pixels, out, 2);
			for (int n = 0; n < 8; n++) {
				assert_true(isfinite(out[n]));
				assert_true(extended || (out[n] >= 0 && out[n] <= 1));
			}
		}
	}
}

/* All halves there are, in each channel, to words: the same on all processors, none of them odd. */
static void
all_halves_become_words(void **unused)
{
	static uint16_t halves[65536];
	static uint32_t words[65536 / 4], plain[65536 / 4];
	struct kr_colour_conversion c;

	for (int i = 0; i < REFERENCE_SPACES; i++) {
		for (uint32_t k = 0; k < 65536; k++)
			halves[k] = (uint16_t)(k * 40503); /* odd: each comes once */
		kr_colour_conversion_init(
			&c, HALF, reference_spaces[i], HAL_DATASPACE_DISPLAY_P3, false);
		kr_colour_to_words(&c, halves, words, KR_ARRAY_LEN(words), false);
		kr_colour_without_lanes(true);
		kr_colour_to_words(&c, halves, plain, KR_ARRAY_LEN(plain), false);
		kr_colour_without_lanes(false);
		assert_memory_equal(words, plain, sizeof(words));
		for (uint32_t k = 0; k < KR_ARRAY_LEN(words); k++) {
			float alpha;

			kr_colour_from_halves(&halves[4 * k + 3], &alpha, 1);
			alpha = alpha > 0 ? fminf(alpha, 1) : 0;
			assert_int_equal(words[k] >> 24, (uint32_t)(alpha * 255 + 0.5f));
		}
	}
	/* 65504 times a matrix below 0, and as far above 1: neither turns over. */
	for (uint32_t k = 0; k < 8; k++) {
		const uint16_t pixel[4] = {k & 1 ? 0x7bff : 0xfbff, k & 2 ? 0x7bff : 0xfbff,
			k & 4 ? 0x7bff : 0xfbff, 0x3c00};

		kr_colour_conversion_init(
			&c, HALF, HAL_DATASPACE_SCRGB_LINEAR, HAL_DATASPACE_DISPLAY_P3, false);
		kr_colour_to_words(&c, pixel, words, 1, false);
		for (int n = 0; n < 3; n++)
			assert_int_equal(words[0] >> 8 * n & 255, k >> n & 1 ? 255 : 0);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(all_pairs_are_as_the_standards_say),
	KR_TEST(alpha_is_divided_out),
	KR_TEST(white_is_white),
	KR_TEST(what_stays_is_exact),
	KR_TEST(halves_are_what_they_were),
	KR_TEST(odd_numbers_are_clipped),
	KR_TEST(all_halves_become_words),
};
KR_TEST_MAIN(tests)
