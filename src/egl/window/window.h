/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EGL_PLATFORM_ANDROID_KHR: ANativeWindows as window surfaces, over pbuffers of a vendor's display
 * that needs no window system. A surface of ours keeps its handle while pbuffers behind it change
 * with the window's size. Functions that take a surface answer for all surfaces of the display:
 * what isn't ours goes to the vendor. They set the thread's error.
 */
#ifndef KR_EGL_WINDOW_WINDOW_H
#define KR_EGL_WINDOW_WINDOW_H

#include "egl/fence/fence.h"

struct ANativeWindow;

/* eglGetPlatformDisplay(EGL_PLATFORM_ANDROID_KHR): EGL_NO_DISPLAY where no vendor does for it. */
EGLDisplay kr_egl_android_display(void *native, const EGLAttrib *attributes);

/* After eglInitialize, and at eglTerminate, of a display with `android`. */
EGLBoolean kr_egl_windows_start(struct kr_egl_display *display);
void kr_egl_windows_stop(struct kr_egl_display *display);
const char *kr_egl_windows_extensions(const struct kr_egl_display *display);

/* Configs of such a display: window bit, HAL format as visual, recordable, framebuffer target. */
EGLBoolean kr_egl_config_choose(struct kr_egl_display *display, const EGLint *attributes,
	EGLConfig *configs, EGLint room, EGLint *count);
EGLBoolean kr_egl_config_get(
	struct kr_egl_display *display, EGLConfig config, EGLint attribute, EGLint *value);

EGLSurface kr_egl_surface_create(struct kr_egl_display *display, EGLConfig config,
	struct ANativeWindow *window, const EGLAttrib *attributes);
EGLBoolean kr_egl_surface_destroy(struct kr_egl_display *display, EGLSurface surface);
EGLBoolean kr_egl_surface_query(
	struct kr_egl_display *display, EGLSurface surface, EGLint attribute, EGLint *value);
EGLBoolean kr_egl_surface_set(
	struct kr_egl_display *display, EGLSurface surface, EGLint attribute, EGLint value);

/* eglSwapBuffers, and with damage (count 0: all of it). */
EGLBoolean kr_egl_surface_swap(
	struct kr_egl_display *display, EGLSurface surface, const EGLint *rectangles, EGLint count);
EGLBoolean kr_egl_surface_interval(struct kr_egl_display *display, EGLint interval);

/*
 * eglMakeCurrent: puts the vendor's surfaces for ours and calls it. EGL_BAD_ACCESS for one of ours
 * that another thread has; a thread that ends without having let go lets go.
 */
EGLBoolean kr_egl_surfaces_make_current(
	struct kr_egl_display *display, EGLSurface draw, EGLSurface read, EGLContext context);
/* The thread has none any more, whatever became of its context. */
void kr_egl_surfaces_let_go(void);

/* A function of this room's extensions (eglPresentationTimeANDROID ...); NULL: not ours. */
void *kr_egl_windows_function(const char *name);

#endif
