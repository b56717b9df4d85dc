/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turning a picture over on the GPU before it is read: for contexts of OpenGL ES 3 that give rows
 * from the bottom alone (NVIDIA's). All of it is done with a context of ours that is current.
 */
#ifndef KR_EGL_WINDOW_TURN_H
#define KR_EGL_WINDOW_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "egl/window/damage.h"
#include "egl/window/format.h"

struct kr_egl_turn {
	struct kr_egl_turn_gl *gl; /* NULL: it can't be done */
	unsigned gl_format;
	unsigned framebuffer;
	unsigned renderbuffer;
	uint32_t width;
	uint32_t height;
};

/* Looks whether the current context and its surface can. */
void kr_egl_turn_init(
	struct kr_egl_turn *turn, struct kr_egl_vendor *vendor, const struct kr_egl_format *format);
/* Also after the context. */
void kr_egl_turn_finish(struct kr_egl_turn *turn);

/*
 * What is read from now on is the current surface with its top row first, as far as these rows go;
 * false: it is the surface as it was. Between the two nothing else is done with the context.
 */
bool kr_egl_turn_begin(
	struct kr_egl_turn *turn, uint32_t width, uint32_t height, struct kr_egl_rows rows);
void kr_egl_turn_end(struct kr_egl_turn *turn);

#endif
