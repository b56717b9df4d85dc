/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pbuffer's colours into a window's buffer, by the GPU (blit.h) or by the CPU (pixels.h). Which
 * of them is found with the first frame that could go either way: it goes both ways, and if they
 * give the same picture the faster one stays.
 */
#ifndef KR_EGL_WINDOW_TRANSFER_H
#define KR_EGL_WINDOW_TRANSFER_H

#include "egl/window/blit.h"
#include "egl/window/pixels.h"
#include "util/clock.h"

/* For the far end to let go of a buffer: S-05's deadline. */
#define KR_EGL_RELEASE_LIMIT_NS (5 * KR_NSEC_PER_SEC)

struct kr_egl_transfer {
	struct kr_egl_pixels pixels;
	struct kr_egl_blit blit;
	enum {
		KR_EGL_TRANSFER_UNTRIED,
		KR_EGL_TRANSFER_READ,
		KR_EGL_TRANSFER_BLIT,
	} way;
};

/* Looks what the current context can. EGL_SUCCESS or the error. */
EGLint kr_egl_transfer_init(struct kr_egl_transfer *transfer, struct kr_egl_display *display,
	EGLConfig config, const struct kr_egl_format *format);
/* After the context. */
void kr_egl_transfer_finish(struct kr_egl_transfer *transfer);
/*
 * These rows of the current surface, at least, into a buffer of its size; they are there on return.
 */
EGLint kr_egl_transfer_run(struct kr_egl_transfer *transfer, ANativeWindowBuffer *buffer,
	EGLint width, EGLint height, struct kr_egl_rows rows);

#endif
