/* SPDX-License-Identifier: Apache-2.0 */
/* See quick.h: plain loops. */
#include "colour/quick.h"

#define EXPONENT 23
/* The largest float below 1: of the last parabola. */
#define ALMOST_ONE 0x1.fffffep-1f

/* 0 to 255; `light` is a number. */
static inline uint32_t
channel_of(const struct kr_colour_parabolas *p, float light)
{
	float clipped = light > 0 ? light : 0, seen;
	uint32_t at;

	clipped = clipped < ALMOST_ONE ? clipped : ALMOST_ONE;
	seen = clipped > 0x1p-8f ? clipped : 0x1p-8f;
	memcpy(&at, &seen, sizeof(at));
	at = at >> EXPONENT & (KR_COLOUR_SEGMENTS - 1);
	return (uint32_t)(int32_t)((p->c[at] * clipped + p->b[at]) * clipped + p->a[at]);
}

static inline uint32_t
alpha_of(const struct kr_colour_layout *layout, uint32_t word)
{
	uint32_t bits = layout->bits[3], alpha = word >> layout->shift[3];

	return bits == 8 ? alpha : bits == 2 ? alpha * 0x55 : 0xff;
}

void
kr_colour_quick_any(const struct kr_colour_conversion *c, const void *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	const struct kr_colour_parabolas *p = kr_colour_srgb_255();
	const struct kr_colour_layout *layout = c->layout;
	const uint8_t *at = from;
	uint32_t red = xrgb ? 16 : 0, blue = xrgb ? 0 : 16;

	for (uint32_t x = 0; x < width; x++, at += layout->bytes) {
		uint32_t word = 0;
		float light[3], mixed[3];

		memcpy(&word, at, layout->bytes);
		for (int i = 0; i < 3; i++)
			light[i] = c->codes[i][word >> layout->shift[i] &
				((UINT32_C(1) << layout->bits[i]) - 1)];
		for (int i = 0; i < 3; i++)
			mixed[i] = c->matrix[3 * i] * light[0] + c->matrix[3 * i + 1] * light[1] +
				c->matrix[3 * i + 2] * light[2];
		to[x] = channel_of(p, mixed[0]) << red | channel_of(p, mixed[1]) << 8 |
			channel_of(p, mixed[2]) << blue | alpha_of(layout, word) << 24;
	}
}
