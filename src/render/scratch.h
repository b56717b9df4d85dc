/* SPDX-License-Identifier: Apache-2.0 */
/* What drawing needs beside the canvas: of one size, whatever is drawn. */
#ifndef KR_RENDER_SCRATCH_H
#define KR_RENDER_SCRATCH_H

#include "render/sample.h"

#define KR_RENDER_TILE_ROWS 8

struct kr_render_scratch {
	struct kr_render_sampler sampler;
	/* A tile of the picture, wide; one of floats. */
	uint16_t tile[KR_RENDER_TILE_ROWS * KR_RENDER_RUN * KR_RENDER_WIDE];
	float floats[KR_RENDER_TILE_ROWS * KR_RENDER_FLOAT_RUN * KR_COLOUR_CHANNELS];
	struct kr_render_float_sampler float_sampler;
	void *data[KR_RENDER_MAX_LAYERS]; /* of the plan's parts, while it is drawn */
};

#endif
