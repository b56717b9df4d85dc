/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows go through in blocks of planes, one plane a channel, so that each step is a loop over
 * numbers that lie one after the other:
 *
 *   pixels --load--> signals --curve--> light --HLG's display--> --matrix-->
 *       light of the other primaries --HLG's display, backwards--> --curve--> signals
 *
 * A premultiplied pixel's signals are divided by its alpha before, and multiplied by it after.
 */
#include "colour/convert.h"

#include <krafla/hardware_buffer.h>
#include <stddef.h>

#include "colour/half.h"
#include "colour/lanes.h"
#include "colour/primaries.h"
#include "colour/quick.h"

#define BLOCK 64 /* pixels */
#define ALPHA 3

struct block {
	float planes[KR_COLOUR_CHANNELS][BLOCK];
	uint32_t count;
};

/* --- formats --- */

static const struct kr_colour_layout *
layout_of(uint32_t format)
{
	static const struct kr_colour_layout layouts[] = {
		{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4, {0, 8, 16, 24}, {8, 8, 8, 8}},
		{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4, {0, 8, 16, 24}, {8, 8, 8, 0}},
		{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 4, {16, 8, 0, 24}, {8, 8, 8, 8}},
		{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2, {11, 5, 0, 0}, {5, 6, 5, 0}},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4, {0, 10, 20, 30}, {10, 10, 10, 2}},
		{AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, 8, {6, 22, 38, 54}, {10, 10, 10, 10}},
		{AHARDWAREBUFFER_FORMAT_R8_UNORM, 1, {0, 0, 0, 0}, {8, 0, 0, 0}},
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(layouts); i++) {
		if (layouts[i].format == format)
			return &layouts[i];
	}
	return NULL;
}

bool
kr_colour_has_format(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT || layout_of(format);
}

static const float *
codes_of(const struct kr_colour_curves *curves, unsigned bits)
{
	switch (bits) {
	case 5:
		return curves->of_5;
	case 6:
		return curves->of_6;
	case 8:
		return curves->of_8;
	default:
		return curves->of_10;
	}
}

void
kr_colour_conversion_init(struct kr_colour_conversion *c, uint32_t format, int32_t from, int32_t to,
	bool premultiplied)
{
	bool opaque;

	*c = (struct kr_colour_conversion){.layout = layout_of(format), .same = from == to};
	(void)kr_colour_space_of(from, &c->from);
	(void)kr_colour_space_of(to, &c->to);
	opaque = c->layout && !c->layout->bits[ALPHA];
	c->premultiplied = premultiplied && !opaque && !c->same;
	kr_colour_matrix(c->from.primaries, c->to.primaries, c->matrix);
	/* Where nothing is converted a signal is as light would be. */
	c->light = kr_colour_curves_get(c->same ? KR_TRANSFER_LINEAR : c->from.transfer);
	c->signal = kr_colour_curves_get(c->to.transfer);
	for (int i = 0; c->layout && i < 3; i++)
		c->codes[i] = codes_of(c->light, c->layout->bits[i]);
	c->quick = kr_colour_quick_fits(c);
}

/* --- loading --- */

static inline float
clip(float value, float least, float most)
{
	/* What is no number compares as false. */
	value = value >= least ? value : value < least ? least : 0;
	return value > most ? most : value;
}

/* Words of 32 bits, as nearly all are. */
static void
load_codes_32(const struct kr_colour_conversion *c, const uint8_t *from, struct block *block)
{
	const struct kr_colour_layout *layout = c->layout;
	uint32_t alpha_bits = layout->bits[ALPHA], words[BLOCK];
	float full = alpha_bits ? (float)((1u << alpha_bits) - 1) : 1;

	memcpy(words, from, block->count * sizeof(*words));
	for (int k = 0; k < ALPHA; k++) {
		uint32_t shift = layout->shift[k], mask = (1u << layout->bits[k]) - 1;
		const float *codes = c->codes[k];

		for (uint32_t i = 0; i < block->count; i++)
			block->planes[k][i] = codes[words[i] >> shift & mask];
	}
	for (uint32_t i = 0; i < block->count; i++)
		block->planes[ALPHA][i] =
			alpha_bits ? (float)(words[i] >> layout->shift[ALPHA]) / full : 1;
}

static void
load_codes(const struct kr_colour_conversion *c, const uint8_t *from, struct block *block)
{
	const struct kr_colour_layout *layout = c->layout;
	uint32_t alpha_bits = layout->bits[ALPHA];
	uint64_t words[BLOCK];
	float full = alpha_bits ? (float)((1u << alpha_bits) - 1) : 1;

	if (layout->bytes == sizeof(uint32_t)) {
		load_codes_32(c, from, block);
		return;
	}
	for (uint32_t i = 0; i < block->count; i++) {
		words[i] = 0;
		memcpy(&words[i], from + (size_t)i * layout->bytes, layout->bytes);
	}
	for (int k = 0; k < ALPHA; k++) {
		uint64_t mask = (1u << layout->bits[k]) - 1;

		for (uint32_t i = 0; i < block->count; i++)
			block->planes[k][i] = c->codes[k][words[i] >> layout->shift[k] & mask];
	}
	for (uint32_t i = 0; i < block->count; i++)
		block->planes[ALPHA][i] =
			alpha_bits ? (float)(uint32_t)(words[i] >> layout->shift[ALPHA]) / full : 1;
}

/* Of whole numbers that have to be divided by alpha: signals. */
static void
load_signals(const struct kr_colour_conversion *c, const uint8_t *from, struct block *block)
{
	const struct kr_colour_layout *layout = c->layout;

	for (uint32_t i = 0; i < block->count; i++) {
		uint64_t word = 0;

		memcpy(&word, from + (size_t)i * layout->bytes, layout->bytes);
		for (int k = 0; k < KR_COLOUR_CHANNELS; k++) {
			uint32_t most = (1u << layout->bits[k]) - 1;

			block->planes[k][i] =
				(float)(uint32_t)(word >> layout->shift[k] & most) / (float)most;
		}
	}
}

static void
load_halves(const struct kr_colour_conversion *c, const void *from, struct block *block)
{
	float least = c->from.extended ? -KR_COLOUR_HALF_MOST : 0;
	float most = c->from.extended ? KR_COLOUR_HALF_MOST : 1;
	float pixels[BLOCK * KR_COLOUR_CHANNELS];

	kr_colour_from_halves(from, pixels, (size_t)block->count * KR_COLOUR_CHANNELS);
	for (uint32_t i = 0; i < block->count; i++) {
		const float *pixel = pixels + (size_t)i * KR_COLOUR_CHANNELS;

		for (int k = 0; k < ALPHA; k++)
			block->planes[k][i] = clip(pixel[k], least, most);
		block->planes[ALPHA][i] = clip(pixel[ALPHA], 0, 1);
	}
}

/* A pixel of no alpha at all is light that is added: as if it were opaque. */
static inline float
divisor(float alpha)
{
	return alpha > 0 ? alpha : 1;
}

static void
divide(const struct kr_colour_conversion *c, struct block *block)
{
	float most = c->from.extended ? KR_COLOUR_HALF_MOST : 1;

	for (int k = 0; k < ALPHA; k++) {
		for (uint32_t i = 0; i < block->count; i++)
			block->planes[k][i] =
				clip(block->planes[k][i] / divisor(block->planes[ALPHA][i]), -most,
					most);
	}
}

static void
multiply(struct block *block)
{
	for (int k = 0; k < ALPHA; k++) {
		for (uint32_t i = 0; i < block->count; i++)
			block->planes[k][i] *= divisor(block->planes[ALPHA][i]);
	}
}

/* --- light --- */

/* What is below 0 is as what is above, mirrored. */
static void
follow(const struct kr_colour_curve *curve, struct block *block)
{
	bool lanes = kr_colour_has_lanes();

	for (int k = 0; k < ALPHA && lanes; k++)
		kr_colour_lanes_follow(curve, block->planes[k], block->count);
	if (lanes)
		return;
	for (int k = 0; k < ALPHA; k++) {
		float *plane = block->planes[k];

		for (uint32_t i = 0; i < block->count; i++) {
			float size = __builtin_fabsf(plane[i]), result;

			size = size > curve->highest ? curve->highest : size;
			result = kr_colour_curve_at(curve, size);
			plane[i] = __builtin_copysignf(result, plane[i]);
		}
	}
}

static void
light_of(const struct kr_colour_conversion *c, const void *from, struct block *block)
{
	if (c->layout && !c->premultiplied) {
		load_codes(c, from, block);
		return;
	}
	if (c->layout)
		load_signals(c, from, block);
	else
		load_halves(c, from, block);
	if (c->premultiplied)
		divide(c, block);
	if (!c->same && c->from.transfer != KR_TRANSFER_LINEAR)
		follow(&c->light->to_light, block);
}

/* ITU-R BT.2100: the scene's luminance decides how bright a display shows it, or the reverse. */
static void
through_hlg_display(const struct kr_colour_curve *curve, struct block *block)
{
	float *red = block->planes[0], *green = block->planes[1], *blue = block->planes[2];

	for (uint32_t i = 0; i < block->count; i++) {
		float luminance = KR_COLOUR_HLG_RED * red[i] + KR_COLOUR_HLG_GREEN * green[i] +
			KR_COLOUR_HLG_BLUE * blue[i];
		float times = kr_colour_curve_at(
			curve, luminance > curve->highest ? curve->highest : luminance);

		red[i] *= times;
		green[i] *= times;
		blue[i] *= times;
	}
}

static void
mix(const float *m, struct block *block)
{
	float *red = block->planes[0], *green = block->planes[1], *blue = block->planes[2];

	for (uint32_t i = 0; i < block->count; i++) {
		float r = red[i], g = green[i], b = blue[i];

		red[i] = m[0] * r + m[1] * g + m[2] * b;
		green[i] = m[3] * r + m[4] * g + m[5] * b;
		blue[i] = m[6] * r + m[7] * g + m[8] * b;
	}
}

static void
clip_block(struct block *block, float least, float most)
{
	for (int k = 0; k < ALPHA; k++) {
		for (uint32_t i = 0; i < block->count; i++)
			block->planes[k][i] = clip(block->planes[k][i], least, most);
	}
}

static void
signal_of(const struct kr_colour_conversion *c, struct block *block)
{
	if (!c->to.extended)
		clip_block(block, 0, KR_COLOUR_HALF_MOST);
	if (c->to.transfer == KR_TRANSFER_HLG)
		through_hlg_display(kr_colour_hlg_loss(), block);
	if (c->to.transfer != KR_TRANSFER_LINEAR)
		follow(&c->signal->to_signal, block);
	if (!c->to.extended)
		clip_block(block, 0, 1);
}

static void
convert(const struct kr_colour_conversion *c, const void *from, struct block *block)
{
	light_of(c, from, block);
	if (c->same)
		return;
	if (c->from.transfer == KR_TRANSFER_HLG)
		through_hlg_display(kr_colour_hlg_gain(), block);
	if (c->from.primaries != c->to.primaries)
		mix(c->matrix, block);
	signal_of(c, block);
	if (c->premultiplied)
		multiply(block);
}

/* --- rows --- */

static size_t
bytes_of(const struct kr_colour_conversion *c)
{
	return c->layout ? c->layout->bytes : KR_COLOUR_CHANNELS * sizeof(uint16_t);
}

void
kr_colour_to_floats(
	const struct kr_colour_conversion *c, const void *from, float *restrict to, uint32_t width)
{
	const uint8_t *at = from;
	struct block block;

	for (uint32_t x = 0; x < width; x += block.count) {
		block.count = KR_MIN(width - x, (uint32_t)BLOCK);
		convert(c, at + x * bytes_of(c), &block);
		for (uint32_t i = 0; i < block.count; i++, to += KR_COLOUR_CHANNELS) {
			for (int k = 0; k < KR_COLOUR_CHANNELS; k++)
				to[k] = block.planes[k][i];
		}
	}
}

static inline uint32_t
whole(float signal, float most)
{
	return (uint32_t)(int32_t)(clip(signal, 0, 1) * most + 0.5f);
}

static void
general_to_words(const struct kr_colour_conversion *c, const void *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	uint32_t red = xrgb ? 16 : 0, blue = xrgb ? 0 : 16;
	const uint8_t *at = from;
	struct block block;

	for (uint32_t x = 0; x < width; x += block.count) {
		block.count = KR_MIN(width - x, (uint32_t)BLOCK);
		convert(c, at + x * bytes_of(c), &block);
		for (uint32_t i = 0; i < block.count; i++)
			to[x + i] = whole(block.planes[0][i], 255) << red |
				whole(block.planes[1][i], 255) << 8 |
				whole(block.planes[2][i], 255) << blue |
				whole(block.planes[ALPHA][i], 255) << 24;
	}
}

void
kr_colour_to_words(const struct kr_colour_conversion *c, const void *from, uint32_t *restrict to,
	uint32_t width, bool xrgb)
{
	if (!c->quick)
		general_to_words(c, from, to, width, xrgb);
	else if (!kr_colour_quick_lanes(c, from, to, width, xrgb))
		kr_colour_quick_any(c, from, to, width, xrgb);
}

void
kr_colour_pack(uint32_t format, const float *from, void *restrict to, uint32_t width)
{
	const struct kr_colour_layout *layout = layout_of(format);
	uint8_t *at = to;

	if (!layout) {
		kr_colour_to_halves(from, to, (size_t)width * KR_COLOUR_CHANNELS);
		return;
	}
	if (format == AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM && kr_colour_has_lanes()) {
		kr_colour_lanes_pack_10(from, to, width);
		return;
	}
	for (uint32_t x = 0; x < width; x++, from += KR_COLOUR_CHANNELS, at += layout->bytes) {
		uint64_t word = 0;

		for (int k = 0; k < KR_COLOUR_CHANNELS; k++) {
			if (layout->bits[k])
				word |= (uint64_t)whole(
						from[k], (float)((1u << layout->bits[k]) - 1))
					<< layout->shift[k];
		}
		memcpy(at, &word, layout->bytes);
	}
}
