/* SPDX-License-Identifier: Apache-2.0 */
/* See quick.h: plain loops. */
#include "colour/quick.h"

#include "colour/half.h"

#define EXPONENT 23
/* The largest float below 1: of the last parabola. */
#define ALMOST_ONE 0x1.fffffep-1f
#define BLOCK      64 /* pixels of halves */

bool
kr_colour_quick_fits(const struct kr_colour_conversion *c)
{
	if (c->same || c->premultiplied || c->to.extended || c->to.transfer != KR_TRANSFER_SRGB)
		return false;
	return c->layout ? c->layout->bytes <= sizeof(uint32_t)
			 : c->from.transfer == KR_TRANSFER_LINEAR;
}

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

/* But for alpha. */
static inline uint32_t
word_of(const struct kr_colour_conversion *c, const float light[3], bool xrgb)
{
	const struct kr_colour_parabolas *p = kr_colour_srgb_255();
	uint32_t channel[3];

	for (int i = 0; i < 3; i++)
		channel[i] = channel_of(p,
			c->matrix[3 * i] * light[0] + c->matrix[3 * i + 1] * light[1] +
				c->matrix[3 * i + 2] * light[2]);
	return channel[0] << (xrgb ? 16 : 0) | channel[1] << 8 | channel[2] << (xrgb ? 0 : 16);
}

/* --- codes --- */

static inline uint32_t
alpha_of(const struct kr_colour_layout *layout, uint32_t word)
{
	uint32_t bits = layout->bits[3], alpha = word >> layout->shift[3];

	return bits == 8 ? alpha : bits == 2 ? alpha * 0x55 : 0xff;
}

static inline void
through_hlg_display(float light[3])
{
	const struct kr_colour_curve *gain = kr_colour_hlg_gain();
	float luminance = KR_COLOUR_HLG_RED * light[0] + KR_COLOUR_HLG_GREEN * light[1] +
		KR_COLOUR_HLG_BLUE * light[2];
	float times =
		kr_colour_curve_at(gain, luminance > gain->highest ? gain->highest : luminance);

	for (int i = 0; i < 3; i++)
		light[i] *= times;
}

static void
words_of_codes(const struct kr_colour_conversion *c, const uint8_t *at, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	const struct kr_colour_layout *layout = c->layout;
	bool hlg = c->from.transfer == KR_TRANSFER_HLG;

	for (uint32_t x = 0; x < width; x++, at += layout->bytes) {
		uint32_t word = 0;
		float light[3];

		memcpy(&word, at, layout->bytes);
		for (int i = 0; i < 3; i++)
			light[i] = c->codes[i][word >> layout->shift[i] &
				((UINT32_C(1) << layout->bits[i]) - 1)];
		if (hlg)
			through_hlg_display(light);
		to[x] = word_of(c, light, xrgb) | alpha_of(layout, word) << 24;
	}
}

/* --- halves --- */

/* What is no number is 0. */
static inline float
clip(float value, float least, float most)
{
	value = value >= least ? value : value < least ? least : 0;
	return value > most ? most : value;
}

static void
words_of_halves(const struct kr_colour_conversion *c, const uint8_t *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	float least = c->from.extended ? -KR_COLOUR_HALF_MOST : 0;
	float most = c->from.extended ? KR_COLOUR_HALF_MOST : 1;
	float pixels[BLOCK * KR_COLOUR_CHANNELS];

	for (uint32_t x = 0, count; x < width; x += count) {
		count = KR_MIN(width - x, (uint32_t)BLOCK);
		kr_colour_from_halves(from + (size_t)x * KR_COLOUR_CHANNELS * sizeof(uint16_t),
			pixels, (size_t)count * KR_COLOUR_CHANNELS);
		for (uint32_t i = 0; i < count; i++) {
			float *pixel = pixels + (size_t)i * KR_COLOUR_CHANNELS;
			float alpha = clip(pixel[3], 0, 1) * 255 + 0.5f;

			for (int k = 0; k < 3; k++)
				pixel[k] = clip(pixel[k], least, most);
			to[x + i] = word_of(c, pixel, xrgb) | (uint32_t)(int32_t)alpha << 24;
		}
	}
}

void
kr_colour_quick_any(const struct kr_colour_conversion *c, const void *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	if (c->layout)
		words_of_codes(c, from, to, width, xrgb);
	else
		words_of_halves(c, from, to, width, xrgb);
}
