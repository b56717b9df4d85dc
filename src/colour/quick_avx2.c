/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See quick.h: processors of x86-64 with AVX2 and F16C, eight pixels at a time. Codes are looked up
 * one by one: processors of today gather no faster than that, some slower.
 */
#include "colour/quick.h"

#include <krafla/hardware_buffer.h>

#include "colour/half.h"
#include "colour/lanes.h"
#include "colour/lanes_avx2.h"

#define BLOCK KR_LANES_AT_ONCE

struct parabolas {
	__m256 a, b, c;
};

/* Eight pixels. */
struct lanes {
	__m256 light[3];
	__m256i alpha; /* 0 to 255 */
};

/* What is below 0 stays so: it is clipped when it is packed. */
KR_LANES_IN __m256i
channels_of(const struct parabolas *p, __m256 light)
{
	__m256i at;
	__m256 a, b, c;

	light = _mm256_min_ps(light, _mm256_set1_ps(0x1.fffffep-1f));
	at = _mm256_castps_si256(_mm256_max_ps(light, _mm256_set1_ps(0x1p-8f)));
	at = _mm256_srli_epi32(at, 23);
	a = _mm256_permutevar8x32_ps(p->a, at);
	b = _mm256_permutevar8x32_ps(p->b, at);
	c = _mm256_permutevar8x32_ps(p->c, at);
	c = _mm256_add_ps(_mm256_mul_ps(c, light), b);
	return _mm256_cvttps_epi32(_mm256_add_ps(_mm256_mul_ps(c, light), a));
}

KR_LANES_IN __m256
row_of(const float *matrix, const __m256 light[3])
{
	__m256 sum = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(matrix[0]), light[0]),
		_mm256_mul_ps(_mm256_set1_ps(matrix[1]), light[1]));

	return _mm256_add_ps(sum, _mm256_mul_ps(_mm256_set1_ps(matrix[2]), light[2]));
}

KR_LANES_IN void
store(const struct kr_colour_conversion *c, const struct parabolas *p, const struct lanes *lanes,
	uint32_t *to, bool xrgb)
{
	const __m256i order = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
		0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
	__m256i red = channels_of(p, row_of(c->matrix, lanes->light));
	__m256i green = channels_of(p, row_of(c->matrix + 3, lanes->light));
	__m256i blue = channels_of(p, row_of(c->matrix + 6, lanes->light));
	__m256i first = _mm256_packus_epi32(xrgb ? blue : red, green);
	__m256i last = _mm256_packus_epi32(xrgb ? red : blue, lanes->alpha);

	first = _mm256_packus_epi16(first, last);
	_mm256_storeu_si256((__m256i *)to, _mm256_shuffle_epi8(first, order));
}

/* --- codes --- */

KR_LANES_IN __m256i
alphas_of(__m256i words, uint32_t bits)
{
	if (bits == 8)
		return _mm256_srli_epi32(words, 24);
	if (bits == 2)
		return _mm256_mullo_epi16(_mm256_srli_epi32(words, 30), _mm256_set1_epi32(0x55));
	return _mm256_set1_epi32(0xff);
}

KR_LANES_IN void
through_hlg_display(const struct kr_colour_curve *gain, __m256 light[3])
{
	__m256 luminance = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(KR_COLOUR_HLG_RED), light[0]),
		_mm256_mul_ps(_mm256_set1_ps(KR_COLOUR_HLG_GREEN), light[1]));
	__m256 times;

	luminance = _mm256_add_ps(
		luminance, _mm256_mul_ps(_mm256_set1_ps(KR_COLOUR_HLG_BLUE), light[2]));
	times = kr_lanes_at_curve(gain, luminance);
	for (int i = 0; i < 3; i++)
		light[i] = _mm256_mul_ps(light[i], times);
}

/* The layout's numbers are constants wherever this is inlined. `gain`: NULL, there is none. */
KR_LANES_IN void
load_codes(const struct kr_colour_conversion *c, const struct kr_colour_curve *gain,
	const uint32_t *from, struct lanes *lanes, uint32_t bits, uint32_t first, uint32_t third,
	uint32_t alpha)
{
	const uint32_t mask = (1u << bits) - 1;
	float light[3][BLOCK] __attribute__((aligned(32)));

	for (int i = 0; i < BLOCK; i++) {
		light[0][i] = c->codes[0][from[i] >> first & mask];
		light[1][i] = c->codes[1][from[i] >> bits & mask];
		light[2][i] = c->codes[2][from[i] >> third & mask];
	}
	for (int i = 0; i < 3; i++)
		lanes->light[i] = _mm256_load_ps(light[i]);
	if (gain)
		through_hlg_display(gain, lanes->light);
	lanes->alpha = alphas_of(_mm256_loadu_si256((const __m256i *)from), alpha);
}

KR_LANES_IN void
run(const struct kr_colour_conversion *c, const struct parabolas *p, const uint32_t *from,
	uint32_t *to, uint32_t width, bool xrgb, uint32_t bits, uint32_t first, uint32_t third,
	uint32_t alpha)
{
	const struct kr_colour_curve *gain =
		c->from.transfer == KR_TRANSFER_HLG ? kr_colour_hlg_gain() : NULL;
	uint32_t rest[BLOCK] = {0}, made[BLOCK], x = 0;
	struct lanes lanes;

	for (; width - x >= BLOCK; x += BLOCK) {
		load_codes(c, gain, from + x, &lanes, bits, first, third, alpha);
		store(c, p, &lanes, to + x, xrgb);
	}
	if (x == width)
		return;
	memcpy(rest, from + x, (width - x) * sizeof(*from));
	load_codes(c, gain, rest, &lanes, bits, first, third, alpha);
	store(c, p, &lanes, made, xrgb);
	memcpy(to + x, made, (width - x) * sizeof(*to));
}

#define ROW(name, bits, first, third, alpha)                                                       \
	KR_LANES static void name(const struct kr_colour_conversion *c, const struct parabolas *p, \
		const void *from, uint32_t *to, uint32_t width, bool xrgb)                         \
	{                                                                                          \
		if (xrgb)                                                                          \
			run(c, p, from, to, width, true, bits, first, third, alpha);               \
		else                                                                               \
			run(c, p, from, to, width, false, bits, first, third, alpha);              \
	}

ROW(rgba_row, 8, 0, 16, 8)
ROW(rgbx_row, 8, 0, 16, 0)
ROW(bgra_row, 8, 16, 0, 8)
ROW(rgb10_row, 10, 0, 20, 2)

/* --- halves --- */

/* Pixels `at` and `at` + 4, and those after them. */
KR_LANES_IN void
load_pairs(const uint8_t *from, int at, __m256 pairs[2])
{
	const __m128i *pixels = (const __m128i *)from;
	__m128i low = _mm_loadu_si128(pixels + at / 2);
	__m128i high = _mm_loadu_si128(pixels + at / 2 + 2);

	pairs[0] = _mm256_cvtph_ps(_mm_unpacklo_epi64(low, high));
	pairs[1] = _mm256_cvtph_ps(_mm_unpackhi_epi64(low, high));
}

KR_LANES_IN void
load_halves(const uint8_t *from, struct lanes *lanes, __m256 least, __m256 most)
{
	__m256 pairs[4], low[2], high[2], alpha;

	load_pairs(from, 0, pairs);
	load_pairs(from, 2, pairs + 2);
	for (int i = 0; i < 2; i++) {
		low[i] = _mm256_unpacklo_ps(pairs[2 * i], pairs[2 * i + 1]);
		high[i] = _mm256_unpackhi_ps(pairs[2 * i], pairs[2 * i + 1]);
	}
	lanes->light[0] = _mm256_shuffle_ps(low[0], low[1], 0x44);
	lanes->light[1] = _mm256_shuffle_ps(low[0], low[1], 0xee);
	lanes->light[2] = _mm256_shuffle_ps(high[0], high[1], 0x44);
	alpha = _mm256_shuffle_ps(high[0], high[1], 0xee);
	for (int i = 0; i < 3; i++)
		lanes->light[i] = kr_lanes_clip(lanes->light[i], least, most);
	alpha = kr_lanes_clip(alpha, _mm256_setzero_ps(), _mm256_set1_ps(1));
	alpha = _mm256_add_ps(_mm256_mul_ps(alpha, _mm256_set1_ps(255)), _mm256_set1_ps(0.5f));
	lanes->alpha = _mm256_cvttps_epi32(alpha);
}

KR_LANES static void
halves_row(const struct kr_colour_conversion *c, const struct parabolas *p, const void *from,
	uint32_t *to, uint32_t width, bool xrgb)
{
	const __m256 least = _mm256_set1_ps(c->from.extended ? -KR_COLOUR_HALF_MOST : 0);
	const __m256 most = _mm256_set1_ps(c->from.extended ? KR_COLOUR_HALF_MOST : 1);
	const size_t bytes = KR_COLOUR_CHANNELS * sizeof(uint16_t);
	uint8_t rest[BLOCK * KR_COLOUR_CHANNELS * sizeof(uint16_t)] = {0};
	const uint8_t *at = from;
	uint32_t made[BLOCK], x = 0;
	struct lanes lanes;

	for (; width - x >= BLOCK; x += BLOCK) {
		load_halves(at + x * bytes, &lanes, least, most);
		store(c, p, &lanes, to + x, xrgb);
	}
	if (x == width)
		return;
	memcpy(rest, at + x * bytes, (width - x) * bytes);
	load_halves(rest, &lanes, least, most);
	store(c, p, &lanes, made, xrgb);
	memcpy(to + x, made, (width - x) * sizeof(*to));
}

KR_LANES static bool
convert_row(const struct kr_colour_conversion *c, const void *from, uint32_t *to, uint32_t width,
	bool xrgb)
{
	const struct kr_colour_parabolas *all = kr_colour_srgb_255();
	const struct parabolas p = {
		_mm256_loadu_ps(all->a), _mm256_loadu_ps(all->b), _mm256_loadu_ps(all->c)};

	if (!c->layout) {
		halves_row(c, &p, from, to, width, xrgb);
		return true;
	}
	switch (c->layout->format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
		rgba_row(c, &p, from, to, width, xrgb);
		return true;
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		rgbx_row(c, &p, from, to, width, xrgb);
		return true;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		bgra_row(c, &p, from, to, width, xrgb);
		return true;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		rgb10_row(c, &p, from, to, width, xrgb);
		return true;
	default:
		return false;
	}
}

bool
kr_colour_quick_lanes(const struct kr_colour_conversion *c, const void *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	return kr_colour_has_lanes() && convert_row(c, from, to, width, xrgb);
}
