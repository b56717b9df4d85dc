/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native fences (EGL_ANDROID_native_fence_sync) and waits for them, where the vendor lacks them;
 * and user-space fences in native fences of vendors that have them. Functions that take a sync
 * answer for all syncs of the display: what isn't ours goes to the vendor. They set the thread's
 * error. Thread-safe, as EGL's are.
 *
 *   fences.c   what a display has, and who made syncs there: start, stop, flushes, fork
 *   handles.c  the handles of our syncs
 *   sync.c     a sync, and the vendor's fence sync behind it
 *   flight.c   threads that end fences when the vendor's fence syncs have ended
 *   create.c, wait.c, query.c   what EGL's functions do
 */
#ifndef KR_EGL_FENCE_FENCE_H
#define KR_EGL_FENCE_FENCE_H

#include <stdint.h>

#include "egl/vendor/thread.h"

/*
 * After the vendor's eglInitialize (again: nothing happens), and before its eglTerminate: looks
 * what the vendor has; ends all syncs of ours. EGL_FALSE: no memory; the error is set.
 */
EGLBoolean kr_egl_fences_start(struct kr_egl_display *display);
void kr_egl_fences_stop(struct kr_egl_display *display);

/* What this display has beside the vendor's extensions, with spaces between; "": nothing. */
const char *kr_egl_fences_extensions(const struct kr_egl_display *display);

/* Whether flushes of its contexts must be told: glFlush and glFinish are wrapped then. */
bool kr_egl_fences_emulated(const struct kr_egl_display *display);

/*
 * The context that is current according to `thread` was flushed (after the vendor's call; before
 * another one is entered there): its fences can be had from now on.
 */
void kr_egl_fences_flushed(struct kr_egl_thread *thread);

/* eglDestroyContext was called: the handle may be another context's soon. */
void kr_egl_fences_context_gone(struct kr_egl_display *display, EGLContext context);

/* The vendor says EGL_CONTEXT_LOST of it: fences that wait for its flush end with an error. */
void kr_egl_fences_context_lost(struct kr_egl_display *display, EGLContext context);

/* Which of its names a function was called by: syncs that aren't ours go to the vendor's same. */
enum kr_egl_sync_form {
	KR_EGL_SYNC_CORE, /* eglCreateSync, EGLAttrib */
	KR_EGL_SYNC_KHR,  /* eglCreateSyncKHR, EGLint */
	KR_EGL_SYNC_64,   /* eglCreateSync64KHR, EGLAttrib */
};

/* `attributes`: of the form's type, with EGL_NONE at the end; NULL: none. */
EGLSync kr_egl_sync_create(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLenum type,
	const void *attributes);
EGLBoolean kr_egl_sync_destroy(struct kr_egl_display *display, EGLSync sync);
EGLint kr_egl_sync_client_wait(
	struct kr_egl_display *display, EGLSync sync, EGLint flags, EGLTime timeout_ns);
EGLBoolean kr_egl_sync_wait(struct kr_egl_display *display, EGLSync sync, EGLint flags);
/* `value`: an EGLAttrib, or an EGLint in the form KHR. */
EGLBoolean kr_egl_sync_get(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLSync sync,
	EGLint attribute, void *value);
EGLBoolean kr_egl_sync_signal(struct kr_egl_display *display, EGLSync sync, EGLenum mode);

/* eglDupNativeFenceFDANDROID: the caller closes what it gets; -1 and an error: nothing. */
EGLint kr_egl_sync_dup(struct kr_egl_display *display, EGLSync sync);

/* Server waits that a processor made because the vendor could not (E-03), of this process. */
struct kr_egl_cpu_waits {
	uint64_t waits; /* how many had to wait */
	uint64_t late;  /* of these: given up after KR_EGL_SERVER_WAIT_NS (S-05) */
	uint64_t ns;    /* how long they took together */
};
void kr_egl_fences_cpu_waits(struct kr_egl_cpu_waits *waits);

#define KR_EGL_SERVER_WAIT_NS (INT64_C(5) * 1000 * 1000 * 1000)

#endif
