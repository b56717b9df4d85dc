/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of pixels, R, G, B and a fourth byte in memory, turned into what the formats of captures are
 * made of: the same bytes everywhere, by loops that a compiler makes vectors of. Thread-safe.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_ROWS_H
#define KR_TOOLS_RUN_CAPTURE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KR_RGB_BYTES   3
#define KR_RGBA_BYTES  4
#define KR_RGB16_BYTES 6

void kr_rgb_from_rgbx(const uint32_t *from, uint8_t *to, uint32_t width);
/* The fourth byte becomes 255; `to` may be `from`. */
void kr_make_opaque(const uint32_t *from, uint32_t *to, uint32_t width);
/* BT.709, limited range, each the nearest value. */
void kr_ycbcr_from_rgbx(const uint32_t *from, uint8_t *y, uint8_t *cb, uint8_t *cr, uint32_t width);
/* 10 bits a channel (picture.h): the two highest bits of each word become 1. */
void kr_make_opaque_10(uint32_t *pixels, uint32_t width);
/* Four halves a pixel: the fourth becomes 1.0. */
void kr_make_opaque_halves(void *pixels, uint32_t width);
/* From 10 bits to two bytes a channel, the higher first: as they are, or spread over 16 bits. */
void kr_rgb_from_10(const uint32_t *from, uint8_t *to, uint32_t width);
void kr_rgb16_from_10(const uint32_t *from, uint8_t *to, uint32_t width);
/*
 * From 10 bits to 10 bits, limited range, each the nearest value, two bytes, the lower first.
 * BT.709 or, with `bt2020`, the non-constant luminance of BT.2020.
 */
void kr_ycbcr_from_10(
	const uint32_t *from, uint16_t *y, uint16_t *cb, uint16_t *cr, uint32_t width, bool bt2020);
/* Whether the fourth byte of all is 255. */
bool kr_all_opaque(const uint32_t *from, uint32_t width);

#endif
