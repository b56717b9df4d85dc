/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the colours of a pbuffer as they lie in a window's buffer: the row at the top first. All
 * of it is done with a context of ours that is current, of OpenGL ES.
 */
#ifndef KR_EGL_WINDOW_PIXELS_H
#define KR_EGL_WINDOW_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "egl/window/damage.h"
#include "egl/window/format.h"
#include "egl/window/turn.h"

struct kr_egl_pixels {
	const struct kr_egl_format *format;
	struct kr_egl_gl *gl;
	unsigned gl_format; /* what is asked for; by the format below what lies there then */
	unsigned gl_type;
	enum {
		KR_EGL_PIXELS_AS_READ,
		KR_EGL_PIXELS_SWAP,     /* red and blue are to be swapped */
		KR_EGL_PIXELS_PACK_565, /* of 8 bits each */
	} after;
	bool in_place;           /* rows come in our order, as far from each other as we say */
	struct kr_egl_turn turn; /* else, if it can, it puts them into that order */
	void *bounce;            /* else they come here first */
	size_t bounce_size;
};

/* Looks what the current context can. EGL_SUCCESS or EGL_BAD_MATCH; EGL_BAD_ALLOC. */
EGLint kr_egl_pixels_init(struct kr_egl_pixels *pixels, struct kr_egl_vendor *vendor,
	const struct kr_egl_format *format);
void kr_egl_pixels_finish(struct kr_egl_pixels *pixels);

/* What draws, as GL names it; "" if it says nothing. Valid as long as the context. */
const char *kr_egl_pixels_renderer(const struct kr_egl_pixels *pixels);

/*
 * These rows of the current surface, each to its place in a picture of rows of `stride` pixels.
 * EGL_SUCCESS, or the error.
 */
EGLint kr_egl_pixels_read(struct kr_egl_pixels *pixels, uint32_t width, uint32_t height,
	struct kr_egl_rows rows, void *to, uint32_t stride);

#endif
