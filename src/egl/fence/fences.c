/* SPDX-License-Identifier: Apache-2.0 */
/* What displays have beside the vendor's, from eglInitialize to eglTerminate. */
#include "egl/fence/sync.h"

#include <errno.h>
#include <stdlib.h>

#include "egl/fence/flight.h"
#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "util/clock.h"
#include "util/log.h"

/* How long eglTerminate waits for threads that are in the vendor with a sync. */
#define QUIET_NS (5 * KR_NSEC_PER_SEC)

static PFNEGLWAITSYNCKHRPROC
find_server_wait(const struct kr_egl_display *display)
{
	if (kr_egl_vendor_has(display, "EGL_KHR_wait_sync"))
		return display->vendor->egl.WaitSyncKHR;
	return NULL;
}

/* What a vendor may lack of it; lists that were once given stay valid. */
static const char *
choose_extensions(const struct kr_egl_display *display)
{
	static const char *const lists[] = {
		"EGL_ANDROID_wait_sync",
		"EGL_ANDROID_wait_sync EGL_ANDROID_native_fence_sync",
		"EGL_ANDROID_wait_sync EGL_KHR_wait_sync",
		"EGL_ANDROID_wait_sync EGL_KHR_wait_sync EGL_ANDROID_native_fence_sync",
	};

	return lists[!kr_egl_vendor_has(display, "EGL_ANDROID_native_fence_sync") +
		2 * !kr_egl_vendor_has(display, "EGL_KHR_wait_sync")];
}

static bool
look(struct kr_egl_fences *fences)
{
	const struct kr_egl_display *display = fences->display;

	fences->CreateSync = display->vendor->egl.CreateSyncKHR;
	fences->DestroySync = display->vendor->egl.DestroySyncKHR;
	fences->ClientWaitSync = display->vendor->egl.ClientWaitSyncKHR;
	if (!fences->CreateSync || !fences->DestroySync || !fences->ClientWaitSync)
		return false;
	fences->WaitSync = find_server_wait(display);
	fences->emulated = !kr_egl_vendor_has(display, "EGL_ANDROID_native_fence_sync");
	fences->extensions = choose_extensions(display);
	return true;
}

/* NULL, and *has false: the vendor has no fence syncs that these could be made of. */
static struct kr_egl_fences *
create(struct kr_egl_display *display, bool *has)
{
	struct kr_egl_fences *fences;

	*has = kr_egl_vendor_has(display, "EGL_KHR_fence_sync");
	fences = *has ? calloc(1, sizeof(*fences)) : NULL;
	if (!fences)
		return NULL;
	fences->display = display;
	fences->refs = 1;
	*has = look(fences);
	if (!*has) {
		free(fences);
		return NULL;
	}
	kr_cond_init(&fences->quiet);
	kr_list_init(&fences->makers);
	kr_list_init(&fences->syncs);
	return fences;
}

EGLBoolean
kr_egl_fences_start(struct kr_egl_display *display)
{
	static unsigned displays KR_GUARDED_BY(kr_egl_fences_lock);
	struct kr_egl_fences *fences;
	bool has;

	kr_mutex_lock(&kr_egl_fences_lock);
	has = display->fences != NULL;
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (has)
		return EGL_TRUE;
	has = true;
	/* Before there is a sync: a child must know that its parent's are its parent's. */
	fences = kr_sync_fork_init() ? NULL : create(display, &has);
	if (!fences && has)
		kr_egl_error_set(EGL_BAD_ALLOC);
	if (!fences)
		return has ? EGL_FALSE : EGL_TRUE;
	kr_mutex_lock(&kr_egl_fences_lock);
	fences->number = ++displays;
	kr_list_append(&kr_egl_all_fences, &fences->link);
	if (display->fences)
		kr_egl_fences_unref_locked(fences);
	else
		display->fences = fences;
	kr_mutex_unlock(&kr_egl_fences_lock);
	return EGL_TRUE;
}

/* Whether its commands have, of which no thread may have heard yet. The lock is given up. */
static bool
has_ended_locked(struct kr_egl_fences *fences, EGLSync vendor) KR_REQUIRES(kr_egl_fences_lock)
{
	EGLint answer;

	kr_mutex_unlock(&kr_egl_fences_lock);
	answer = fences->ClientWaitSync(fences->display->handle, vendor, 0, 0);
	kr_mutex_lock(&kr_egl_fences_lock);
	return answer == EGL_CONDITION_SATISFIED;
}

/* Ends a sync of a display that is stopped; the vendor's goes, too: nobody is in the vendor. */
static void
end_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_fences *fences = sync->fences;
	EGLSync vendor = sync->vendor;
	int producer = -1;

	sync->refs++;
	kr_list_remove(&sync->link);
	sync->vendor = EGL_NO_SYNC;
	if (sync->maker) {
		if (vendor && !sync->status && has_ended_locked(fences, vendor))
			kr_egl_sync_ended_locked(sync, 1);
		kr_egl_sync_ended_locked(sync, -ENOENT);
		producer = kr_egl_flight_end_locked(sync);
	}
	if (sync->handle)
		kr_egl_sync_drop_handle_locked(sync);
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (vendor)
		fences->DestroySync(fences->display->handle, vendor);
	if (producer >= 0)
		kr_fence_signal(producer, sync->status);
	kr_mutex_lock(&kr_egl_fences_lock);
	if (producer >= 0)
		kr_egl_sync_unref_locked(sync);
	kr_egl_sync_unref_locked(sync);
}

/* Those that syncs still have live on without the display, until these go. */
static void
let_makers_go_locked(struct kr_egl_fences *fences) KR_REQUIRES(kr_egl_fences_lock)
{
	while (!kr_list_empty(&fences->makers)) {
		struct kr_egl_maker *maker =
			kr_container_of(fences->makers.next, struct kr_egl_maker, link);

		kr_list_remove(&maker->link);
		if (maker->gone)
			continue;
		maker->gone = true;
		kr_egl_maker_unref_locked(maker);
	}
}

static void
wait_for_quiet_locked(struct kr_egl_fences *fences, int64_t deadline)
	KR_REQUIRES(kr_egl_fences_lock)
{
	while (fences->users && kr_clock_now() < deadline)
		kr_cond_wait_until(&fences->quiet, &kr_egl_fences_lock, deadline);
}

void
kr_egl_fences_stop(struct kr_egl_display *display)
{
	int64_t deadline = kr_deadline_in(QUIET_NS);
	struct kr_egl_fences *fences;
	bool quiet;

	kr_mutex_lock(&kr_egl_fences_lock);
	fences = display->fences;
	if (!fences) {
		kr_mutex_unlock(&kr_egl_fences_lock);
		return;
	}
	display->fences = NULL;
	fences->stopped = true;
	wait_for_quiet_locked(fences, deadline);
	while (!kr_list_empty(&fences->syncs))
		end_locked(kr_container_of(fences->syncs.next, struct kr_egl_sync, link));
	/* Threads that were about to let go of syncs have destroyed the vendor's by now. */
	wait_for_quiet_locked(fences, deadline);
	fences->closed = true;
	quiet = !fences->users;
	let_makers_go_locked(fences);
	kr_egl_fences_unref_locked(fences);
	kr_mutex_unlock(&kr_egl_fences_lock);
	if (!quiet)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"eglTerminate: the driver doesn't end a wait for a fence");
}

const char *
kr_egl_fences_extensions(const struct kr_egl_display *display)
{
	const char *extensions = "";

	kr_mutex_lock(&kr_egl_fences_lock);
	if (display->fences)
		extensions = display->fences->extensions;
	kr_mutex_unlock(&kr_egl_fences_lock);
	return extensions;
}

bool
kr_egl_fences_emulated(const struct kr_egl_display *display)
{
	bool emulated;

	kr_mutex_lock(&kr_egl_fences_lock);
	emulated = display->fences && display->fences->emulated;
	kr_mutex_unlock(&kr_egl_fences_lock);
	return emulated;
}

static void
flush_locked(struct kr_egl_maker *maker) KR_REQUIRES(kr_egl_fences_lock)
{
	while (!kr_list_empty(&maker->pending))
		kr_egl_sync_flushed_locked(
			kr_container_of(maker->pending.next, struct kr_egl_sync, queue));
}

void
kr_egl_fences_flushed(struct kr_egl_thread *thread)
{
	struct kr_egl_maker *maker;

	if (!atomic_load_explicit(&kr_egl_pending, memory_order_relaxed) || !thread->display)
		return;
	kr_mutex_lock(&kr_egl_fences_lock);
	if (thread->display->fences) {
		kr_list_for_each (maker, &thread->display->fences->makers, link) {
			if (maker->context == thread->context)
				flush_locked(maker);
		}
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
}

static struct kr_egl_maker *
find_locked(struct kr_egl_display *display, EGLContext context) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_maker *maker;

	if (!display->fences)
		return NULL;
	kr_list_for_each (maker, &display->fences->makers, link) {
		if (maker->context == context && !maker->gone)
			return maker;
	}
	return NULL;
}

/*
 * A context that is current somewhere lives on, and so do fences that wait for its flush: they are
 * flushed when it is current no more.
 */
void
kr_egl_fences_context_gone(struct kr_egl_display *display, EGLContext context)
{
	struct kr_egl_maker *maker;

	kr_mutex_lock(&kr_egl_fences_lock);
	maker = find_locked(display, context);
	if (maker) {
		maker->gone = true;
		kr_egl_maker_unref_locked(maker);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
}

void
kr_egl_fences_context_lost(struct kr_egl_display *display, EGLContext context)
{
	struct kr_egl_maker *maker;

	kr_mutex_lock(&kr_egl_fences_lock);
	maker = find_locked(display, context);
	while (maker && !kr_list_empty(&maker->pending))
		kr_egl_sync_ended_locked(
			kr_container_of(maker->pending.next, struct kr_egl_sync, queue), -EIO);
	kr_mutex_unlock(&kr_egl_fences_lock);
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&kr_egl_fences_lock);
}

/* The vendor's syncs are the parent's: nobody here can say any more when they end. */
static void
forget_locked(struct kr_egl_sync *sync) KR_REQUIRES(kr_egl_fences_lock)
{
	if (!sync->maker)
		return;
	sync->vendor = EGL_NO_SYNC;
	sync->producer = -1;
	kr_egl_sync_ended_locked(sync, -EOWNERDEAD);
}

static void
forget_display_locked(struct kr_egl_fences *fences) KR_REQUIRES(kr_egl_fences_lock)
{
	struct kr_egl_sync *sync, *tmp;
	struct kr_egl_maker *maker;

	fences->users = 0;
	kr_cond_init(&fences->quiet);
	kr_list_for_each (sync, &fences->syncs, link)
		forget_locked(sync);
	kr_list_for_each (maker, &fences->makers, link) {
		maker->served = false;
		kr_list_init(&maker->turn);
		kr_list_for_each_safe (sync, tmp, &maker->flights, queue) {
			forget_locked(sync);
			kr_list_remove(&sync->queue);
		}
	}
}

/* What flew leaves the little memory that its flight had a reference to. */
static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	struct kr_egl_fences *fences;

	if (child) {
		kr_egl_flights_forget_locked();
		kr_list_for_each (fences, &kr_egl_all_fences, link)
			forget_display_locked(fences);
	}
	kr_mutex_unlock(&kr_egl_fences_lock);
}

static void __attribute__((constructor)) register_fork(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_EGL, &hook);
}
