/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See pixels_lanes.h: processors of x86-64 with AVX2 and F16C, in blocks of 16 pixels. Each
 * function converts a block; run() cuts rows into them and brings the rest through one of its own.
 */
#include "gralloc/pixels_lanes.h"

#include <cpuid.h>
#include <immintrin.h>
#include <krafla/hardware_buffer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "util/macros.h"

#define LANES     __attribute__((target("avx2,f16c")))
#define LANES_IN  LANES __attribute__((always_inline)) static inline
#define BLOCK     16
#define MAX_BYTES 8

typedef void (*block_fn)(const void *from, uint32_t *to, enum kr_pixels_order order);

/* Swaps the bytes 0 and 2 of each word where red is to lie above blue. */
LANES_IN __m256i
in_order(__m256i xbgr, enum kr_pixels_order order)
{
	const __m256i swapped = _mm256_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12,
		15, 2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);

	return order == KR_PIXELS_XRGB ? _mm256_shuffle_epi8(xbgr, swapped) : xbgr;
}

LANES_IN __m256i
load(const void *from, size_t index)
{
	return _mm256_loadu_si256((const __m256i *)from + index);
}

LANES_IN void
store(uint32_t *to, size_t index, __m256i value)
{
	_mm256_storeu_si256((__m256i *)to + index, value);
}

LANES_IN void
swap_block(const void *from, uint32_t *to, enum kr_pixels_order order)
{
	for (size_t i = 0; i < 2; i++)
		store(to, i, in_order(load(from, i), KR_PIXELS_XRGB));
}

/* Lanes of 16 bits: the upper bits of a channel once more below it. */
LANES_IN void
block_565(const void *from, uint32_t *to, enum kr_pixels_order order)
{
	const __m256i p = _mm256_permute4x64_epi64(load(from, 0), 0xd8);
	const __m256i red =
		_mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(p, 8), _mm256_set1_epi16(0xf8)),
			_mm256_srli_epi16(p, 13));
	const __m256i top =
		_mm256_and_si256(_mm256_slli_epi16(p, 5), _mm256_set1_epi16((short)0xfc00));
	const __m256i green = _mm256_or_si256(
		top, _mm256_and_si256(_mm256_srli_epi16(top, 6), _mm256_set1_epi16(0x300)));
	const __m256i blue =
		_mm256_or_si256(_mm256_and_si256(_mm256_slli_epi16(p, 3), _mm256_set1_epi16(0xf8)),
			_mm256_and_si256(_mm256_srli_epi16(p, 2), _mm256_set1_epi16(7)));
	const __m256i low = order == KR_PIXELS_XRGB ? blue : red;
	const __m256i high = order == KR_PIXELS_XRGB ? red : blue;

	store(to, 0, _mm256_unpacklo_epi16(_mm256_or_si256(low, green), high));
	store(to, 1, _mm256_unpackhi_epi16(_mm256_or_si256(low, green), high));
}

/*
 * (value * 255 + 511) / 1023 is (value + 2) * 16336 >> 16, and 16 times that value is as good:
 * (16 * value + 32) * 1021 >> 16. Exact for ten bits, and a multiplication of 16-bit lanes.
 */
LANES_IN void
block_10(const void *from, uint32_t *to, enum kr_pixels_order order)
{
	const __m256i outer_mask = _mm256_set1_epi32(0x3ff003ff);
	const __m256i outer_add = _mm256_set1_epi32(32 << 16 | 2);
	const __m256i outer_times = _mm256_set1_epi32(1021 << 16 | 16336);
	const __m256i green_mask = _mm256_set1_epi32(0x3ff0);
	const __m256i green_add = _mm256_set1_epi32(32);
	const __m256i green_times = _mm256_set1_epi32(1021);

	for (size_t i = 0; i < 2; i++) {
		__m256i p = load(from, i), outer, green;

		outer = _mm256_add_epi16(_mm256_and_si256(p, outer_mask), outer_add);
		outer = _mm256_mulhi_epu16(outer, outer_times);
		green = _mm256_and_si256(_mm256_srli_epi32(p, 6), green_mask);
		green = _mm256_mulhi_epu16(_mm256_add_epi16(green, green_add), green_times);
		green = _mm256_slli_epi32(green, 8);
		store(to, i, in_order(_mm256_or_si256(outer, green), order));
	}
}

/* Two pixels: eight channels. What is no number comes out of the first comparison as 0. */
LANES_IN __m256i
from_halves(const void *from, size_t index)
{
	__m256 value = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from + index));

	value = _mm256_min_ps(_mm256_max_ps(value, _mm256_setzero_ps()), _mm256_set1_ps(1));
	value = _mm256_add_ps(_mm256_mul_ps(value, _mm256_set1_ps(255)), _mm256_set1_ps(0.5f));
	return _mm256_cvttps_epi32(value);
}

/* As pixels.c has it: nothing is rounded before the end. */
LANES_IN void
block_half(const void *from, uint32_t *to, enum kr_pixels_order order)
{
	const __m256i together = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);

	for (size_t i = 0; i < 2; i++) {
		__m256i a =
			_mm256_packs_epi32(from_halves(from, 4 * i), from_halves(from, 4 * i + 1));
		__m256i b = _mm256_packs_epi32(
			from_halves(from, 4 * i + 2), from_halves(from, 4 * i + 3));
		__m256i pixels = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), together);

		store(to, i, in_order(pixels, order));
	}
}

LANES_IN void
run(const void *from, uint32_t *to, uint32_t width, size_t bytes, enum kr_pixels_order order,
	block_fn block)
{
	const uint8_t *source = from;
	uint8_t rest[BLOCK * MAX_BYTES] = {0};
	uint32_t converted[BLOCK], x = 0;

	for (; width - x >= BLOCK; x += BLOCK)
		block(source + x * bytes, to + x, order);
	if (x == width)
		return;
	memcpy(rest, source + x * bytes, (width - x) * bytes);
	block(rest, converted, order);
	memcpy(to + x, converted, (width - x) * sizeof(*to));
}

#define ROW(name, bytes, order, block)                                                             \
	LANES static void name(const void *from, uint32_t *restrict to, uint32_t width)            \
	{                                                                                          \
		run(from, to, width, bytes, order, block);                                         \
	}

ROW(swap_row, 4, KR_PIXELS_XRGB, swap_block)
ROW(rgb565_to_xrgb, 2, KR_PIXELS_XRGB, block_565)
ROW(rgb565_to_xbgr, 2, KR_PIXELS_XBGR, block_565)
ROW(rgb10_to_xrgb, 4, KR_PIXELS_XRGB, block_10)
ROW(rgb10_to_xbgr, 4, KR_PIXELS_XBGR, block_10)
ROW(half_to_xrgb, 8, KR_PIXELS_XRGB, block_half)
ROW(half_to_xbgr, 8, KR_PIXELS_XBGR, block_half)

/* Asked once: in a virtual machine the question takes tens of microseconds. */
static bool
has_lanes(void)
{
	static atomic_int known; /* 1 no, 2 yes; whoever writes it writes the same */
	int answer = atomic_load_explicit(&known, memory_order_relaxed);
	unsigned a, b, c = 0, d;

	if (!answer) {
		answer = __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) &&
				(c & bit_F16C)
			? 2
			: 1;
		atomic_store_explicit(&known, answer, memory_order_relaxed);
	}
	return answer == 2;
}

kr_pixels_row_fn
kr_pixels_lanes_row(uint32_t format, enum kr_pixels_order order)
{
	static const struct {
		uint32_t format;
		kr_pixels_row_fn row[2]; /* by enum kr_pixels_order; NULL: a copy */
	} rows[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, {swap_row, NULL}},
		{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, {swap_row, NULL}},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, {NULL, swap_row}},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, {rgb565_to_xrgb, rgb565_to_xbgr}},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, {rgb10_to_xrgb, rgb10_to_xbgr}},
		{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, {half_to_xrgb, half_to_xbgr}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(rows); i++) {
		if (rows[i].format == format)
			return has_lanes() ? rows[i].row[order] : NULL;
	}
	return NULL;
}
