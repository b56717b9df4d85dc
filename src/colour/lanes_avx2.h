/* SPDX-License-Identifier: Apache-2.0 */
/* What the files for AVX2 share. Products aren't fused with sums, so that bytes stay the same. */
#ifndef KR_COLOUR_LANES_AVX2_H
#define KR_COLOUR_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include "colour/curves.h"

#define KR_LANES         __attribute__((target("avx2,f16c")))
#define KR_LANES_IN      KR_LANES __attribute__((always_inline)) static inline
#define KR_LANES_AT_ONCE 8

/* As kr_colour_curve_at, but that what is above the curve is its end. No number: that, too. */
KR_LANES_IN __m256
kr_lanes_at_curve(const struct kr_colour_curve *curve, __m256 value)
{
	__m128i shift = _mm_cvtsi32_si128((int)curve->shift);
	uint32_t parts = UINT32_C(1) << curve->shift;
	__m256 part, first, last, low, high;
	__m256i bits, at;

	value = _mm256_min_ps(value, _mm256_set1_ps(curve->highest));
	bits = _mm256_castps_si256(_mm256_max_ps(value, _mm256_set1_ps(curve->lowest)));
	at = _mm256_sub_epi32(_mm256_srl_epi32(bits, shift), _mm256_set1_epi32((int)curve->first));
	part = _mm256_cvtepi32_ps(_mm256_and_si256(bits, _mm256_set1_epi32((int)(parts - 1))));
	part = _mm256_mul_ps(part, _mm256_set1_ps(1.0f / (float)parts));
	/* Each point with the next; in the order in which a shuffle sets them apart. */
	at = _mm256_permute4x64_epi64(at, 0xd8);
	first = _mm256_castpd_ps(_mm256_i32gather_pd(
		(const double *)curve->points, _mm256_castsi256_si128(at), sizeof(float)));
	last = _mm256_castpd_ps(_mm256_i32gather_pd(
		(const double *)curve->points, _mm256_extracti128_si256(at, 1), sizeof(float)));
	low = _mm256_shuffle_ps(first, last, 0x88);
	high = _mm256_shuffle_ps(first, last, 0xdd);
	return _mm256_add_ps(low, _mm256_mul_ps(part, _mm256_sub_ps(high, low)));
}

/* What is no number is 0. */
KR_LANES_IN __m256
kr_lanes_clip(__m256 value, __m256 least, __m256 most)
{
	value = _mm256_and_ps(value, _mm256_cmp_ps(value, value, _CMP_ORD_Q));
	return _mm256_min_ps(_mm256_max_ps(value, least), most);
}

#endif
