/* SPDX-License-Identifier: Apache-2.0 */
/* What of a region lies in a tile. No state. */
#ifndef KR_RENDER_TILE_BOXES_H
#define KR_RENDER_TILE_BOXES_H

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

/* The first of a region's boxes that ends below `y`: they lie in bands, from the top down. */
static inline const pixman_box32_t *
kr_render_first_below(pixman_region32_t *region, int32_t y, const pixman_box32_t **end)
{
	int count, low = 0;
	const pixman_box32_t *at = pixman_region32_rectangles(region, &count);

	*end = at + count;
	while (low < count) {
		int middle = low + (count - low) / 2;

		if (at[middle].y2 <= y)
			low = middle + 1;
		else
			count = middle;
	}
	return at + low;
}

/* The next of a region's boxes that has something in a tile, and that. False: there is none. */
static inline bool
kr_render_next_in_tile(const pixman_box32_t **at, const pixman_box32_t *end,
	const pixman_box32_t *tile, pixman_box32_t *box)
{
	for (; *at < end && (*at)->y1 < tile->y2; (*at)++) {
		*box = (pixman_box32_t){KR_MAX((*at)->x1, tile->x1), KR_MAX((*at)->y1, tile->y1),
			KR_MIN((*at)->x2, tile->x2), KR_MIN((*at)->y2, tile->y2)};
		if (box->x1 >= box->x2)
			continue;
		(*at)++;
		return true;
	}
	return false;
}

#endif
