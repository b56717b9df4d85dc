/* SPDX-License-Identifier: Apache-2.0 */
/* See pixels_lanes.h: of this kind of processor nothing is known. */
#include "gralloc/pixels_lanes.h"

#include <stddef.h>

kr_pixels_row_fn
kr_pixels_lanes_row(uint32_t format, enum kr_pixels_order order)
{
	(void)format;
	(void)order;
	return NULL;
}
