/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of captures: see rows.h. */
#include "tools/run/capture/rows.h"

void
kr_rgb_from_rgbx(const uint32_t *from, uint8_t *to, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++, to += KR_RGB_BYTES) {
		uint32_t p = from[x];

		to[0] = (uint8_t)p;
		to[1] = (uint8_t)(p >> 8);
		to[2] = (uint8_t)(p >> 16);
	}
}

void
kr_make_opaque(const uint32_t *from, uint32_t *to, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++)
		to[x] = from[x] | 0xff000000;
}

/*
 * BT.709 (ITU-R BT.709-6, 3.2 and 3.5) of 8 bits, times 2^20 and rounded:
 *
 *   Y  =  16 + 219/255 * (0.2126 R + 0.7152 G + 0.0722 B)
 *   Cb = 128 + 224/255 * (B - Y') / 1.8556
 *   Cr = 128 + 224/255 * (R - Y') / 1.5748    Y' being what stands in brackets above
 *
 * The factors of Cb and Cr add up to 0, so that grey is 128 exactly.
 */
#define SHIFT     20
#define OFFSET(n) (((n) << SHIFT) + (1 << (SHIFT - 1)))

#define Y_R 191455
#define Y_G 644067
#define Y_B 65019

#define CB_R (-105533)
#define CB_G (-355018)
#define CB_B 460551

#define CR_R 460551
#define CR_G (-418321)
#define CR_B (-42230)

void
kr_ycbcr_from_rgbx(const uint32_t *restrict from, uint8_t *restrict y, uint8_t *restrict cb,
	uint8_t *restrict cr, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++) {
		int32_t r = (int32_t)(from[x] & 0xff), g = (int32_t)(from[x] >> 8 & 0xff);
		int32_t b = (int32_t)(from[x] >> 16 & 0xff);

		y[x] = (uint8_t)((Y_R * r + Y_G * g + Y_B * b + OFFSET(16)) >> SHIFT);
		cb[x] = (uint8_t)((CB_R * r + CB_G * g + CB_B * b + OFFSET(128)) >> SHIFT);
		cr[x] = (uint8_t)((CR_R * r + CR_G * g + CR_B * b + OFFSET(128)) >> SHIFT);
	}
}

bool
kr_all_opaque(const uint32_t *from, uint32_t width)
{
	uint32_t all = UINT32_MAX;

	for (uint32_t i = 0; i < width; i++)
		all &= from[i];
	return all >> 24 == 0xff;
}
