/* SPDX-License-Identifier: Apache-2.0 */
/* See alpha.h. */
#include "outputs/alpha.h"

#include <krafla/hardware_buffer.h>
#include <math.h>
#include <string.h>

#define COLOUR UINT32_C(0xffffff)

/* The top eight bits of a word's alpha, which has `bits` of them at its top. */
static uint32_t
alpha_of_word(uint32_t word, unsigned bits)
{
	return bits == 8 ? word >> 24 : (word >> 30) * 0x55;
}

/* An IEEE half between 0 and 1 as 0..255, the nearest; what is no number is 0. */
static uint32_t
alpha_of_half(uint16_t half)
{
	unsigned exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
	float value;

	if (half & 0x8000 || (exponent == 0x1f && fraction))
		return 0;
	if (exponent >= 15)
		return 255;
	value = exponent ? ldexpf(1.0f + (float)fraction / 1024, (int)exponent - 15)
			 : ldexpf((float)fraction / 1024, -14);
	return (uint32_t)(value * 255 + 0.5f);
}

void
output_copy_alpha(uint32_t format, const void *from, uint32_t *to, uint32_t width)
{
	const uint32_t *words = from;
	const uint16_t *halves = from;

	for (uint32_t x = 0; x < width; x++) {
		uint32_t alpha = 0xff;

		switch (format) {
		case AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM:
		case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
			alpha = alpha_of_word(words[x], 8);
			break;
		case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
			alpha = alpha_of_word(words[x], 2);
			break;
		case AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM:
			alpha = ((uint32_t)(halves[x * 4 + 3] >> 6) * 255 + 511) / 1023;
			break;
		case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
			alpha = alpha_of_half(halves[x * 4 + 3]);
			break;
		default:
			break;
		}
		to[x] = (to[x] & COLOUR) | alpha << 24;
	}
}
