/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The light of a picture: linear, 1.0 being white (203 cd/m2), of the primaries that its colour
 * space has. For formats of numbers that have no end. Thread-safe.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_LIGHT_H
#define KR_TOOLS_RUN_CAPTURE_LIGHT_H

#include "colour/convert.h"
#include "tools/run/capture/picture.h"

#define KR_LIGHT_WHITE 203 /* cd/m2 */

struct kr_capture_light {
	const struct kr_capture_picture *picture;
	struct kr_colour_conversion conversion;
};

/* Of one that is complete, as long as it is. */
void kr_capture_light_init(
	struct kr_capture_light *light, const struct kr_capture_picture *picture);
/* A row: red, green, blue and 1.0 of each pixel, which has room in `to`. */
void kr_capture_light_row(const struct kr_capture_light *light, uint32_t y, float *to);

#endif
