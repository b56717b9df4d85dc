/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick way to words of 8 bits, for results that are sRGB's signals: light of each code by a
 * table, and HLG's display, or light from halves as it is; the matrix; parabolas. Both functions
 * give the same bytes. Thread-safe.
 */
#ifndef KR_COLOUR_QUICK_H
#define KR_COLOUR_QUICK_H

#include "colour/convert.h"

/* Of the scene's light, on a display of HLG: ITU-R BT.2100's weights of BT.2020. */
#define KR_COLOUR_HLG_RED   0.2627f
#define KR_COLOUR_HLG_GREEN 0.6780f
#define KR_COLOUR_HLG_BLUE  0.0593f

/* Whether a conversion, which is set up but for this, has the quick way. */
bool kr_colour_quick_fits(const struct kr_colour_conversion *conversion);
void kr_colour_quick_any(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb);
/* False: see kr_colour_has_lanes; or the format has no such way. */
bool kr_colour_quick_lanes(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb);

#endif
