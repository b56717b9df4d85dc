/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla_window_*: what a window's queue can do beyond ANativeWindow, of whatever library's window.
 */
#include <krafla/window.h>

#include <errno.h>

#include "window/event_public.h"
#include "window/window.h"

static bool
is_window(const ANativeWindow *window)
{
	return window && window->common.magic == ANDROID_NATIVE_WINDOW_MAGIC &&
		window->common.version == sizeof(ANativeWindow);
}

/* A window of another platform doesn't know the operation. */
static int
known(int err)
{
	return err == -ENOENT ? -ENOSYS : err;
}

KR_EXPORT int
krafla_window_attach(ANativeWindow *window, AHardwareBuffer *buffer, ANativeWindowBuffer **attached)
{
	return is_window(window)
		? known(window->perform(window, KR_WINDOW_ATTACH, buffer, attached))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_detach(ANativeWindow *window, ANativeWindowBuffer *buffer, AHardwareBuffer **detached)
{
	return is_window(window)
		? known(window->perform(window, KR_WINDOW_DETACH, buffer, detached))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_detach_next(ANativeWindow *window, AHardwareBuffer **detached, int *fence)
{
	return is_window(window)
		? known(window->perform(window, KR_WINDOW_DETACH_NEXT, detached, fence))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_set_generation(ANativeWindow *window, uint32_t generation)
{
	return is_window(window)
		? known(window->perform(window, KR_WINDOW_SET_GENERATION, generation))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_allow_allocation(ANativeWindow *window, bool allow)
{
	return is_window(window)
		? known(window->perform(window, KR_WINDOW_ALLOW_ALLOCATION, (int)allow))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_set_legacy_drop(ANativeWindow *window, bool drop)
{
	return is_window(window)
		? known(window->perform(window, KR_WINDOW_SET_LEGACY_DROP, (int)drop))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_set_max_dequeued(ANativeWindow *window, uint32_t count)
{
	return is_window(window) ? known(window->perform(window, KR_WINDOW_SET_MAX_DEQUEUED, count))
				 : -EINVAL;
}

KR_EXPORT int
krafla_window_watch(ANativeWindow *window, uint32_t events, int *fd)
{
	return is_window(window) && !(events & ~KRAFLA_EVENTS_ALL)
		? known(window->perform(window, KR_WINDOW_WATCH, events, fd))
		: -EINVAL;
}

KR_EXPORT int
krafla_window_next_event(ANativeWindow *window, struct krafla_event *event)
{
	struct kr_notice notice;
	int err;

	if (!is_window(window) || !event)
		return -EINVAL;
	err = window->perform(window, KR_WINDOW_NEXT_NOTICE, &notice);
	if (!err)
		kr_event_fill(event, &notice);
	return known(err);
}
