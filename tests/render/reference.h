/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a picture has to look like, worked out the long way: pixel by pixel, layer by layer from the
 * bottom up, in double precision and rounded nowhere but where the renderer says so (a buffer's
 * pixels have 8 bits a channel).
 */
#ifndef KR_TESTS_RENDER_REFERENCE_H
#define KR_TESTS_RENDER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include "render/render.h"

struct reference_pixel {
	double channel[4]; /* R, G, B, A: 0 to 255 */
	bool exact;        /* one opaque layer, or none, pixel for pixel */
	bool kept;         /* the canvas stays as it is */
};

/* Layers from the top down. */
struct reference_pixel reference_at(
	const struct kr_render_layer *layers, unsigned count, bool has_alpha, int32_t x, int32_t y);

#endif
