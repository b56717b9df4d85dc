/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread has current, and the error that its last call of EGL left. */
#ifndef KR_EGL_VENDOR_THREAD_H
#define KR_EGL_VENDOR_THREAD_H

#include "egl/vendor/display.h"

struct kr_egl_thread {
	struct kr_egl_display *display; /* of the current context; NULL: none is current */
	EGLContext context;
	EGLSurface draw, read;      /* as the application named them */
	EGLenum api;                /* EGL_OPENGL_ES_API, unless eglBindAPI said otherwise */
	struct kr_egl_vendor *last; /* whose eglGetError tells; NULL: `error` does */
	EGLint error;
};

/* The calling thread's, never NULL. It goes with the thread. */
struct kr_egl_thread *kr_egl_this_thread(void);

/* What eglGetError is to say of the call that is under way: ours, or what this vendor says. */
void kr_egl_error_set(EGLint error);
void kr_egl_error_of(struct kr_egl_vendor *vendor);

/* What eglGetError says, which is EGL_SUCCESS from then on. */
EGLint kr_egl_error_take(void);

#endif
