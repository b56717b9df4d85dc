/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tile of a wide canvas, made beside it in floats, premultiplied: what is opaque or bare first,
 * then what lies on that, from the bottom up.
 */
#ifndef KR_RENDER_WIDE_H
#define KR_RENDER_WIDE_H

#include "render/tile.h"

/* Makes it, and writes it to the canvas. At most KR_RENDER_FLOAT_RUN by KR_RENDER_TILE_ROWS. */
void kr_render_wide_tile_draw(struct kr_render_work *work, const pixman_box32_t *tile);

#endif
