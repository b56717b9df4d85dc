/* SPDX-License-Identifier: Apache-2.0 */
/* eglClientWaitSync and eglWaitSync. */
#include <errno.h>

#include "egl/fence/flight.h"
#include "egl/vendor/report.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/log.h"

/* How long a wait goes without looking whether the display was terminated. */
#define SLICE_NS (50 * KR_NSEC_PER_MSEC)

static struct kr_egl_cpu_waits counts KR_GUARDED_BY(kr_egl_fences_lock);

static EGLint
refuse(EGLint error)
{
	kr_egl_error_set(error);
	return EGL_FALSE;
}

static int64_t
deadline_of(EGLTime timeout_ns)
{
	return timeout_ns == EGL_FOREVER ? KR_FOREVER : kr_deadline_in(timeout_ns);
}

/* How long until then, but no longer than a slice. */
static int64_t
slice_until(int64_t deadline)
{
	int64_t now = kr_clock_now();

	if (deadline <= now)
		return 0;
	return KR_MIN(deadline - now, SLICE_NS);
}

/* The commands before now are on their way to the GPU, as before a wait for what comes of them. */
static void
flush(const struct kr_egl_thread *thread)
{
	if (!thread->display || !thread->display->vendor->gl_flush)
		return;
	thread->display->vendor->gl_flush();
	kr_egl_fences_flushed(kr_egl_this_thread());
}

/* 0 done, -ETIME, -ESHUTDOWN the display was terminated, -EINVAL no fence (any more). */
static int
wait_given_locked(struct kr_egl_sync *sync, int64_t deadline, const char *what)
	KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_fence_watchdog watchdog = {0};
	int32_t status;
	int err;

	if (sync->fence < 0)
		return 0;
	do {
		int64_t until = kr_clock_now() + slice_until(deadline);

		kr_mutex_unlock(&kr_egl_fences_lock);
		err = kr_sync_wait_watched(sync->fence, until, &watchdog, what, &status);
		kr_mutex_lock(&kr_egl_fences_lock);
	} while (err == -ETIME && !sync->fences->stopped && kr_clock_now() < deadline);
	return err == -ETIME && sync->fences->stopped ? -ESHUTDOWN : err;
}

/* The same of one of the commands' of a context. */
static int
wait_made_locked(struct kr_egl_sync *sync, int64_t deadline) KR_REQUIRES(kr_egl_fences_lock)
{
	EGLint answer = EGL_TIMEOUT_EXPIRED;

	while (!sync->status) {
		int64_t slice = slice_until(deadline);

		answer = kr_egl_sync_ask_locked(sync, 0, (EGLTime)slice);
		if (answer == EGL_FALSE)
			break;
		if (answer == EGL_TIMEOUT_EXPIRED && !slice)
			return -ETIME;
	}
	return sync->fences->stopped ? -ESHUTDOWN : 0;
}

static EGLint
client_wait_locked(struct kr_egl_sync *sync, EGLint flags, EGLTime timeout_ns)
	KR_REQUIRES(kr_egl_fences_lock)
{
	int64_t deadline = deadline_of(timeout_ns);
	int err;

	if (kr_egl_sync_is_done_locked(sync))
		return EGL_CONDITION_SATISFIED;
	if (flags & EGL_SYNC_FLUSH_COMMANDS_BIT) {
		kr_mutex_unlock(&kr_egl_fences_lock);
		flush(kr_egl_this_thread());
		kr_mutex_lock(&kr_egl_fences_lock);
	}
	err = sync->maker ? wait_made_locked(sync, deadline)
			  : wait_given_locked(sync, deadline, "eglClientWaitSync");
	switch (err) {
	case 0:
		return EGL_CONDITION_SATISFIED;
	case -ETIME:
		return EGL_TIMEOUT_EXPIRED;
	case -ESHUTDOWN:
		return refuse(EGL_NOT_INITIALIZED);
	default:
		return refuse(EGL_BAD_PARAMETER);
	}
}

/*
 * For a vendor's sync. With the flag it flushes unless the sync has signalled, which is known
 * afterwards only if it was asked before.
 */
static EGLint
client_wait_in_vendor(
	struct kr_egl_display *display, EGLSync handle, EGLint flags, EGLTime timeout_ns)
{
	bool told = flags & EGL_SYNC_FLUSH_COMMANDS_BIT && atomic_load(&kr_egl_pending);
	PFNEGLCLIENTWAITSYNCKHRPROC wait = display->vendor->egl.ClientWaitSync;
	EGLint answer;

	kr_egl_error_of(display->vendor);
	if (!wait)
		wait = display->vendor->egl.ClientWaitSyncKHR;
	if (!wait)
		return refuse(EGL_BAD_PARAMETER);
	if (told) {
		answer = wait(display->handle, handle, 0, 0);
		if (answer != EGL_TIMEOUT_EXPIRED)
			return answer;
	}
	answer = wait(display->handle, handle, flags, timeout_ns);
	if (told)
		kr_egl_fences_flushed(kr_egl_this_thread());
	return answer;
}

EGLint
kr_egl_sync_client_wait(
	struct kr_egl_display *display, EGLSync handle, EGLint flags, EGLTime timeout_ns)
{
	EGLint answer = EGL_FALSE;
	struct kr_egl_sync *sync;

	if (!kr_egl_handle_is_ours(handle))
		return client_wait_in_vendor(display, handle, flags, timeout_ns);
	kr_mutex_lock(&kr_egl_fences_lock);
	sync = kr_egl_sync_get_locked(display, handle);
	if (sync) {
		kr_egl_error_set(EGL_SUCCESS);
		answer = client_wait_locked(sync, flags, timeout_ns);
		kr_egl_sync_unref_locked(sync);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
	return answer;
}

static void
count_locked(int64_t since, bool late) KR_REQUIRES(kr_egl_fences_lock)
{
	counts.waits++;
	counts.late += late;
	counts.ns += (uint64_t)(kr_clock_now() - since);
	kr_egl_count(KR_EGL_CPU_WAITS, 1);
	kr_egl_count(KR_EGL_CPU_WAITS_LATE, late);
	kr_egl_count(KR_EGL_CPU_WAIT_NS, kr_clock_now() - since);
	kr_egl_count_report();
}

void
kr_egl_fences_cpu_waits(struct kr_egl_cpu_waits *waits)
{
	kr_mutex_lock(&kr_egl_fences_lock);
	*waits = counts;
	kr_mutex_unlock(&kr_egl_fences_lock);
}

/*
 * The processor waits where no later command of this context has been given yet. What came before
 * is flushed first: somebody else may wait for that, and signal then.
 */
static EGLBoolean
wait_on_cpu_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	int64_t since, deadline;
	int err;

	if (kr_egl_sync_is_done_locked(sync))
		return EGL_TRUE;
	kr_mutex_unlock(&kr_egl_fences_lock);
	flush(kr_egl_this_thread());
	kr_mutex_lock(&kr_egl_fences_lock);
	since = kr_clock_now();
	deadline = since + KR_EGL_SERVER_WAIT_NS;
	err = sync->maker ? wait_made_locked(sync, deadline)
			  : wait_given_locked(sync, deadline, "eglWaitSync");
	count_locked(since, err == -ETIME);
	if (!err)
		return EGL_TRUE;
	/* A GPU would wait on; here nobody may, for a fence that somebody else made (S-05). */
	return (EGLBoolean)refuse(err == -ESHUTDOWN ? EGL_NOT_INITIALIZED : EGL_BAD_ACCESS);
}

static EGLBoolean
wait_in_vendor_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_fences *fences = sync->fences;
	EGLint answer;

	if (!sync->vendor || !kr_egl_vendor_enter_locked(fences))
		return (EGLBoolean)refuse(EGL_NOT_INITIALIZED);
	kr_mutex_unlock(&kr_egl_fences_lock);
	kr_egl_error_of(fences->display->vendor);
	answer = fences->WaitSync(fences->display->handle, sync->vendor, 0);
	kr_mutex_lock(&kr_egl_fences_lock);
	kr_egl_vendor_leave_locked(fences);
	return (EGLBoolean)answer;
}

static bool
is_own_context_locked(const struct kr_egl_maker *maker, const struct kr_egl_thread *thread)
	KR_REQUIRES(kr_egl_fences_lock)
{
	return maker->context == thread->context && !maker->gone &&
		maker->fences->display == thread->display;
}

/* Of the commands of a context: that context has them before what comes now, in any case. */
static EGLBoolean
wait_for_commands_locked(struct kr_egl_sync *sync, const struct kr_egl_thread *thread)
	KR_REQUIRES(kr_egl_fences_lock)
{
	if (sync->status || is_own_context_locked(sync->maker, thread))
		return EGL_TRUE;
	if (sync->fences->WaitSync && thread->display == sync->fences->display)
		return wait_in_vendor_locked(sync);
	return wait_on_cpu_locked(sync);
}

static EGLBoolean
server_wait_locked(struct kr_egl_sync *sync, EGLint flags) KR_REQUIRES(kr_egl_fences_lock)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	struct kr_egl_sync *own = NULL;
	EGLBoolean answer;

	if (!thread->display || thread->context == EGL_NO_CONTEXT)
		return (EGLBoolean)refuse(EGL_BAD_MATCH);
	if (flags)
		return (EGLBoolean)refuse(EGL_BAD_PARAMETER);
	kr_egl_error_set(EGL_SUCCESS);
	if (sync->maker)
		return wait_for_commands_locked(sync, thread);
	if (sync->cookie)
		own = kr_egl_flight_find_locked(sync->fences, sync->cookie);
	if (!own)
		return wait_on_cpu_locked(sync);
	answer = wait_for_commands_locked(own, thread);
	kr_egl_sync_unref_locked(own);
	return answer;
}

/* For a vendor's sync. Its commands may be this context's, so they are flushed. */
static EGLBoolean
wait_for_vendors(struct kr_egl_display *display, EGLSync handle, EGLint flags)
{
	const struct kr_egl_thread *thread = kr_egl_this_thread();
	int64_t since = kr_clock_now();
	EGLint answer;

	if (!thread->display || thread->context == EGL_NO_CONTEXT)
		return (EGLBoolean)refuse(EGL_BAD_MATCH);
	if (flags)
		return (EGLBoolean)refuse(EGL_BAD_PARAMETER);
	answer = kr_egl_sync_client_wait(
		display, handle, EGL_SYNC_FLUSH_COMMANDS_BIT, KR_EGL_SERVER_WAIT_NS);
	if (answer == EGL_FALSE)
		return EGL_FALSE;
	kr_egl_fences_flushed(kr_egl_this_thread());
	kr_mutex_lock(&kr_egl_fences_lock);
	count_locked(since, answer == EGL_TIMEOUT_EXPIRED);
	kr_mutex_unlock(&kr_egl_fences_lock);
	return answer == EGL_TIMEOUT_EXPIRED ? (EGLBoolean)refuse(EGL_BAD_ACCESS) : EGL_TRUE;
}

/* eglWaitSync of a vendor's sync: its own, or on the processor where the vendor has none. */
static EGLBoolean
pass_on(struct kr_egl_display *display, EGLSync handle, EGLint flags)
{
	struct kr_egl_vendor *vendor = display->vendor;

	kr_egl_error_of(vendor);
	if (vendor->egl.WaitSync)
		return vendor->egl.WaitSync(display->handle, handle, flags);
	if (vendor->egl.WaitSyncKHR)
		return (EGLBoolean)vendor->egl.WaitSyncKHR(display->handle, handle, flags);
	return wait_for_vendors(display, handle, flags);
}

EGLBoolean
kr_egl_sync_wait(struct kr_egl_display *display, EGLSync handle, EGLint flags)
{
	EGLBoolean answer = EGL_FALSE;
	struct kr_egl_sync *sync;

	if (!kr_egl_handle_is_ours(handle))
		return pass_on(display, handle, flags);
	kr_mutex_lock(&kr_egl_fences_lock);
	sync = kr_egl_sync_get_locked(display, handle);
	if (sync) {
		answer = server_wait_locked(sync, flags);
		kr_egl_sync_unref_locked(sync);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
	return answer;
}
