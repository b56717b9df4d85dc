/* SPDX-License-Identifier: Apache-2.0 */
/* eglGetSyncAttrib, eglDestroySync, eglSignalSyncKHR, eglDupNativeFenceFDANDROID. */
#include "egl/fence/flight.h"
#include "egl/vendor/older.h"
#include "sync/fault/fault.h"
#include "util/fd.h"

static EGLBoolean
refuse(EGLint error)
{
	kr_egl_error_set(error);
	return EGL_FALSE;
}

EGLBoolean
kr_egl_sync_destroy(struct kr_egl_display *display, EGLSync handle)
{
	struct kr_egl_sync *sync;
	PFNEGLDESTROYSYNCKHRPROC destroy;

	if (!kr_egl_handle_is_ours(handle)) {
		kr_egl_error_of(display->vendor);
		destroy = display->vendor->egl.DestroySyncKHR;
		if (!destroy)
			destroy = display->vendor->egl.DestroySync;
		return destroy ? destroy(display->handle, handle) : refuse(EGL_BAD_PARAMETER);
	}
	kr_mutex_lock(&kr_egl_fences_lock);
	sync = kr_egl_sync_get_locked(display, handle);
	if (sync) {
		/* Who waits goes on waiting; what flies goes on flying. */
		kr_egl_sync_drop_handle_locked(sync);
		kr_egl_sync_unref_locked(sync);
		kr_egl_error_set(EGL_SUCCESS);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
	return sync ? EGL_TRUE : EGL_FALSE;
}

static EGLBoolean
get_locked(struct kr_egl_sync *sync, EGLint attribute, EGLAttrib *value)
	KR_REQUIRES(kr_egl_fences_lock)
{
	switch (attribute) {
	case EGL_SYNC_TYPE:
		*value = EGL_SYNC_NATIVE_FENCE_ANDROID;
		return EGL_TRUE;
	case EGL_SYNC_CONDITION:
		*value = sync->maker ? EGL_SYNC_PRIOR_COMMANDS_COMPLETE
				     : EGL_SYNC_NATIVE_FENCE_SIGNALED_ANDROID;
		return EGL_TRUE;
	case EGL_SYNC_STATUS:
		*value = kr_egl_sync_is_done_locked(sync) ? EGL_SIGNALED : EGL_UNSIGNALED;
		return EGL_TRUE;
	default:
		return EGL_FALSE;
	}
}

static EGLBoolean
get_vendors(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLSync handle,
	EGLint attribute, void *value)
{
	const struct kr_egl_functions *egl = &display->vendor->egl;

	kr_egl_error_of(display->vendor);
	if (form == KR_EGL_SYNC_KHR)
		return egl->GetSyncAttribKHR
			? egl->GetSyncAttribKHR(display->handle, handle, attribute, value)
			: refuse(EGL_BAD_PARAMETER);
	return kr_egl_vendors_sync_get(display, handle, attribute, value);
}

EGLBoolean
kr_egl_sync_get(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLSync handle,
	EGLint attribute, void *value)
{
	EGLBoolean known = EGL_FALSE;
	struct kr_egl_sync *sync;
	EGLAttrib answer = 0;

	if (!kr_egl_handle_is_ours(handle))
		return get_vendors(display, form, handle, attribute, value);
	kr_mutex_lock(&kr_egl_fences_lock);
	sync = kr_egl_sync_get_locked(display, handle);
	if (sync) {
		known = get_locked(sync, attribute, &answer);
		kr_egl_sync_unref_locked(sync);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (!sync)
		return EGL_FALSE;
	if (!value)
		return refuse(EGL_BAD_PARAMETER);
	if (!known)
		return refuse(EGL_BAD_ATTRIBUTE);
	if (form == KR_EGL_SYNC_KHR)
		*(EGLint *)value = (EGLint)answer;
	else
		*(EGLAttrib *)value = answer;
	kr_egl_error_set(EGL_SUCCESS);
	return EGL_TRUE;
}

/* Signalling is for reusable syncs alone (EGL_KHR_reusable_sync); ours are another type. */
EGLBoolean
kr_egl_sync_signal(struct kr_egl_display *display, EGLSync handle, EGLenum mode)
{
	struct kr_egl_sync *sync;
	PFNEGLSIGNALSYNCKHRPROC signal;

	if (!kr_egl_handle_is_ours(handle)) {
		kr_egl_error_of(display->vendor);
		signal = display->vendor->egl.SignalSyncKHR;
		return signal ? signal(display->handle, handle, mode) : refuse(EGL_BAD_PARAMETER);
	}
	kr_mutex_lock(&kr_egl_fences_lock);
	sync = kr_egl_sync_get_locked(display, handle);
	if (sync) {
		kr_egl_sync_unref_locked(sync);
		kr_egl_error_set(EGL_BAD_MATCH);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
	return EGL_FALSE;
}

/* A made sync's fence is made on the day that it is wanted. */
static EGLint
make_fence_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	if (!sync->flushed)
		return EGL_BAD_PARAMETER;
	if (sync->fence >= 0)
		return EGL_SUCCESS;
	/* What has ended by now needs nobody who waits for it. */
	if (!sync->status)
		kr_egl_sync_ask_locked(sync, 0, 0);
	/* Another thread may have been here meanwhile. */
	if (sync->fence >= 0)
		return EGL_SUCCESS;
	return kr_egl_flight_start_locked(sync) ? EGL_BAD_ALLOC : EGL_SUCCESS;
}

static EGLint
dup_locked(struct kr_egl_sync *sync, int *fd) KR_REQUIRES(kr_egl_fences_lock)
{
	EGLint error = sync->maker ? make_fence_locked(sync) : EGL_SUCCESS;

	if (error != EGL_SUCCESS)
		return error;
	return kr_fd_dup(sync->fence, fd) ? EGL_BAD_ALLOC : EGL_SUCCESS;
}

static EGLint
dup_vendors(struct kr_egl_display *display, EGLSync handle)
{
	PFNEGLDUPNATIVEFENCEFDANDROIDPROC dup = display->vendor->egl.DupNativeFenceFDANDROID;

	kr_egl_error_of(display->vendor);
	if (dup)
		return dup(display->handle, handle);
	kr_egl_error_set(EGL_BAD_PARAMETER);
	return EGL_NO_NATIVE_FENCE_FD_ANDROID;
}

EGLint
kr_egl_sync_dup(struct kr_egl_display *display, EGLSync handle)
{
	EGLint error = EGL_SUCCESS;
	struct kr_egl_sync *sync;
	int fd = EGL_NO_NATIVE_FENCE_FD_ANDROID;

	if (!kr_egl_handle_is_ours(handle)) {
		fd = dup_vendors(display, handle);
		return fd < 0 ? fd : kr_fault_fence(KRAFLA_FAULT_AT_EGL_EXPORT, fd);
	}
	kr_mutex_lock(&kr_egl_fences_lock);
	sync = kr_egl_sync_get_locked(display, handle);
	if (sync) {
		error = dup_locked(sync, &fd);
		kr_egl_sync_unref_locked(sync);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (!sync)
		return EGL_NO_NATIVE_FENCE_FD_ANDROID;
	kr_egl_flights_wake();
	kr_egl_error_set(error);
	return fd < 0 ? fd : kr_fault_fence(KRAFLA_FAULT_AT_EGL_EXPORT, fd);
}
