/* SPDX-License-Identifier: Apache-2.0 */
/* When what a context has drawn is there, for a thread that reads it with another one. */
#ifndef KR_EGL_WINDOW_DRAWN_H
#define KR_EGL_WINDOW_DRAWN_H

#include "egl/vendor/display.h"

/*
 * A fence sync behind what the current context was told; the context is flushed. EGL_NO_SYNC: there
 * is none to be had, and it was waited for (glFinish).
 */
EGLSync kr_egl_drawn_mark(struct kr_egl_display *display);
/* Waits for it, 5 s at most, and destroys it. EGL_SUCCESS, or EGL_CONTEXT_LOST. */
EGLint kr_egl_drawn_wait(struct kr_egl_display *display, EGLSync take_sync);

#endif
