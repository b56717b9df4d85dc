/* SPDX-License-Identifier: Apache-2.0 */
/* Work for llvmpipe that takes as long as a test wants; its functions by eglGetProcAddress. */
#ifndef KR_TESTS_EGL_SLOW_WORK_H
#define KR_TESTS_EGL_SLOW_WORK_H

#include <EGL/egl.h>

/* A display of Mesa's without windows, with its config; as rules.h's choose() said before. */
void open_mesa(EGLDisplay *display, EGLConfig *config);
/* A context of OpenGL ES 3, made current on a pbuffer of its own. */
EGLContext begin_context(EGLDisplay display, EGLConfig config);
/* The same, to work in. */
EGLContext begin_work(EGLDisplay display, EGLConfig config);
/* Makes the current context draw for about so long; it isn't flushed. Less than 1: a clear. */
void work_for_ms(int ms);
void gl_flush(void);
void gl_finish(void);

#endif
