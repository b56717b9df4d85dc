/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See rows.h: processors of x86-64 with AVX2, four wide pixels at a time; rows.c has what each loop
 * calculates, and does the rest of a row.
 */
#include "render/rows.h"

#include <immintrin.h>
#include <string.h>

#define LANES    __attribute__((target("avx2")))
#define LANES_IN LANES __attribute__((always_inline)) static inline
#define BLOCK    4    /* wide pixels of a register */
#define ALPHAS   0x88 /* of each half's 8 channels, those that are alpha */

LANES_IN __m256i
load(const uint16_t *from)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

LANES_IN void
store(uint16_t *to, __m256i value)
{
	_mm256_storeu_si256((__m256i *)(void *)to, value);
}

LANES_IN __m256i
load_narrow(const uint32_t *from)
{
	const __m128i pixels = _mm_loadu_si128((const __m128i *)(const void *)from);

	return _mm256_slli_epi16(_mm256_cvtepu8_epi16(pixels), 8);
}

LANES_IN __m256i
full(void)
{
	return _mm256_set1_epi16((short)KR_RENDER_FULL);
}

/* The pixels' alphas in all of their channels, as parts of 65536. */
LANES_IN __m256i
alphas_of(__m256i pixels)
{
	const __m256i spread = _mm256_setr_epi8(6, 7, 6, 7, 6, 7, 6, 7, 14, 15, 14, 15, 14, 15, 14,
		15, 6, 7, 6, 7, 6, 7, 6, 7, 14, 15, 14, 15, 14, 15, 14, 15);
	const __m256i alphas = _mm256_shuffle_epi8(pixels, spread);

	return _mm256_add_epi16(alphas, _mm256_srli_epi16(alphas, 8));
}

LANES_IN __m256i
lay_over(__m256i below, __m256i pixels, __m256i alphas)
{
	const __m256i rest = _mm256_sub_epi16(below, _mm256_mulhi_epu16(below, alphas));

	return _mm256_min_epu16(_mm256_adds_epu16(rest, pixels), full());
}

LANES static void
widen(uint16_t *restrict to, const uint32_t *from, uint32_t count)
{
	uint32_t i = 0;

	for (; count - i >= BLOCK; i += BLOCK)
		store(to + (size_t)i * KR_RENDER_WIDE,
			_mm256_blend_epi16(load_narrow(from + i), full(), ALPHAS));
	kr_render_any_rows()->widen(to + (size_t)i * KR_RENDER_WIDE, from + i, count - i);
}

LANES static void
narrow(uint32_t *restrict to, const uint16_t *from, uint32_t count)
{
	const __m256i half = _mm256_set1_epi16(128);
	uint32_t i = 0;

	for (; count - i >= 2 * BLOCK; i += 2 * BLOCK) {
		const uint16_t *at = from + (size_t)i * KR_RENDER_WIDE;
		__m256i a = _mm256_srli_epi16(_mm256_add_epi16(load(at), half), 8);
		__m256i b = _mm256_srli_epi16(_mm256_add_epi16(load(at + 16), half), 8);

		_mm256_storeu_si256((__m256i *)(void *)(to + i),
			_mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8));
	}
	kr_render_any_rows()->narrow(to + i, from + (size_t)i * KR_RENDER_WIDE, count - i);
}

LANES_IN void
over(uint16_t *restrict acc, const void *from, uint32_t count, uint32_t dim, bool wide,
	enum kr_render_blend blend)
{
	const size_t bytes = wide ? KR_RENDER_WIDE * sizeof(uint16_t) : sizeof(uint32_t);
	const __m256i dims = _mm256_set1_epi16((short)dim);
	const uint8_t *source = from;
	uint32_t i = 0;

	for (; count - i >= BLOCK; i += BLOCK) {
		const void *at = source + i * bytes;
		uint16_t *to = acc + (size_t)i * KR_RENDER_WIDE;
		__m256i pixels = wide ? load(at) : load_narrow(at);

		if (blend == KR_RENDER_BLEND_NONE)
			pixels = _mm256_blend_epi16(pixels, full(), ALPHAS);
		if (blend == KR_RENDER_BLEND_COVERAGE) {
			if (dim < KR_RENDER_DIM_FULL)
				pixels = _mm256_blend_epi16(
					pixels, _mm256_mulhi_epu16(pixels, dims), ALPHAS);
			pixels = _mm256_blend_epi16(
				_mm256_mulhi_epu16(pixels, alphas_of(pixels)), pixels, ALPHAS);
		} else if (dim < KR_RENDER_DIM_FULL) {
			pixels = _mm256_mulhi_epu16(pixels, dims);
		}
		store(to, lay_over(load(to), pixels, alphas_of(pixels)));
	}
	if (i < count)
		kr_render_any_rows()->over[wide][blend - 1](
			acc + (size_t)i * KR_RENDER_WIDE, source + i * bytes, count - i, dim);
}

/* Whether the plane's alpha counts is decided outside of the loop. */
#define OVER(name, wide, blend)                                                                    \
	LANES static void name(                                                                    \
		uint16_t *restrict acc, const void *from, uint32_t count, uint32_t dim)            \
	{                                                                                          \
		if (dim == KR_RENDER_DIM_FULL)                                                     \
			over(acc, from, count, KR_RENDER_DIM_FULL, wide, blend);                   \
		else                                                                               \
			over(acc, from, count, dim, wide, blend);                                  \
	}

OVER(over_none, false, KR_RENDER_BLEND_NONE)
OVER(over_premultiplied, false, KR_RENDER_BLEND_PREMULTIPLIED)
OVER(over_coverage, false, KR_RENDER_BLEND_COVERAGE)
OVER(over_wide_none, true, KR_RENDER_BLEND_NONE)
OVER(over_wide_premultiplied, true, KR_RENDER_BLEND_PREMULTIPLIED)
OVER(over_wide_coverage, true, KR_RENDER_BLEND_COVERAGE)

LANES static void
over_color(uint16_t *restrict acc, const uint16_t color[KR_RENDER_WIDE], uint32_t count)
{
	uint64_t pixel;
	__m256i pixels, alphas;
	uint32_t i = 0;

	memcpy(&pixel, color, sizeof(pixel));
	pixels = _mm256_set1_epi64x((long long)pixel);
	alphas = alphas_of(pixels);
	for (; count - i >= BLOCK; i += BLOCK) {
		uint16_t *to = acc + (size_t)i * KR_RENDER_WIDE;

		store(to, lay_over(load(to), pixels, alphas));
	}
	kr_render_any_rows()->over_color(acc + (size_t)i * KR_RENDER_WIDE, color, count - i);
}

/* Two pairs of neighbours: a channel of one beside that of the other. */
LANES_IN __m256i
load_pairs(const uint32_t *first, const uint32_t *second)
{
	const __m128i side_by_side =
		_mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
	__m128i low = _mm_loadl_epi64((const __m128i *)(const void *)first);
	__m128i high = _mm_loadl_epi64((const __m128i *)(const void *)second);

	return _mm256_cvtepu8_epi16(_mm_shuffle_epi8(_mm_unpacklo_epi64(low, high), side_by_side));
}

LANES static void
between_pixels(uint16_t *restrict to, const uint32_t *from, const uint32_t *near,
	const uint16_t *weight, uint32_t count)
{
	const __m256i first = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
	const __m256i second = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
	uint32_t i = 0;

	for (; count - i >= BLOCK; i += BLOCK) {
		__m128i part = _mm_cvtepu16_epi32(
			_mm_loadl_epi64((const __m128i *)(const void *)(weight + i)));
		/* The rest below, the part above. */
		__m256i both = _mm256_castsi128_si256(
			_mm_add_epi32(_mm_sub_epi32(_mm_slli_epi32(part, 16), part),
				_mm_set1_epi32(KR_RENDER_ONE)));
		__m256i a = _mm256_madd_epi16(load_pairs(from + near[i], from + near[i + 1]),
			_mm256_permutevar8x32_epi32(both, first));
		__m256i b = _mm256_madd_epi16(load_pairs(from + near[i + 2], from + near[i + 3]),
			_mm256_permutevar8x32_epi32(both, second));
		__m256i pixels =
			_mm256_packus_epi32(_mm256_srli_epi32(a, 6), _mm256_srli_epi32(b, 6));

		store(to + (size_t)i * KR_RENDER_WIDE, _mm256_permute4x64_epi64(pixels, 0xd8));
	}
	kr_render_any_rows()->between_pixels(
		to + (size_t)i * KR_RENDER_WIDE, from, near + i, weight + i, count - i);
}

LANES static void
between_rows(uint16_t *restrict to, const uint16_t *a, const uint16_t *b, uint32_t weight,
	uint32_t count)
{
	const __m256i part = _mm256_set1_epi16((short)(weight * (65536 / KR_RENDER_ONE)));
	uint32_t i = 0;

	for (; count - i >= BLOCK; i += BLOCK) {
		size_t at = (size_t)i * KR_RENDER_WIDE;
		__m256i one = load(a + at), other = load(b + at);
		__m256i up = _mm256_mulhi_epu16(_mm256_subs_epu16(other, one), part);
		__m256i down = _mm256_mulhi_epu16(_mm256_subs_epu16(one, other), part);

		store(to + at, _mm256_sub_epi16(_mm256_add_epi16(one, up), down));
	}
	kr_render_any_rows()->between_rows(to + (size_t)i * KR_RENDER_WIDE,
		a + (size_t)i * KR_RENDER_WIDE, b + (size_t)i * KR_RENDER_WIDE, weight, count - i);
}

const struct kr_render_rows *
kr_render_own_rows(void)
{
	static const struct kr_render_rows rows = {
		.widen = widen,
		.narrow = narrow,
		.over = {{over_none, over_premultiplied, over_coverage},
			{over_wide_none, over_wide_premultiplied, over_wide_coverage}},
		.over_color = over_color,
		.between_pixels = between_pixels,
		.between_rows = between_rows,
	};

	return __builtin_cpu_supports("avx2") ? &rows : NULL;
}
