/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pbuffer's colours into a window's buffer by the GPU, where the vendor imports the buffer's
 * dma-buf. With a context of ours that is current, of OpenGL ES 3, and the pbuffer.
 */
#ifndef KR_EGL_WINDOW_BLIT_H
#define KR_EGL_WINDOW_BLIT_H

#include <krafla/native_window.h>
#include <stdbool.h>
#include <stdint.h>

#include "egl/window/damage.h"
#include "egl/window/format.h"

/* As many as a window has buffers. */
#define KR_EGL_BLIT_TARGETS 8

struct kr_egl_blit_target {
	ANativeWindowBuffer *buffer; /* with a reference; NULL: free */
	EGLImage image;
	unsigned texture;
	unsigned framebuffer;
};

struct kr_egl_blit {
	struct kr_egl_display *display;
	struct kr_egl_blit_gl *gl; /* NULL: it can't be done */
	struct kr_egl_blit_target targets[KR_EGL_BLIT_TARGETS];
	unsigned next; /* the target that is given up next */
};

/* False: it can't be done with this context and config. */
bool kr_egl_blit_init(struct kr_egl_blit *blit, struct kr_egl_display *display, EGLConfig config);
/* After the context, with which its objects of GL have gone. */
void kr_egl_blit_finish(struct kr_egl_blit *blit);

/* These rows of the current surface; it is done on return. False: not with this buffer. */
bool kr_egl_blit_copy(struct kr_egl_blit *blit, ANativeWindowBuffer *buffer, EGLint width,
	EGLint height, struct kr_egl_rows rows);

#endif
