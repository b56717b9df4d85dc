/* SPDX-License-Identifier: Apache-2.0 */
/* eglCreateSync. */
#include "egl/fence/sync.h"

#include <limits.h>
#include <stdlib.h>

#include "egl/vendor/older.h"
#include "sync/fault/fault.h"
#include "sync/fence/fence.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"

/* eglCreateSync of the vendor's, under the name that the caller took. */
static EGLSync
pass_on(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLenum type,
	const void *attributes)
{
	struct kr_egl_vendor *vendor = display->vendor;

	kr_egl_error_of(vendor);
	switch (form) {
	case KR_EGL_SYNC_CORE:
		return kr_egl_vendors_sync_create(display, type, attributes);
	case KR_EGL_SYNC_KHR:
		if (vendor->egl.CreateSyncKHR)
			return vendor->egl.CreateSyncKHR(display->handle, type, attributes);
		break;
	case KR_EGL_SYNC_64:
		if (vendor->egl.CreateSync64KHR)
			return vendor->egl.CreateSync64KHR(display->handle, type, attributes);
		break;
	}
	kr_egl_error_set(EGL_BAD_ATTRIBUTE);
	return EGL_NO_SYNC;
}

/* EGL_SYNC_NATIVE_FENCE_FD_ANDROID of a list, -1 if it isn't there. False: there is another. */
static bool
read_attributes(enum kr_egl_sync_form form, const void *attributes, EGLAttrib *fd)
{
	const EGLint *narrow = attributes;
	const EGLAttrib *wide = attributes;

	*fd = EGL_NO_NATIVE_FENCE_FD_ANDROID;
	for (size_t i = 0; attributes; i += 2) {
		EGLAttrib name = form == KR_EGL_SYNC_KHR ? narrow[i] : wide[i];

		if (name == EGL_NONE)
			break;
		if (name != EGL_SYNC_NATIVE_FENCE_FD_ANDROID)
			return false;
		*fd = form == KR_EGL_SYNC_KHR ? narrow[i + 1] : wide[i + 1];
	}
	return true;
}

static EGLSync
fail(EGLint error)
{
	kr_egl_error_set(error);
	return EGL_NO_SYNC;
}

/* Gives it a handle; its one reference is the handle's. */
static EGLSync
publish_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	sync->handle = sync->fences->stopped ? EGL_NO_SYNC : kr_egl_handle_add_locked(sync);
	return sync->handle;
}

static bool
is_fence(int fd)
{
	int32_t status;

	return !kr_sync_status(fd, &status);
}

/*
 * The descriptor is ours from when nothing can fail any more. A fault is told in the log, so it
 * happens without the lock.
 */
static EGLSync
create_given_locked(struct kr_egl_fences *fences, int fd) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_sync *sync = kr_egl_sync_new_locked(fences, NULL);
	EGLSync handle;

	if (!sync)
		return fail(EGL_BAD_ALLOC);
	handle = publish_locked(sync);
	if (!handle) {
		kr_egl_sync_unref_locked(sync);
		return fail(EGL_BAD_ALLOC);
	}
	sync->refs++;
	kr_mutex_unlock(&kr_egl_fences_lock);
	fd = kr_fault_fence(KRAFLA_FAULT_AT_EGL_IMPORT, fd);
	kr_mutex_lock(&kr_egl_fences_lock);
	sync->fence = fd;
	sync->cookie = kr_sync_user_cookie(fd);
	kr_egl_sync_unref_locked(sync);
	kr_egl_error_set(EGL_SUCCESS);
	return handle;
}

/* Who makes syncs in that context; NULL: no memory. */
static struct kr_egl_maker *
find_maker_locked(struct kr_egl_fences *fences, EGLContext context) KR_REQUIRES(kr_egl_fences_lock)
{
	static unsigned contexts KR_GUARDED_BY(kr_egl_fences_lock);
	struct kr_egl_maker *maker;

	kr_list_for_each (maker, &fences->makers, link) {
		if (maker->context == context && !maker->gone)
			return maker;
	}
	maker = calloc(1, sizeof(*maker));
	if (!maker)
		return NULL;
	maker->fences = fences;
	maker->context = context;
	maker->number = ++contexts;
	maker->refs = 1;
	kr_list_init(&maker->pending);
	kr_list_init(&maker->flights);
	kr_list_init(&maker->turn);
	kr_list_append(&fences->makers, &maker->link);
	return maker;
}

/*
 * The fence command goes into the stream of the context now, as one of the vendor's. The error: of
 * ours; EGL_SUCCESS: the vendor's own, if there is no handle.
 */
static EGLSync
create_made_locked(struct kr_egl_fences *fences, EGLContext context, EGLint *error)
	KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_maker *maker = find_maker_locked(fences, context);
	struct kr_egl_sync *sync = maker ? kr_egl_sync_new_locked(fences, maker) : NULL;
	EGLSync handle = EGL_NO_SYNC;

	*error = EGL_BAD_ALLOC;
	if (!sync)
		return EGL_NO_SYNC;
	atomic_fetch_add(&kr_egl_pending, 1);
	kr_list_append(&maker->pending, &sync->queue);
	if (kr_egl_vendor_enter_locked(fences)) {
		kr_mutex_unlock(&kr_egl_fences_lock);
		sync->vendor =
			fences->CreateSync(fences->display->handle, EGL_SYNC_FENCE_KHR, NULL);
		kr_mutex_lock(&kr_egl_fences_lock);
		*error = sync->vendor ? EGL_BAD_ALLOC : EGL_SUCCESS;
		if (sync->vendor)
			handle = publish_locked(sync);
		if (fences->stopped)
			*error = EGL_NOT_INITIALIZED;
		kr_egl_vendor_leave_locked(fences);
	}
	if (!handle)
		kr_egl_sync_unref_locked(sync);
	return handle;
}

static EGLSync
create_of_commands(struct kr_egl_display *display, EGLContext context)
{
	EGLSync handle = EGL_NO_SYNC;
	EGLint error = EGL_NOT_INITIALIZED;

	kr_mutex_lock(&kr_egl_fences_lock);
	if (display->fences)
		handle = create_made_locked(display->fences, context, &error);
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (handle || error != EGL_SUCCESS)
		kr_egl_error_set(handle ? EGL_SUCCESS : error);
	else
		kr_egl_error_of(display->vendor);
	return handle;
}

/* Whether this display is initialised and has fences of ours, and of which sort. */
static bool
has_fences(struct kr_egl_display *display, bool *emulated)
{
	bool has;

	kr_mutex_lock(&kr_egl_fences_lock);
	has = display->fences != NULL;
	*emulated = has && display->fences->emulated;
	kr_mutex_unlock(&kr_egl_fences_lock);
	return has;
}

static EGLSync
create_of_fence(struct kr_egl_display *display, int fd)
{
	EGLSync handle;

	kr_mutex_lock(&kr_egl_fences_lock);
	if (display->fences)
		handle = create_given_locked(display->fences, fd);
	else
		handle = fail(EGL_NOT_INITIALIZED);
	kr_mutex_unlock(&kr_egl_fences_lock);
	return handle;
}

EGLSync
kr_egl_sync_create(struct kr_egl_display *display, enum kr_egl_sync_form form, EGLenum type,
	const void *attributes)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	bool emulated, right;
	int32_t status;
	EGLAttrib fd;

	if (type != EGL_SYNC_NATIVE_FENCE_ANDROID || !has_fences(display, &emulated))
		return pass_on(display, form, type, attributes);
	right = read_attributes(form, attributes, &fd);
	/* Of a vendor that has native fences, user-space fences alone are ours. */
	if (!emulated &&
		(!right || fd < 0 || fd > INT_MAX || kr_sync_user_status((int)fd, &status)))
		return pass_on(display, form, type, attributes);
	if (!right)
		return fail(EGL_BAD_ATTRIBUTE);
	if (thread->display != display || thread->context == EGL_NO_CONTEXT)
		return fail(EGL_BAD_MATCH);
	if (fd == EGL_NO_NATIVE_FENCE_FD_ANDROID)
		return create_of_commands(display, thread->context);
	if (fd < 0 || fd > INT_MAX || !is_fence((int)fd))
		return fail(EGL_BAD_ATTRIBUTE);
	return create_of_fence(display, (int)fd);
}
