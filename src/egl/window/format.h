/* SPDX-License-Identifier: Apache-2.0 */
/* Which configs windows can have, and the buffers that their pixels go into. */
#ifndef KR_EGL_WINDOW_FORMAT_H
#define KR_EGL_WINDOW_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "egl/vendor/display.h"

struct kr_egl_format {
	EGLint red, green, blue, alpha; /* bits of a config */
	bool is_float;
	bool is_video;        /* EGL_RECORDABLE_ANDROID and EGL_FRAMEBUFFER_TARGET_ANDROID */
	uint32_t hal;         /* AHARDWAREBUFFER_FORMAT_* */
	uint32_t pixel_bytes; /* in a buffer */
	unsigned gl_format;   /* what glReadPixels is asked for, to get them as they lie there */
	unsigned gl_type;
};

/* NULL: windows have no buffers for it, or it is none. No error is set. */
const struct kr_egl_format *kr_egl_format_of(struct kr_egl_display *display, EGLConfig config);

#endif
