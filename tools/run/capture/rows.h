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

#define KR_RGB_BYTES  3
#define KR_RGBA_BYTES 4

void kr_rgb_from_rgbx(const uint32_t *from, uint8_t *to, uint32_t width);
/* The fourth byte becomes 255; `to` may be `from`. */
void kr_make_opaque(const uint32_t *from, uint32_t *to, uint32_t width);
/* BT.709, limited range, each the nearest value. */
void kr_ycbcr_from_rgbx(const uint32_t *from, uint8_t *y, uint8_t *cb, uint8_t *cr, uint32_t width);
/* Whether the fourth byte of all is 255. */
bool kr_all_opaque(const uint32_t *from, uint32_t width);

#endif
