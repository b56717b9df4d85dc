/* SPDX-License-Identifier: Apache-2.0 */
/* See half.h: plain loops without branches. */
#include "colour/half.h"

#include <string.h>

#include "colour/lanes.h"

#define SIGN 0x8000u
#define REST 0x7fffu
/* By so much a float's exponent is above a half's. */
#define ABOVE 0x1p112f
/* Added to a half's denormal: the float's last bit is worth what the half's is. */
#define MAGIC 0.5f

static inline float
float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint32_t
bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Infinite ones become 65536, those that are no number what is no number. */
static inline float
from_half(uint16_t half)
{
	uint32_t size = half & REST;
	float value = float_of(size << 13) * ABOVE;

	value = size > 0x7c00 ? __builtin_nanf("") : value;
	return half & SIGN ? -value : value;
}

static inline uint16_t
to_half(float value)
{
	uint32_t sign = bits_of(value) >> 16 & SIGN, bits;
	float size = __builtin_fabsf(value);

	size = size < KR_COLOUR_HALF_MOST     ? size
		: size >= KR_COLOUR_HALF_MOST ? KR_COLOUR_HALF_MOST
					      : 0;
	if (size < 0x1p-14f) {
		bits = bits_of(size + MAGIC) - bits_of(MAGIC);
	} else {
		bits = bits_of(size) - ((127u - 15) << 23);
		bits = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
	}
	return (uint16_t)(sign | bits);
}

void
kr_colour_from_halves(const void *from, float *restrict to, size_t count)
{
	const uint16_t *halves = from;

	for (size_t i = 0; i < count; i++)
		to[i] = from_half(halves[i]);
}

void
kr_colour_to_halves(const float *from, void *restrict to, size_t count)
{
	uint16_t *halves = to;

	if (kr_colour_has_lanes()) {
		kr_colour_lanes_to_halves(from, halves, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		halves[i] = to_half(from[i]);
}
