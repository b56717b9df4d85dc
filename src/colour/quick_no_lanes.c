/* SPDX-License-Identifier: Apache-2.0 */
/* See quick.h: processors for which there is nothing better. */
#include "colour/quick.h"

bool
kr_colour_quick_lanes(const struct kr_colour_conversion *conversion, const void *from,
	uint32_t *restrict to, uint32_t width, bool xrgb)
{
	return false;
}
