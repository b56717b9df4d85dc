/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a message wants to see, checked, planned (src/render: what hides what, what is stale), and
 * in the shader's words. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_PAINTER_PICTURE_H
#define KR_TOOLS_PAINTER_PICTURE_H

#include "render/render.h"
#include "tools/painter/source.h"

/* Layers `low` to `high`, which read no more than a pass may. From the bottom up. */
struct kr_paint_pass {
	uint32_t low, high;
	struct kr_paint_source *words[KR_PAINT_SLOTS];
	struct kr_paint_source *images[KR_PAINT_SLOTS];
	struct kr_paint_variant variant;
};
#define KR_PAINT_MAX_PASSES (KR_RENDER_MAX_LAYERS / KR_PAINT_SLOTS + 1)

struct kr_paint_picture {
	struct kr_render_scene scene;
	struct kr_render_plan plan;
	pixman_region32_t stale;
	pixman_region32_t todo;                                /* what is drawn */
	struct kr_paint_source *sources[KR_RENDER_MAX_LAYERS]; /* of the plan's parts; NULL: none */
	struct kr_paint_layer layers[KR_RENDER_MAX_LAYERS];    /* the same */
	uint32_t count;
	struct kr_paint_pass passes[KR_PAINT_MAX_PASSES];
	uint32_t pass_count;
	uint32_t tile_count;
};

void kr_paint_picture_init(struct kr_paint_picture *picture);
/*
 * Replaces what was there. -EPROTO: numbers out of their bounds, or of buffers that aren't there;
 * -EOPNOTSUPP: it takes more than the painter has.
 */
int kr_paint_picture_plan(struct kr_paint_picture *picture, const struct kr_pp_draw *draw,
	const struct kr_paint_sources *sources) KR_MUST_CHECK;
/* Those of what is drawn; picture->tile_count of them. */
void kr_paint_picture_tiles(const struct kr_paint_picture *picture, struct kr_paint_tile *tiles);
/* What a part reads of its buffer for what is drawn of it, added to a region. */
void kr_paint_picture_needs(
	struct kr_paint_picture *picture, uint32_t part, pixman_region32_t *region);

#endif
