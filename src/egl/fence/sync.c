/* SPDX-License-Identifier: Apache-2.0 */
/* Syncs, their makers and displays: references, states, and the way into the vendor. */
#include "egl/fence/sync.h"

#include <errno.h>
#include <stdlib.h>

#include "sync/fence/status.h"
#include "util/fd.h"

atomic_uint kr_egl_pending;
struct kr_list kr_egl_all_fences = KR_LIST_INITIALIZER(kr_egl_all_fences);

bool
kr_egl_vendor_enter_locked(struct kr_egl_fences *fences)
{
	if (fences->stopped)
		return false;
	fences->users++;
	return true;
}

void
kr_egl_vendor_leave_locked(struct kr_egl_fences *fences)
{
	/* A fork may have come between: then it is the child's count, of nobody. */
	if (fences->users && !--fences->users)
		kr_cond_broadcast(&fences->quiet);
}

void
kr_egl_fences_unref_locked(struct kr_egl_fences *fences)
{
	if (--fences->refs)
		return;
	kr_list_remove(&fences->link);
	kr_cond_finish(&fences->quiet);
	free(fences);
}

void
kr_egl_maker_unref_locked(struct kr_egl_maker *maker)
{
	if (--maker->refs)
		return;
	kr_list_remove(&maker->link);
	free(maker);
}

struct kr_egl_sync *
kr_egl_sync_new_locked(struct kr_egl_fences *fences, struct kr_egl_maker *maker)
{
	struct kr_egl_sync *sync = calloc(1, sizeof(*sync));

	if (!sync)
		return NULL;
	sync->fences = fences;
	fences->refs++;
	sync->maker = maker;
	if (maker)
		maker->refs++;
	sync->refs = 1;
	sync->fence = sync->producer = -1;
	kr_list_append(&fences->syncs, &sync->link);
	kr_list_init(&sync->queue);
	return sync;
}

struct kr_egl_sync *
kr_egl_sync_get_locked(struct kr_egl_display *display, EGLSync handle)
{
	struct kr_egl_sync *sync = kr_egl_handle_find_locked(handle);

	if (!display->fences) {
		kr_egl_error_set(EGL_NOT_INITIALIZED);
		return NULL;
	}
	if (!sync || sync->fences != display->fences) {
		kr_egl_error_set(EGL_BAD_PARAMETER);
		return NULL;
	}
	sync->refs++;
	return sync;
}

static void
destroy_vendors_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_fences *fences = sync->fences;

	if (!sync->vendor || fences->closed)
		return;
	fences->users++; /* also while eglTerminate waits for those who are in the vendor */
	kr_mutex_unlock(&kr_egl_fences_lock);
	fences->DestroySync(fences->display->handle, sync->vendor);
	kr_mutex_lock(&kr_egl_fences_lock);
	kr_egl_vendor_leave_locked(fences);
}

void
kr_egl_sync_unref_locked(struct kr_egl_sync *sync)
{
	if (--sync->refs)
		return;
	if (sync->maker && !sync->flushed)
		atomic_fetch_sub(&kr_egl_pending, 1);
	kr_list_remove(&sync->queue);
	kr_list_remove(&sync->link);
	destroy_vendors_locked(sync);
	kr_fd_close(&sync->fence);
	if (sync->maker)
		kr_egl_maker_unref_locked(sync->maker);
	kr_egl_fences_unref_locked(sync->fences);
	free(sync);
}

void
kr_egl_sync_drop_handle_locked(struct kr_egl_sync *sync)
{
	kr_egl_handle_remove_locked(sync->handle);
	sync->handle = EGL_NO_SYNC;
	kr_egl_sync_unref_locked(sync);
}

void
kr_egl_sync_flushed_locked(struct kr_egl_sync *sync)
{
	if (sync->flushed)
		return;
	sync->flushed = true;
	kr_list_remove(&sync->queue);
	atomic_fetch_sub(&kr_egl_pending, 1);
}

/* A context's commands end in their order: with this one, those before it were flushed. */
static void
flush_earlier_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_list *pending = &sync->maker->pending;

	while (pending->next != &sync->queue)
		kr_egl_sync_flushed_locked(
			kr_container_of(pending->next, struct kr_egl_sync, queue));
}

void
kr_egl_sync_ended_locked(struct kr_egl_sync *sync, int32_t status)
{
	if (!sync->flushed && status > 0)
		flush_earlier_locked(sync);
	if (!sync->status)
		sync->status = status;
	kr_egl_sync_flushed_locked(sync);
}

EGLint
kr_egl_sync_ask_locked(struct kr_egl_sync *sync, EGLint flags, EGLTime timeout_ns)
{
	struct kr_egl_fences *fences = sync->fences;
	EGLint answer;

	if (!sync->vendor || !kr_egl_vendor_enter_locked(fences))
		return EGL_FALSE;
	kr_mutex_unlock(&kr_egl_fences_lock);
	answer = fences->ClientWaitSync(fences->display->handle, sync->vendor, flags, timeout_ns);
	kr_mutex_lock(&kr_egl_fences_lock);
	kr_egl_vendor_leave_locked(fences);
	if (answer == EGL_CONDITION_SATISFIED)
		kr_egl_sync_ended_locked(sync, 1);
	else if (answer != EGL_TIMEOUT_EXPIRED)
		kr_egl_sync_ended_locked(sync, fences->stopped ? -ENOENT : -EIO);
	return answer;
}

bool
kr_egl_sync_is_done_locked(struct kr_egl_sync *sync)
{
	int32_t status;

	if (!sync->maker)
		return sync->fence < 0 || (!kr_sync_status(sync->fence, &status) && status);
	if (!sync->status)
		kr_egl_sync_ask_locked(sync, 0, 0);
	return sync->status != 0;
}
