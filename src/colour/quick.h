/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick way to words of 8 bits, for results that are sRGB's signals: light of each code by a
 * table, the matrix, parabolas. Both functions give the same bytes. Thread-safe.
 */
#ifndef KR_COLOUR_QUICK_H
#define KR_COLOUR_QUICK_H

#include "colour/convert.h"

void kr_colour_quick_any(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb);
/* False: this processor has nothing better, or the format has no such way. */
bool kr_colour_quick_lanes(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb);

#endif
