/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eglTerminate against calls of other threads: what the vendor has been asked for ends before its
 * display does, and with handles of a display that is gone it is asked for nothing more; another
 * object may have them by then.
 */
#include "egl/window/internal.h"
#include "util/clock.h"
#include "util/log.h"

#define LIMIT_NS (10 * KR_NSEC_PER_SEC)

void
kr_egl_windows_enter(struct kr_egl_windows *windows)
{
	kr_mutex_lock(&windows->lock);
	windows->busy++;
	kr_mutex_unlock(&windows->lock);
}

bool
kr_egl_windows_enter_started(struct kr_egl_windows *windows)
{
	bool started;

	kr_mutex_lock(&windows->lock);
	started = windows->started;
	windows->busy += started;
	kr_mutex_unlock(&windows->lock);
	return started;
}

bool
kr_egl_surface_enter(struct kr_egl_surface *surface)
{
	bool there;

	kr_mutex_lock(&surface->windows->lock);
	there = !surface->stopped;
	surface->windows->busy += there;
	kr_mutex_unlock(&surface->windows->lock);
	return there;
}

void
kr_egl_windows_leave(struct kr_egl_windows *windows)
{
	kr_mutex_lock(&windows->lock);
	if (!--windows->busy)
		kr_cond_broadcast(&windows->idle);
	kr_mutex_unlock(&windows->lock);
}

void
kr_egl_windows_wait_idle(struct kr_egl_windows *windows)
{
	int64_t deadline_ns = kr_deadline_in(LIMIT_NS);

	kr_mutex_lock(&windows->lock);
	while (windows->busy && !kr_cond_wait_until(&windows->idle, &windows->lock, deadline_ns))
		;
	if (windows->busy)
		kr_error(
			"eglTerminate: other threads are at the display's windows still after %d s",
			(int)(LIMIT_NS / KR_NSEC_PER_SEC));
	kr_mutex_unlock(&windows->lock);
}
