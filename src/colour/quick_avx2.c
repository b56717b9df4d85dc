/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See quick.h: processors of x86-64 with AVX2, eight pixels at a time. Codes are looked up one by
 * one: processors of today gather no faster than that, some slower. Products aren't fused with
 * sums, so that the bytes are those of quick.c.
 */
#include "colour/quick.h"

#include <immintrin.h>
#include <krafla/hardware_buffer.h>
#include <stdatomic.h>

#define LANES    __attribute__((target("avx2")))
#define LANES_IN LANES __attribute__((always_inline)) static inline
#define BLOCK    8

struct parabolas {
	__m256 a, b, c;
};

LANES_IN __m256i
channels_of(const struct parabolas *p, __m256 light)
{
	const __m256 almost_one = _mm256_set1_ps(0x1.fffffep-1f);
	__m256i at;
	__m256 a, b, c;

	light = _mm256_min_ps(_mm256_max_ps(light, _mm256_setzero_ps()), almost_one);
	at = _mm256_castps_si256(_mm256_max_ps(light, _mm256_set1_ps(0x1p-8f)));
	at = _mm256_srli_epi32(at, 23);
	a = _mm256_permutevar8x32_ps(p->a, at);
	b = _mm256_permutevar8x32_ps(p->b, at);
	c = _mm256_permutevar8x32_ps(p->c, at);
	c = _mm256_add_ps(_mm256_mul_ps(c, light), b);
	return _mm256_cvttps_epi32(_mm256_add_ps(_mm256_mul_ps(c, light), a));
}

LANES_IN __m256
row_of(const float *matrix, const __m256 light[3])
{
	__m256 sum = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(matrix[0]), light[0]),
		_mm256_mul_ps(_mm256_set1_ps(matrix[1]), light[1]));

	return _mm256_add_ps(sum, _mm256_mul_ps(_mm256_set1_ps(matrix[2]), light[2]));
}

LANES_IN __m256i
alphas_of(__m256i words, uint32_t bits)
{
	if (bits == 8)
		return _mm256_and_si256(words, _mm256_set1_epi32((int)0xff000000));
	if (bits == 2)
		return _mm256_mullo_epi32(
			_mm256_srli_epi32(words, 30), _mm256_set1_epi32(0x55000000));
	return _mm256_set1_epi32((int)0xff000000);
}

/* Eight words; the layout's numbers are constants wherever this is inlined. */
LANES_IN void
block(const struct kr_colour_conversion *c, const struct parabolas *p, const uint32_t *from,
	uint32_t *to, bool xrgb, uint32_t bits, uint32_t first, uint32_t third, uint32_t alpha)
{
	const uint32_t mask = (1u << bits) - 1;
	float light[3][BLOCK] __attribute__((aligned(32)));
	__m256 lanes[3];
	__m256i red, green, blue, words;

	for (int i = 0; i < BLOCK; i++) {
		light[0][i] = c->codes[0][from[i] >> first & mask];
		light[1][i] = c->codes[1][from[i] >> bits & mask];
		light[2][i] = c->codes[2][from[i] >> third & mask];
	}
	for (int i = 0; i < 3; i++)
		lanes[i] = _mm256_load_ps(light[i]);
	red = channels_of(p, row_of(c->matrix, lanes));
	green = channels_of(p, row_of(c->matrix + 3, lanes));
	blue = channels_of(p, row_of(c->matrix + 6, lanes));
	words = _mm256_loadu_si256((const __m256i *)from);
	words = _mm256_or_si256(alphas_of(words, alpha), _mm256_slli_epi32(green, 8));
	words = _mm256_or_si256(words, xrgb ? blue : red);
	words = _mm256_or_si256(words, _mm256_slli_epi32(xrgb ? red : blue, 16));
	_mm256_storeu_si256((__m256i *)to, words);
}

LANES_IN void
run(const struct kr_colour_conversion *c, const uint32_t *from, uint32_t *to, uint32_t width,
	bool xrgb, uint32_t bits, uint32_t first, uint32_t third, uint32_t alpha)
{
	const struct kr_colour_parabolas *all = kr_colour_srgb_255();
	const struct parabolas p = {
		_mm256_loadu_ps(all->a), _mm256_loadu_ps(all->b), _mm256_loadu_ps(all->c)};
	uint32_t rest[BLOCK] = {0}, made[BLOCK], x = 0;

	for (; width - x >= BLOCK; x += BLOCK)
		block(c, &p, from + x, to + x, xrgb, bits, first, third, alpha);
	if (x == width)
		return;
	memcpy(rest, from + x, (width - x) * sizeof(*from));
	block(c, &p, rest, made, xrgb, bits, first, third, alpha);
	memcpy(to + x, made, (width - x) * sizeof(*to));
}

#define ROW(name, bits, first, third, alpha)                                                       \
	LANES static void name(const struct kr_colour_conversion *c, const uint32_t *from,         \
		uint32_t *to, uint32_t width, bool xrgb)                                           \
	{                                                                                          \
		if (xrgb)                                                                          \
			run(c, from, to, width, true, bits, first, third, alpha);                  \
		else                                                                               \
			run(c, from, to, width, false, bits, first, third, alpha);                 \
	}

ROW(rgba_row, 8, 0, 16, 8)
ROW(rgbx_row, 8, 0, 16, 0)
ROW(bgra_row, 8, 16, 0, 8)
ROW(rgb10_row, 10, 0, 20, 2)

/* Asked once: in a virtual machine the question takes tens of microseconds. */
static bool
has_lanes(void)
{
	static atomic_int known; /* 1 no, 2 yes; whoever writes it writes the same */
	int answer = atomic_load_explicit(&known, memory_order_relaxed);

	if (!answer) {
		answer = __builtin_cpu_supports("avx2") ? 2 : 1;
		atomic_store_explicit(&known, answer, memory_order_relaxed);
	}
	return answer == 2;
}

bool
kr_colour_quick_lanes(const struct kr_colour_conversion *c, const void *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	if (!has_lanes())
		return false;
	switch (c->layout->format) {
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
		rgba_row(c, from, to, width, xrgb);
		return true;
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
		rgbx_row(c, from, to, width, xrgb);
		return true;
	case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		bgra_row(c, from, to, width, xrgb);
		return true;
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		rgb10_row(c, from, to, width, xrgb);
		return true;
	default:
		return false;
	}
}
