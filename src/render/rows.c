/* SPDX-License-Identifier: Apache-2.0 */
/* See rows.h: plain loops, for any processor. */
#include "render/rows.h"

#define ALPHA 3 /* the channel */

/* The upper half of a product of 16 bits each. */
static inline uint32_t
part_of(uint32_t a, uint32_t b)
{
	return a * b >> 16;
}

/* A channel as a part of 65536: 0 to 65535. */
static inline uint32_t
as_part(uint32_t channel)
{
	return channel + (channel >> 8);
}

static void
widen(uint16_t *restrict to, const uint32_t *from, uint32_t count)
{
	const uint8_t *bytes = (const uint8_t *)from;

	for (size_t i = 0; i < (size_t)count * KR_RENDER_WIDE; i++)
		to[i] = (uint16_t)(bytes[i] << 8);
	for (size_t i = ALPHA; i < (size_t)count * KR_RENDER_WIDE; i += KR_RENDER_WIDE)
		to[i] = KR_RENDER_FULL;
}

static void
narrow(uint32_t *restrict to, const uint16_t *from, uint32_t count)
{
	uint8_t *bytes = (uint8_t *)to;

	for (size_t i = 0; i < (size_t)count * KR_RENDER_WIDE; i++)
		bytes[i] = (uint8_t)(((uint32_t)from[i] + 128) >> 8);
}

static inline void
over_pixel(uint16_t *acc, uint32_t pixel[KR_RENDER_WIDE])
{
	uint32_t alpha = as_part(pixel[ALPHA]);

	for (unsigned i = 0; i < KR_RENDER_WIDE; i++) {
		uint32_t sum = acc[i] - part_of(acc[i], alpha) + pixel[i];

		acc[i] = (uint16_t)KR_MIN(sum, (uint32_t)KR_RENDER_FULL);
	}
}

__attribute__((always_inline)) static inline void
over(uint16_t *restrict acc, const void *from, uint32_t count, uint32_t dim, bool wide,
	enum kr_render_blend blend)
{
	for (size_t i = 0; i < (size_t)count * KR_RENDER_WIDE; i += KR_RENDER_WIDE) {
		uint32_t pixel[KR_RENDER_WIDE];

		for (unsigned c = 0; c < KR_RENDER_WIDE; c++)
			pixel[c] = wide ? ((const uint16_t *)from)[i + c]
					: (uint32_t)((const uint8_t *)from)[i + c] << 8;
		if (blend == KR_RENDER_BLEND_NONE)
			pixel[ALPHA] = KR_RENDER_FULL;
		if (blend == KR_RENDER_BLEND_COVERAGE) {
			if (dim < KR_RENDER_DIM_FULL)
				pixel[ALPHA] = part_of(pixel[ALPHA], dim);
			for (unsigned c = 0; c < ALPHA; c++)
				pixel[c] = part_of(pixel[c], as_part(pixel[ALPHA]));
		} else if (dim < KR_RENDER_DIM_FULL) {
			for (unsigned c = 0; c < KR_RENDER_WIDE; c++)
				pixel[c] = part_of(pixel[c], dim);
		}
		over_pixel(acc + i, pixel);
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
	for (uint32_t i = 0; i < count; i++) {
		uint32_t pixel[KR_RENDER_WIDE] = {color[0], color[1], color[2], color[3]};

		over_pixel(acc + (size_t)i * KR_RENDER_WIDE, pixel);
	}
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
	uint32_t part = weight * (65536 / KR_RENDER_ONE);

	for (size_t i = 0; i < (size_t)count * KR_RENDER_WIDE; i++) {
		uint32_t up = a[i] < b[i] ? (uint32_t)b[i] - a[i] : 0;
		uint32_t down = a[i] > b[i] ? (uint32_t)a[i] - b[i] : 0;

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
