/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on rows of pixels. A wide pixel has four channels of 16 bits, in the order of the
 * narrow pixel's bytes: 256 times the channel of 8 bits, so that what many layers round stays far
 * below 1 of 255 together. Each step is off by at most 2 of 65536 and never above full. Pixels of
 * the same value in all rows of it keep it: nothing drifts where nothing changes.
 *
 * The same bytes on every machine. No state.
 */
#ifndef KR_RENDER_ROWS_H
#define KR_RENDER_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include "render/render.h"

#define KR_RENDER_WIDE     4      /* channels of a wide pixel */
#define KR_RENDER_FULL     0xff00 /* a channel of 255 */
#define KR_RENDER_ONE      0x4000 /* the weights of two neighbours together */
#define KR_RENDER_ALPHA    0xff000000u
#define KR_RENDER_DIM_FULL 0x10000 /* a plane alpha of 1 */

/* `acc` gets `from` over itself; `dim`: the plane's alpha, up to KR_RENDER_DIM_FULL. */
typedef void (*kr_render_over_fn)(
	uint16_t *restrict acc, const void *from, uint32_t count, uint32_t dim);

struct kr_render_rows {
	/* Opaque pixels: alpha becomes full. */
	void (*widen)(uint16_t *restrict to, const uint32_t *from, uint32_t count);
	void (*narrow)(uint32_t *restrict to, const uint16_t *from, uint32_t count);
	/* Of narrow pixels, of wide ones; by enum kr_render_blend - 1. */
	kr_render_over_fn over[2][3];
	/* A color, wide and premultiplied. */
	void (*over_color)(
		uint16_t *restrict acc, const uint16_t color[KR_RENDER_WIDE], uint32_t count);
	/*
	 * Pixel i lies between from[near[i]] and the one after it, which has weight[i] of
	 * KR_RENDER_ONE.
	 */
	void (*between_pixels)(uint16_t *restrict to, const uint32_t *from, const uint32_t *near,
		const uint16_t *weight, uint32_t count);
	/* Between two rows; b has `weight`. */
	void (*between_rows)(uint16_t *restrict to, const uint16_t *a, const uint16_t *b,
		uint32_t weight, uint32_t count);
};

/* What runs on any processor. */
const struct kr_render_rows *kr_render_any_rows(void);
/* NULL: this processor has nothing better. */
const struct kr_render_rows *kr_render_own_rows(void);

static inline const struct kr_render_rows *
kr_render_best_rows(void)
{
	const struct kr_render_rows *own = kr_render_own_rows();

	return own ? own : kr_render_any_rows();
}

#endif
