/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of captures: see rows.h. */
#include "tools/run/capture/rows.h"

#define TEN_MOST 1023

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

/*
 * ITU-R BT.709-6, 3.2, and BT.2020-2, table 4 (non-constant luminance), with 10 bits as their 3.5
 * and table 5 have them:
 *
 *   Y  =  64 + 876/1023 * L      L = Kr R + (1 - Kr - Kb) G + Kb B
 *   Cb = 512 + 896/1023 * (B - L) / (2 - 2 Kb)
 *   Cr = 512 + 896/1023 * (R - L) / (2 - 2 Kr)
 */
void
kr_ycbcr_from_10(const uint32_t *restrict from, uint16_t *restrict y, uint16_t *restrict cb,
	uint16_t *restrict cr, uint32_t width, bool bt2020)
{
	const float kr = bt2020 ? 0.2627F : 0.2126F, kb = bt2020 ? 0.0593F : 0.0722F;
	const float kg = 1 - kr - kb;
	const float luma_factor = 876.0F / TEN_MOST;
	const float cb_factor = 896.0F / TEN_MOST / (2 - 2 * kb);
	const float cr_factor = 896.0F / TEN_MOST / (2 - 2 * kr);

	for (uint32_t x = 0; x < width; x++) {
		float r = (float)(int32_t)(from[x] & TEN_MOST);
		float g = (float)(int32_t)(from[x] >> 10 & TEN_MOST);
		float b = (float)(int32_t)(from[x] >> 20 & TEN_MOST);
		float luma = kr * r + kg * g + kb * b;

		y[x] = (uint16_t)(int32_t)(luma * luma_factor + 64.5F);
		cb[x] = (uint16_t)(int32_t)((b - luma) * cb_factor + 512.5F);
		cr[x] = (uint16_t)(int32_t)((r - luma) * cr_factor + 512.5F);
	}
}

void
kr_make_opaque_10(uint32_t *pixels, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++)
		pixels[x] |= UINT32_C(3) << 30;
}

void
kr_make_opaque_halves(void *pixels, uint32_t width)
{
	uint64_t *words = pixels;

	for (uint32_t x = 0; x < width; x++)
		words[x] = (words[x] & UINT64_C(0xffffffffffff)) | UINT64_C(0x3c00) << 48;
}

static inline void
put_16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

void
kr_rgb_from_10(const uint32_t *from, uint8_t *to, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++, to += KR_RGB16_BYTES) {
		put_16(to, from[x] & TEN_MOST);
		put_16(to + 2, from[x] >> 10 & TEN_MOST);
		put_16(to + 4, from[x] >> 20 & TEN_MOST);
	}
}

/* Of 65535, the nearest. */
static inline uint32_t
spread(uint32_t ten)
{
	return (ten * 65535 + TEN_MOST / 2) / TEN_MOST;
}

void
kr_rgb16_from_10(const uint32_t *from, uint8_t *to, uint32_t width)
{
	for (uint32_t x = 0; x < width; x++, to += KR_RGB16_BYTES) {
		put_16(to, spread(from[x] & TEN_MOST));
		put_16(to + 2, spread(from[x] >> 10 & TEN_MOST));
		put_16(to + 4, spread(from[x] >> 20 & TEN_MOST));
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
