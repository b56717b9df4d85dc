/* SPDX-License-Identifier: Apache-2.0 */
/* Waits are the vendor's own, a few milliseconds each, lest one holds others' calls up in it. */
#include "egl/window/drawn.h"

#define GL_GLES_PROTOTYPES 0
#include <GLES2/gl2.h>

#include "util/clock.h"
#include "util/log.h"

#define LIMIT_NS (5 * KR_NSEC_PER_SEC)
#define SLICE_NS (5 * KR_NSEC_PER_MSEC)

static void
call_gl(struct kr_egl_vendor *vendor, const char *name)
{
	/* glFlush and glFinish have one type. */
	PFNGLFLUSHPROC function = (PFNGLFLUSHPROC)kr_egl_vendor_function(vendor, name);

	if (function)
		function();
}

EGLSync
kr_egl_drawn_mark(struct kr_egl_display *display)
{
	struct kr_egl_vendor *vendor = display->vendor;
	EGLSync sync = EGL_NO_SYNC;

	if (vendor->egl.CreateSync && vendor->egl.ClientWaitSync && vendor->egl.DestroySync)
		sync = vendor->egl.CreateSync(display->handle, EGL_SYNC_FENCE, NULL);
	call_gl(vendor, sync == EGL_NO_SYNC ? "glFinish" : "glFlush");
	return sync;
}

static EGLint
wait_until(struct kr_egl_display *display, EGLSync sync, int64_t deadline_ns)
{
	for (;;) {
		EGLint ret =
			display->vendor->egl.ClientWaitSync(display->handle, sync, 0, SLICE_NS);

		if (ret == EGL_CONDITION_SATISFIED)
			return EGL_SUCCESS;
		if (ret != EGL_TIMEOUT_EXPIRED || kr_clock_now() >= deadline_ns)
			break;
	}
	kr_error("eglSwapBuffers: what was drawn isn't done after %d s",
		(int)(LIMIT_NS / KR_NSEC_PER_SEC));
	return EGL_CONTEXT_LOST;
}

EGLint
kr_egl_drawn_wait(struct kr_egl_display *display, EGLSync take_sync)
{
	EGLint error;

	if (take_sync == EGL_NO_SYNC)
		return EGL_SUCCESS;
	error = wait_until(display, take_sync, kr_clock_now() + LIMIT_NS);
	display->vendor->egl.DestroySync(display->handle, take_sync);
	return error;
}
