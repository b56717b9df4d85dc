/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tile of the picture, made beside the canvas, in wide pixels and in the processor's nearest
 * cache: what is opaque or bare first, then what lies on that, from the bottom up.
 */
#ifndef KR_RENDER_TILE_H
#define KR_RENDER_TILE_H

#include "render/render.h"
#include "render/rows.h"
#include "render/scratch.h"

/* What a call of kr_render_draw works on. */
struct kr_render_work {
	struct kr_render_plan *plan;
	struct kr_render_canvas *canvas;
	struct kr_render_scratch *scratch;
	const struct kr_render_rows *rows;
	uint64_t *budget;
	uint64_t *written;
};

static inline uint32_t *
kr_render_pixel_at(const struct kr_render_canvas *canvas, int32_t x, int32_t y)
{
	return (uint32_t *)(void *)(canvas->pixels + (size_t)y * canvas->row_bytes) + x;
}

/* Makes it, and writes it to the canvas. At most KR_RENDER_RUN by KR_RENDER_TILE_ROWS. */
void kr_render_tile_draw(struct kr_render_work *work, const pixman_box32_t *tile);

#endif
