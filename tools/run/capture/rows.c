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
 * BT.709 (ITU-R BT.709-6, 3.2 and 3.5) of 8 bits:
 *
 *   Y  =  16 + 219/255 * L       L = 0.2126 R + 0.7152 G + 0.0722 B
 *   Cb = 128 + 224/255 * (B - L) / 1.8556
 *   Cr = 128 + 224/255 * (R - L) / 1.5748
 *
 * In floating point, of which processors without newer instructions multiply more at a time than
 * they do of whole numbers; nothing is contracted (meson.build), so that the bytes are the same
 * everywhere. All sums are positive, so that cutting off what is behind the point of one that is
 * too large by a half gives the nearest value.
 */
#define LUMA(r, g, b) (0.2126F * (r) + 0.7152F * (g) + 0.0722F * (b))
#define Y_FACTOR      (219.0F / 255)
#define CB_FACTOR     (224.0F / 255 / 1.8556F)
#define CR_FACTOR     (224.0F / 255 / 1.5748F)
#define Y_ZERO        16.5F
#define C_ZERO        128.5F

void
kr_ycbcr_from_rgbx(const uint32_t *restrict from, uint8_t *restrict y, uint8_t *restrict cb,
	uint8_t *restrict cr, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++) {
		float r = (float)(int32_t)(from[x] & 0xff);
		float g = (float)(int32_t)(from[x] >> 8 & 0xff);
		float b = (float)(int32_t)(from[x] >> 16 & 0xff);
		float luma = LUMA(r, g, b);

		y[x] = (uint8_t)(int32_t)(luma * Y_FACTOR + Y_ZERO);
		cb[x] = (uint8_t)(int32_t)((b - luma) * CB_FACTOR + C_ZERO);
		cr[x] = (uint8_t)(int32_t)((r - luma) * CR_FACTOR + C_ZERO);
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
