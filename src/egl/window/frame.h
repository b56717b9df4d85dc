/* SPDX-License-Identifier: Apache-2.0 */
/* A frame that is swapped: a buffer of the window's, and the pbuffer whose pixels go into it. */
#ifndef KR_EGL_WINDOW_FRAME_H
#define KR_EGL_WINDOW_FRAME_H

#include "egl/window/internal.h"

struct kr_egl_frame {
	struct kr_egl_surface *surface;
	EGLSync drawn; /* what the copier waits for; EGL_NO_SYNC: nothing */
	ANativeWindowBuffer *buffer;
	int acquire;
	struct kr_egl_frame_times *times; /* NULL: the window doesn't count */
	bool unseen;                      /* nobody wants its pixels: there is nothing to copy */
	struct kr_egl_rows rows;          /* what of it the buffer hasn't */
	bool *copied;                     /* in the surface's damage */
};

/*
 * Gets a buffer of the size of what was drawn. `count` rectangles of EGL's changed, 0: everything.
 * EGL_SUCCESS, or the error, and there is nothing to cancel.
 */
EGLint kr_egl_frame_begin(struct kr_egl_frame *frame, const EGLint *rectangles, EGLint count);
/* It comes to nothing. */
void kr_egl_frame_cancel(struct kr_egl_frame *frame);
/*
 * Queues it with a fence, and the copier goes to work; no context of the program's has the pbuffer.
 * Whatever comes of it, the buffer is the window's again.
 */
EGLint kr_egl_frame_deliver(struct kr_egl_frame *frame, const struct kr_egl_pbuffer *pbuffer);
/* The same, once the pixels are there. */
EGLint kr_egl_frame_deliver_done(struct kr_egl_frame *frame, const struct kr_egl_pbuffer *pbuffer);
/* What is left of it. */
void kr_egl_frame_finish(struct kr_egl_frame *frame);

#endif
