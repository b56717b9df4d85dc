/* SPDX-License-Identifier: Apache-2.0 */
/* See lanes.h and quick.h: processors for which there is nothing better. */
#include "colour/lanes.h"
#include "colour/quick.h"

bool
kr_colour_has_lanes(void)
{
	return false;
}

void
kr_colour_without_lanes(bool without)
{
}

void
kr_colour_lanes_follow(const struct kr_colour_curve *curve, float *plane, uint32_t count)
{
}

void
kr_colour_lanes_pack_10(const float *from, uint32_t *restrict to, uint32_t width)
{
}

void
kr_colour_lanes_to_halves(const float *from, uint16_t *restrict to, size_t count)
{
}

bool
kr_colour_quick_lanes(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb)
{
	return false;
}
