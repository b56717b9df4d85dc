/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and numbers for tests of the renderer. */
#ifndef KR_TESTS_RENDER_RIG_H
#define KR_TESTS_RENDER_RIG_H

#include "harness.h"

#include "gralloc/buffer.h"
#include "render/render.h"

#define RGBA  AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM
#define RGBX  AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM
#define BGRA  AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
#define RGB5  AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM
#define RGB10 AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM
#define HALF  AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT

/* The same numbers on each run. */
struct rig_random {
	uint64_t state;
};
uint32_t rig_random(struct rig_random *random, uint32_t below);

struct kr_buffer *rig_buffer(uint32_t width, uint32_t height, uint32_t format);
/* Noise; premultiplied where the format has alpha and `premultiplied` is asked for. */
void rig_fill(
	struct rig_random *random, struct kr_buffer *buffer, const ARect *box, bool premultiplied);
/* A layer that shows the whole buffer at x, y; opaque. */
struct kr_render_layer rig_layer(struct kr_buffer *buffer, int32_t x, int32_t y);
/* Draws it all. How many calls it took. */
unsigned rig_draw(struct kr_render_plan *plan, struct kr_render_canvas *canvas, uint64_t budget,
	uint64_t *written);

#endif
