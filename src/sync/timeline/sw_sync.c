/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Android's sw_sync names over timelines. There a timeline is a descriptor that close() destroys.
 * Over a kernel device it is the device's own; over user-space fences it is one end of a socket
 * pair, whose other end the reactor watches:
 *
 *   close() of the last duplicate --> hangup of our end --> the timeline is destroyed, on the
 *                                                           reactor's thread, within a moment
 *
 * As with the kernel's, a forked child that has a duplicate delays that; unlike there it can do
 * nothing else with it (EPERM), since only the process that made a timeline signals.
 *
 * A timeline is found by the socket cookie of the descriptor, which the kernel never gives twice.
 */
#include <krafla/timeline.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "sync/fence/fence.h"
#include "sync/fence/fork.h"
#include "sync/fence/producers.h"
#include "sync/fence/user_fence.h"
#include "sync/reactor/watchers.h"
#include "sync/timeline/impl.h"
#include "sync/timeline/timeline.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/list.h"

/* Counted by the list, until its descriptor is closed, and by each call that uses it. */
struct sw_timeline {
	struct kr_list link;
	struct kr_sync_watcher watcher; /* of our end */
	struct kr_timeline *timeline;
	uint64_t cookie; /* of the other end */
	atomic_uint refs;
};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_list timelines KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(timelines);
/* Held while a device is asked for its value and moved on from there. */
static struct kr_mutex device_lock = KR_MUTEX_INITIALIZER;

static void
unref(struct sw_timeline *sw)
{
	if (atomic_fetch_sub_explicit(&sw->refs, 1, memory_order_acq_rel) != 1)
		return;
	kr_timeline_destroy(sw->timeline);
	free(sw);
}

static void
close_end(struct sw_timeline *sw)
{
	kr_sync_producers_close(sw->watcher.fd);
	sw->watcher.fd = -1;
}

/* What is no longer ours (KR_SYNC_WATCHER_LOST) isn't closed. */
static void
handle_hangup(struct kr_sync_watcher *watcher, enum kr_sync_watcher_reason reason)
{
	struct sw_timeline *sw = kr_container_of(watcher, struct sw_timeline, watcher);

	kr_mutex_lock(&lock);
	kr_list_remove(&sw->link);
	kr_mutex_unlock(&lock);
	if (reason != KR_SYNC_WATCHER_LOST || kr_sync_producers_has(watcher->fd))
		close_end(sw);
	unref(sw);
}

static struct sw_timeline *
find_locked(uint64_t cookie) KR_REQUIRES(lock)
{
	struct sw_timeline *sw;

	kr_list_for_each (sw, &timelines, link) {
		if (sw->cookie == cookie)
			return sw;
	}
	return NULL;
}

/* The timeline of that descriptor, or NULL: it is something else. */
static struct sw_timeline *
ref_of(int fd)
{
	uint64_t cookie = kr_sync_user_cookie(fd);
	struct sw_timeline *sw = NULL;

	if (!cookie)
		return NULL;
	kr_mutex_lock(&lock);
	sw = find_locked(cookie);
	if (sw)
		atomic_fetch_add_explicit(&sw->refs, 1, memory_order_relaxed);
	kr_mutex_unlock(&lock);
	return sw;
}

/* A pair whose first end is ours, and not a forked child's. */
static int
make_ends(int ends[2])
{
	int err = kr_sync_fork_init();

	if (err)
		return err;
	kr_mutex_lock(&kr_sync_producers_lock);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		err = -errno;
	if (!err) {
		err = kr_sync_producers_add_locked(ends[0]);
		if (err) {
			kr_fd_close(&ends[0]);
			kr_fd_close(&ends[1]);
		}
	}
	kr_mutex_unlock(&kr_sync_producers_lock);
	return err;
}

/* Found before it is watched: closing the descriptor is what its caller does at the earliest. */
static int
enter(struct sw_timeline *sw)
{
	int err;

	kr_mutex_lock(&lock);
	kr_list_append(&timelines, &sw->link);
	kr_mutex_unlock(&lock);
	err = kr_sync_watcher_add(&sw->watcher);
	if (!err)
		return 0;
	kr_mutex_lock(&lock);
	kr_list_remove(&sw->link);
	kr_mutex_unlock(&lock);
	return err;
}

/* The kernel names its timelines after the thread that opens them. */
static int
create_user(const struct kr_timeline_impl *impl, int *fd)
{
	struct sw_timeline *sw = calloc(1, sizeof(*sw));
	char name[KR_SYNC_TEXT] = "";
	int ends[2];
	int err = -ENOMEM;

	if (!sw)
		return err;
	prctl(PR_GET_NAME, name);
	err = kr_timeline_create_on(impl, name[0] ? name : "sw_sync", NULL, NULL, &sw->timeline);
	if (err)
		goto err_free;
	err = make_ends(ends);
	if (err)
		goto err_destroy;
	kr_list_init(&sw->link);
	atomic_init(&sw->refs, 1);
	sw->cookie = kr_sync_user_cookie(ends[1]);
	sw->watcher = (struct kr_sync_watcher){
		.fd = ends[0], .deadline_ns = KR_FOREVER, .handle = handle_hangup};
	err = enter(sw);
	if (err)
		goto err_close;
	*fd = ends[1];
	return 0;
err_close:
	close_end(sw);
	kr_fd_close(&ends[1]);
err_destroy:
	kr_timeline_destroy(sw->timeline);
err_free:
	free(sw);
	return err;
}

static int
create(int *fd)
{
	const struct kr_timeline_impl *impl;
	int err = kr_timeline_backend(&impl);

	if (err)
		return err;
	return impl->device ? kr_timeline_open_device(impl, fd) : create_user(impl, fd);
}

/* What `fd` is, it is asked itself: it may have been made before the variable was changed. */
static int
increase(int fd, uint32_t count)
{
	struct sw_timeline *sw = ref_of(fd);
	int err;

	if (sw) {
		err = kr_timeline_advance(sw->timeline, count);
		unref(sw);
		return err;
	}
	err = kr_sw_sync_device_inc(fd, count);
	if (err != -ENOTTY)
		return err;
	kr_mutex_lock(&device_lock);
	err = kr_krafla_sync_device_inc(fd, count);
	kr_mutex_unlock(&device_lock);
	return err;
}

static int
create_fence(int fd, const char *name, uint32_t value, int *fence)
{
	struct sw_timeline *sw = ref_of(fd);
	int err;

	if (sw) {
		err = kr_timeline_fence(sw->timeline, name,
			kr_timeline_widen(kr_timeline_value(sw->timeline), value), fence);
		unref(sw);
		return err;
	}
	err = kr_sw_sync_device_fence(fd, value, fence);
	if (err == -ENOTTY)
		err = kr_krafla_sync_device_fence(fd, value, fence);
	if (!err)
		kr_fence_rename_held(name, fence);
	return err;
}

static int
answer(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

KR_EXPORT int
sw_sync_timeline_create(void)
{
	int fd;

	return answer(create(&fd)) ? -1 : fd;
}

KR_EXPORT int
sw_sync_timeline_inc(int fd, unsigned count)
{
	return answer(increase(fd, count));
}

KR_EXPORT int
sw_sync_fence_create(int fd, const char *name, unsigned value)
{
	int fence;

	return answer(create_fence(fd, name, value, &fence)) ? -1 : fence;
}

static void
before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
}

static void
after_fork(bool child) KR_NO_THREAD_SAFETY
{
	(void)child;
	kr_mutex_unlock(&lock);
}

__attribute__((constructor)) static void
register_hook(void)
{
	static const struct kr_sync_fork_hook hook = {before_fork, after_fork};

	kr_sync_fork_register(KR_SYNC_FORK_SW_SYNC, &hook);
}
