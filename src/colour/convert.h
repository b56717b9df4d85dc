/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of pixels of one colour space turned into another one: signals to light, by the primaries
 * to other light, to signals. What the other one can't hold is clipped, channel by channel; tones
 * aren't mapped. Within 1 of 1023 of what the formulas give, beside the rounding of the result.
 *
 * The same bytes on every machine. Thread-safe.
 */
#ifndef KR_COLOUR_CONVERT_H
#define KR_COLOUR_CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include "colour/curves.h"
#include "colour/space.h"
#include "util/macros.h"

#define KR_COLOUR_CHANNELS 4 /* of a pixel of floats: red, green, blue, alpha */

/* How pixels of a format of whole numbers lie in a word. */
struct kr_colour_layout {
	uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
	uint8_t bytes;
	uint8_t shift[KR_COLOUR_CHANNELS];
	uint8_t bits[KR_COLOUR_CHANNELS]; /* alpha: 0, it has none */
};

struct kr_colour_conversion {
	const struct kr_colour_layout *layout; /* NULL: halves */
	struct kr_colour_space from;
	struct kr_colour_space to;
	bool same; /* numbers stay what they are */
	bool premultiplied;
	bool quick; /* to words: see quick.h */
	const struct kr_colour_curves *light;
	const struct kr_colour_curves *signal;
	const float *codes[3]; /* light of red, green and blue; of whole numbers */
	float matrix[9];       /* by rows, red, green and blue of the result */
};

/* Whether pixels of a format can be converted: the formats of windows. */
bool kr_colour_has_format(uint32_t format);
/*
 * From pixels of a format to another dataspace; both are known, and resolved. `premultiplied`:
 * colours come multiplied by alpha, as they are encoded, and go so.
 */
void kr_colour_conversion_init(struct kr_colour_conversion *conversion, uint32_t format,
	int32_t from, int32_t to, bool premultiplied);
/* Signals, and alpha, from 0 to 1 where the result is not extended; opaque formats have 1. */
void kr_colour_to_floats(const struct kr_colour_conversion *conversion, const void *from,
	float *restrict to, uint32_t width);
/*
 * 8 bits a channel: 0xAARRGGBB with `xrgb`, else 0xAABBGGRR. What is opaque has an alpha of 255.
 */
void kr_colour_to_words(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb);
/* Writes signals as pixels of a format: to the nearest number, halves upwards. */
void kr_colour_pack(uint32_t format, const float *from, void *restrict to, uint32_t width);

#endif
