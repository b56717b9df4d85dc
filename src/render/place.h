/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pixels of a layer go. Each direction of the canvas lies along one direction of the
 * buffer (an axis); a layer that is turned by 90 degrees swaps the two. (Android applies the flips
 * first and then turns clockwise: system/window.h.) No state.
 */
#ifndef KR_RENDER_PLACE_H
#define KR_RENDER_PLACE_H

#include "render/render.h"

/* One direction of the canvas, and the direction of the buffer that lies along it. */
struct kr_render_axis {
	int32_t origin; /* of the frame, on the canvas */
	int32_t length; /* of the frame; 0 or less: nothing is seen */
	double from;    /* of the crop, in the buffer */
	double size;
	int32_t first; /* pixels of the buffer that the crop touches */
	int32_t last;
	bool reversed;
};

struct kr_render_place {
	struct kr_render_axis along; /* a row of the canvas */
	struct kr_render_axis down;
	bool turned; /* a row of the canvas is a column of the buffer */
	bool scaled; /* not pixel for pixel: between pixels of the buffer */
};

/* Whether it shows a buffer. */
bool kr_render_has_pixels(const struct kr_render_layer *layer);
/* Of a layer with a buffer. */
void kr_render_place_find(const struct kr_render_layer *layer, struct kr_render_place *place);
/* Whether rows of the buffer are rows of the canvas, forwards and pixel for pixel. */
bool kr_render_place_is_plain(const struct kr_render_place *place);
/* What is on a canvas of that size; false: nothing. */
bool kr_render_frame_box(
	const struct kr_render_layer *layer, uint32_t width, uint32_t height, pixman_box32_t *box);

#endif
