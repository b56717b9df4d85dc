/* SPDX-License-Identifier: Apache-2.0 */
/* See lanes.h: processors of x86-64 with AVX2 and F16C. */
#include "colour/lanes.h"

#include <cpuid.h>
#include <stdatomic.h>
#include <string.h>

#include "colour/half.h"
#include "colour/lanes_avx2.h"

#define AT_ONCE  KR_LANES_AT_ONCE
#define CHANNELS 4
#define BITS_10  1023
#define BITS_2   3

/* 0: not asked yet. Whoever writes it writes the same, but for tests. */
enum { UNKNOWN, NO, YES, NOT_FOR_NOW };
static atomic_int known;

/* Older compilers can't ask for it by name. */
static bool
has_f16c(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

/* Asked once: in a virtual machine the question takes tens of microseconds. */
bool
kr_colour_has_lanes(void)
{
	int answer = atomic_load_explicit(&known, memory_order_relaxed);

	if (answer == UNKNOWN) {
		answer = __builtin_cpu_supports("avx2") && has_f16c() ? YES : NO;
		atomic_store_explicit(&known, answer, memory_order_relaxed);
	}
	return answer == YES;
}

void
kr_colour_without_lanes(bool without)
{
	atomic_store_explicit(&known, without ? NOT_FOR_NOW : UNKNOWN, memory_order_relaxed);
}

KR_LANES_IN __m256
followed(const struct kr_colour_curve *curve, __m256 value)
{
	const __m256 sign = _mm256_set1_ps(-0.0f);
	__m256 size = kr_lanes_at_curve(curve, _mm256_andnot_ps(sign, value));

	return _mm256_or_ps(_mm256_andnot_ps(sign, size), _mm256_and_ps(sign, value));
}

KR_LANES void
kr_colour_lanes_follow(const struct kr_colour_curve *curve, float *plane, uint32_t count)
{
	float rest[AT_ONCE] = {0};
	uint32_t i = 0;

	for (; count - i >= AT_ONCE; i += AT_ONCE)
		_mm256_storeu_ps(plane + i, followed(curve, _mm256_loadu_ps(plane + i)));
	if (i == count)
		return;
	memcpy(rest, plane + i, (count - i) * sizeof(*plane));
	_mm256_storeu_ps(rest, followed(curve, _mm256_loadu_ps(rest)));
	memcpy(plane + i, rest, (count - i) * sizeof(*plane));
}

/* Two pixels, their channels where they belong in two words' lanes. */
KR_LANES_IN __m256i
shifted(const float *from)
{
	const __m256 most = _mm256_setr_ps(
		BITS_10, BITS_10, BITS_10, BITS_2, BITS_10, BITS_10, BITS_10, BITS_2);
	__m256 value = kr_lanes_clip(_mm256_loadu_ps(from), _mm256_setzero_ps(), _mm256_set1_ps(1));

	value = _mm256_add_ps(_mm256_mul_ps(value, most), _mm256_set1_ps(0.5f));
	return _mm256_sllv_epi32(
		_mm256_cvttps_epi32(value), _mm256_setr_epi32(0, 10, 20, 30, 0, 10, 20, 30));
}

KR_LANES void
kr_colour_lanes_pack_10(const float *from, uint32_t *restrict to, uint32_t width)
{
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	float rest[AT_ONCE * CHANNELS] = {0};
	uint32_t made[AT_ONCE], x = 0;

	while (x < width) {
		const float *at = from + (size_t)x * CHANNELS;
		bool last = width - x < AT_ONCE;
		__m256i low, high;

		if (last)
			at = memcpy(rest, at, (width - x) * CHANNELS * sizeof(*from));
		/* Shifted channels have no bits in common: sums of neighbours join them. */
		low = _mm256_hadd_epi32(shifted(at), shifted(at + 8));
		high = _mm256_hadd_epi32(shifted(at + 16), shifted(at + 24));
		low = _mm256_permutevar8x32_epi32(_mm256_hadd_epi32(low, high), order);
		_mm256_storeu_si256((__m256i *)(last ? made : to + x), low);
		if (last)
			memcpy(to + x, made, (width - x) * sizeof(*to));
		x += AT_ONCE;
		if (last)
			break;
	}
}

KR_LANES_IN __m128i
halves_of(const float *from)
{
	const __m256 most = _mm256_set1_ps(KR_COLOUR_HALF_MOST);
	const __m256 least = _mm256_set1_ps(-KR_COLOUR_HALF_MOST);

	return _mm256_cvtps_ph(kr_lanes_clip(_mm256_loadu_ps(from), least, most),
		_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

KR_LANES void
kr_colour_lanes_to_halves(const float *from, uint16_t *restrict to, size_t count)
{
	float rest[AT_ONCE] = {0};
	uint16_t made[AT_ONCE];
	size_t i = 0;

	for (; count - i >= AT_ONCE; i += AT_ONCE)
		_mm_storeu_si128((__m128i *)(to + i), halves_of(from + i));
	memcpy(rest, from + i, (count - i) * sizeof(*from));
	_mm_storeu_si128((__m128i *)made, halves_of(rest));
	memcpy(to + i, made, (count - i) * sizeof(*to));
}
