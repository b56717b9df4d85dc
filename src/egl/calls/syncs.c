/* SPDX-License-Identifier: Apache-2.0 */
/* Syncs: functions of EGL 1.5, and the extensions' that they came from. */
#include "egl/calls/internal.h"

#include "egl/fence/fence.h"
#include "util/macros.h"

/*
 * Where the program has the vendor's own glFlush, since no display had native fences of ours when
 * it was asked for, nobody would hear of the flush that a fence waits for: it comes at once.
 */
static EGLSync
created(struct kr_egl_display *display, EGLenum type, EGLSync sync)
{
	if (sync == EGL_NO_SYNC || type != EGL_SYNC_NATIVE_FENCE_ANDROID ||
		!display->vendor->flushes_unseen || !kr_egl_fences_emulated(display))
		return sync;
	display->vendor->gl_flush();
	kr_egl_ended(EGL_TRUE, true);
	return sync;
}

static EGLSync EGLAPIENTRY
create(EGLDisplay dpy, EGLenum type, const EGLAttrib *attributes)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	if (!display)
		return EGL_NO_SYNC;
	return created(
		display, type, kr_egl_sync_create(display, KR_EGL_SYNC_CORE, type, attributes));
}

static EGLBoolean EGLAPIENTRY
destroy(EGLDisplay dpy, EGLSync sync)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	return display ? kr_egl_sync_destroy(display, sync) : EGL_FALSE;
}

static EGLint EGLAPIENTRY
client_wait(EGLDisplay dpy, EGLSync sync, EGLint flags, EGLTime timeout_ns)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	return display ? kr_egl_sync_client_wait(display, sync, flags, timeout_ns) : EGL_FALSE;
}

static EGLBoolean EGLAPIENTRY
wait_sync(EGLDisplay dpy, EGLSync sync, EGLint flags)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	return display ? kr_egl_sync_wait(display, sync, flags) : EGL_FALSE;
}

static EGLBoolean EGLAPIENTRY
get(EGLDisplay dpy, EGLSync sync, EGLint attribute, EGLAttrib *value)
{
	struct kr_egl_display *display = kr_egl_enter(dpy);

	return display ? kr_egl_sync_get(display, KR_EGL_SYNC_CORE, sync, attribute, value)
		       : EGL_FALSE;
}

/* A dispatch function's beginning: the display, or what another vendor of glvnd's has instead. */
#define DISPATCH(none, pointer, name, arguments)                                                   \
	struct kr_egl_display *display = kr_egl_display_find(dpy);                                 \
                                                                                                   \
	kr_egl_dispatch_begin();                                                                   \
	if (!display) {                                                                            \
		pointer other = (pointer)kr_egl_elsewhere(dpy, name);                              \
                                                                                                   \
		return other ? other arguments : none;                                             \
	}                                                                                          \
	kr_egl_error_of(display->vendor)

static EGLSyncKHR EGLAPIENTRY
create_khr(EGLDisplay dpy, EGLenum type, const EGLint *list)
{
	DISPATCH(EGL_NO_SYNC_KHR, PFNEGLCREATESYNCKHRPROC, "eglCreateSyncKHR", (dpy, type, list));
	return created(display, type, kr_egl_sync_create(display, KR_EGL_SYNC_KHR, type, list));
}

static EGLSyncKHR EGLAPIENTRY
create_64(EGLDisplay dpy, EGLenum type, const EGLAttribKHR *attributes)
{
	DISPATCH(EGL_NO_SYNC_KHR, PFNEGLCREATESYNC64KHRPROC, "eglCreateSync64KHR",
		(dpy, type, attributes));
	return created(
		display, type, kr_egl_sync_create(display, KR_EGL_SYNC_64, type, attributes));
}

static EGLBoolean EGLAPIENTRY
destroy_khr(EGLDisplay dpy, EGLSyncKHR sync)
{
	DISPATCH(EGL_FALSE, PFNEGLDESTROYSYNCKHRPROC, "eglDestroySyncKHR", (dpy, sync));
	return kr_egl_sync_destroy(display, sync);
}

static EGLint EGLAPIENTRY
client_wait_khr(EGLDisplay dpy, EGLSyncKHR sync, EGLint flags, EGLTimeKHR timeout_ns)
{
	DISPATCH(EGL_FALSE, PFNEGLCLIENTWAITSYNCKHRPROC, "eglClientWaitSyncKHR",
		(dpy, sync, flags, timeout_ns));
	return kr_egl_sync_client_wait(display, sync, flags, timeout_ns);
}

static EGLint EGLAPIENTRY
wait_khr(EGLDisplay dpy, EGLSyncKHR sync, EGLint flags)
{
	DISPATCH(EGL_FALSE, PFNEGLWAITSYNCKHRPROC, "eglWaitSyncKHR", (dpy, sync, flags));
	return (EGLint)kr_egl_sync_wait(display, sync, flags);
}

/* EGL_ANDROID_wait_sync: the older text of the same. */
static EGLint EGLAPIENTRY
wait_android(EGLDisplay dpy, EGLSyncKHR sync, EGLint flags)
{
	DISPATCH(EGL_FALSE, PFNEGLWAITSYNCKHRPROC, "eglWaitSyncANDROID", (dpy, sync, flags));
	return (EGLint)kr_egl_sync_wait(display, sync, flags);
}

static EGLBoolean EGLAPIENTRY
get_khr(EGLDisplay dpy, EGLSyncKHR sync, EGLint attribute, EGLint *value)
{
	DISPATCH(EGL_FALSE, PFNEGLGETSYNCATTRIBKHRPROC, "eglGetSyncAttribKHR",
		(dpy, sync, attribute, value));
	return kr_egl_sync_get(display, KR_EGL_SYNC_KHR, sync, attribute, value);
}

static EGLBoolean EGLAPIENTRY
signal_khr(EGLDisplay dpy, EGLSyncKHR sync, EGLenum mode)
{
	DISPATCH(EGL_FALSE, PFNEGLSIGNALSYNCKHRPROC, "eglSignalSyncKHR", (dpy, sync, mode));
	return kr_egl_sync_signal(display, sync, mode);
}

static EGLint EGLAPIENTRY
dup_fence(EGLDisplay dpy, EGLSyncKHR sync)
{
	DISPATCH(EGL_NO_NATIVE_FENCE_FD_ANDROID, PFNEGLDUPNATIVEFENCEFDANDROIDPROC,
		"eglDupNativeFenceFDANDROID", (dpy, sync));
	return kr_egl_sync_dup(display, sync);
}

const struct kr_egl_call kr_egl_sync_calls[] = {
	KR_EGL_CALL("eglClientWaitSync", client_wait),
	KR_EGL_CALL("eglClientWaitSyncKHR", client_wait_khr),
	KR_EGL_CALL("eglCreateSync", create),
	KR_EGL_CALL("eglCreateSync64KHR", create_64),
	KR_EGL_CALL("eglCreateSyncKHR", create_khr),
	KR_EGL_CALL("eglDestroySync", destroy),
	KR_EGL_CALL("eglDestroySyncKHR", destroy_khr),
	KR_EGL_CALL("eglDupNativeFenceFDANDROID", dup_fence),
	KR_EGL_CALL("eglGetSyncAttrib", get),
	KR_EGL_CALL("eglGetSyncAttribKHR", get_khr),
	KR_EGL_CALL("eglSignalSyncKHR", signal_khr),
	KR_EGL_CALL("eglWaitSync", wait_sync),
	KR_EGL_CALL("eglWaitSyncANDROID", wait_android),
	KR_EGL_CALL("eglWaitSyncKHR", wait_khr),
};
const size_t kr_egl_sync_call_count = KR_ARRAY_LEN(kr_egl_sync_calls);
