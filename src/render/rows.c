/* SPDX-License-Identifier: Apache-2.0 */
/* See rows.h: plain loops, for any processor. */
#include "render/rows.h"

#include <string.h>

#define ALPHA 3  /* the channel */
#define BLOCK 64 /* pixels */

/* The upper half of a product of 16 bits each. */
static inline uint16_t
part_of(uint16_t a, uint16_t b)
{
	return (uint16_t)((uint32_t)a * b >> 16);
}

/* A channel as a part of 65536: 0 to 65535. */
static inline uint32_t
as_part(uint32_t channel)
{
	return channel + (channel >> 8);
}

static inline void
widen_all(uint16_t *restrict to, const uint8_t *restrict from, size_t channels)
{
	for (size_t i = 0; i < channels; i++)
		to[i] = (uint16_t)(from[i] << 8);
}

static inline void
fill_alphas(uint16_t *pixels, uint32_t count)
{
	for (size_t i = ALPHA; i < (size_t)count * KR_RENDER_WIDE; i += KR_RENDER_WIDE)
		pixels[i] = KR_RENDER_FULL;
}

static void
widen(uint16_t *restrict to, const uint32_t *from, uint32_t count)
{
	widen_all(to, (const uint8_t *)from, (size_t)count * KR_RENDER_WIDE);
	fill_alphas(to, count);
}

static void
narrow(uint32_t *restrict to, const uint16_t *from, uint32_t count)
{
	uint8_t *bytes = (uint8_t *)to;

	for (size_t i = 0; i < (size_t)count * KR_RENDER_WIDE; i++)
		bytes[i] = (uint8_t)(((uint32_t)from[i] + 128) >> 8);
}

/* The pixels' alphas in all of their channels, as parts of 65536. */
static inline void
spread_alphas(uint16_t *restrict alphas, const uint16_t *pixels, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t alpha = as_part(pixels[i * KR_RENDER_WIDE + ALPHA]);

		alpha *= UINT64_C(0x0001000100010001);
		memcpy(alphas + (size_t)i * KR_RENDER_WIDE, &alpha, sizeof(alpha));
	}
}

static inline void
lay_over(uint16_t *restrict acc, const uint16_t *restrict pixels, const uint16_t *restrict alphas,
	uint32_t channels)
{
	for (uint32_t i = 0; i < channels; i++) {
		uint16_t rest = (uint16_t)(acc[i] - part_of(acc[i], alphas[i]));
		uint16_t room = (uint16_t)(KR_RENDER_FULL - pixels[i]);

		acc[i] = (uint16_t)(KR_MIN(rest, room) + pixels[i]);
	}
}

static inline void
dim_all(uint16_t *restrict pixels, uint16_t dim, uint32_t channels)
{
	for (uint32_t i = 0; i < channels; i++)
		pixels[i] = part_of(pixels[i], dim);
}

/* Colors by alphas, and these by the plane's. */
static inline void
multiply(uint16_t *restrict pixels, uint16_t *restrict alphas, uint32_t count, uint32_t dim)
{
	uint16_t kept[BLOCK];

	for (uint32_t i = 0; i < count; i++) {
		uint16_t *alpha = &pixels[i * KR_RENDER_WIDE + ALPHA];

		if (dim < KR_RENDER_DIM_FULL)
			*alpha = part_of(*alpha, (uint16_t)dim);
		kept[i] = *alpha;
	}
	spread_alphas(alphas, pixels, count);
	for (uint32_t i = 0; i < count * KR_RENDER_WIDE; i++)
		pixels[i] = part_of(pixels[i], alphas[i]);
	for (uint32_t i = 0; i < count; i++)
		pixels[i * KR_RENDER_WIDE + ALPHA] = kept[i];
}

/* Step by step for a block of pixels, because compilers make lanes of each step. */
__attribute__((always_inline)) static inline void
over(uint16_t *restrict acc, const void *from, uint32_t count, uint32_t dim, bool wide,
	enum kr_render_blend blend)
{
	uint16_t pixels[BLOCK * KR_RENDER_WIDE], alphas[BLOCK * KR_RENDER_WIDE];

	for (uint32_t at = 0; at < count; at += BLOCK) {
		uint32_t block = KR_MIN(count - at, (uint32_t)BLOCK);
		uint32_t channels = block * KR_RENDER_WIDE;
		size_t first = (size_t)at * KR_RENDER_WIDE;

		if (wide)
			memcpy(pixels, (const uint16_t *)from + first, channels * sizeof(*pixels));
		else
			widen_all(pixels, (const uint8_t *)from + first, channels);
		if (blend == KR_RENDER_BLEND_NONE)
			fill_alphas(pixels, block);
		if (blend == KR_RENDER_BLEND_COVERAGE)
			multiply(pixels, alphas, block, dim);
		else if (dim < KR_RENDER_DIM_FULL)
			dim_all(pixels, (uint16_t)dim, channels);
		spread_alphas(alphas, pixels, block);
		lay_over(acc + first, pixels, alphas, channels);
	}
}

#define OVER(name, wide, blend)                                                                    \
	static void name(uint16_t *restrict acc, const void *from, uint32_t count, uint32_t dim)   \
	{                                                                                          \
		over(acc, from, count, dim, wide, blend);                                          \
	}

OVER(over_none, false, KR_RENDER_BLEND_NONE)
OVER(over_premultiplied, false, KR_RENDER_BLEND_PREMULTIPLIED)
OVER(over_coverage, false, KR_RENDER_BLEND_COVERAGE)
OVER(over_wide_none, true, KR_RENDER_BLEND_NONE)
OVER(over_wide_premultiplied, true, KR_RENDER_BLEND_PREMULTIPLIED)
OVER(over_wide_coverage, true, KR_RENDER_BLEND_COVERAGE)

static void
over_color(uint16_t *restrict acc, const uint16_t color[KR_RENDER_WIDE], uint32_t count)
{
	uint16_t pixels[BLOCK * KR_RENDER_WIDE], alphas[BLOCK * KR_RENDER_WIDE];

	for (uint32_t i = 0; i < BLOCK; i++)
		memcpy(pixels + (size_t)i * KR_RENDER_WIDE, color, KR_RENDER_WIDE * sizeof(*color));
	spread_alphas(alphas, pixels, BLOCK);
	for (uint32_t at = 0; at < count; at += BLOCK)
		lay_over(acc + (size_t)at * KR_RENDER_WIDE, pixels, alphas,
			KR_MIN(count - at, (uint32_t)BLOCK) * KR_RENDER_WIDE);
}

static void
between_pixels(uint16_t *restrict to, const uint32_t *from, const uint32_t *near,
	const uint16_t *weight, uint32_t count)
{
	const uint8_t *bytes = (const uint8_t *)from;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *at = bytes + (size_t)near[i] * sizeof(uint32_t);
		uint32_t part = weight[i], rest = KR_RENDER_ONE - part;

		for (unsigned c = 0; c < KR_RENDER_WIDE; c++)
			to[(size_t)i * KR_RENDER_WIDE + c] =
				(uint16_t)((at[c] * rest + at[c + KR_RENDER_WIDE] * part) >> 6);
	}
}

static void
between_rows(uint16_t *restrict to, const uint16_t *a, const uint16_t *b, uint32_t weight,
	uint32_t count)
{
	uint16_t part = (uint16_t)(weight * (65536 / KR_RENDER_ONE));

	for (size_t i = 0; i < (size_t)count * KR_RENDER_WIDE; i++) {
		uint16_t top = KR_MAX(a[i], b[i]);
		uint16_t up = (uint16_t)(top - a[i]), down = (uint16_t)(top - b[i]);

		to[i] = (uint16_t)(a[i] + part_of(up, part) - part_of(down, part));
	}
}

const struct kr_render_rows *
kr_render_any_rows(void)
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

	return &rows;
}
