/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor's unfinished merges. The producer end and the duplicates of the inputs go right after a
 * merge has signalled.
 *
 * Ownership: the lists own their merges, and only the thread frees them (an event of a batch that it has
 * already fetched may point to one). Who gives up on a merge closes its fence, which the thread sees on
 * the producer end, as it does when the last user of a merged fence goes away.
 */
#include "sync/reactor.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "sync/fence.h"
#include "sync/merge_list.h"
#include "sync/producers.h"
#include "sync/reactor_loop.h"
#include "sync/user_fence.h"
#include "util/fd.h"

/* kr_sync_merge.link: those that wait, and those that the thread is about to signal */
static struct kr_list pending KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(pending);
static struct kr_list ended KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(ended);

static bool
busy_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	return !kr_list_empty(&pending);
}

static void
handle_watch_locked(struct kr_sync_source *source, int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	kr_sync_merge_handle(kr_container_of(source, struct kr_sync_watch, source), epoll, &ended);
}

/*
 * The signals are sent unlocked: they wake who may well want the lock, and may take this very processor.
 * A merge stays in `ended` meanwhile, where a question for its points and a fork find it.
 */
static void
finish_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_points points;

	while (!kr_list_empty(&ended)) {
		struct kr_sync_merge *merge =
			kr_container_of(ended.next, struct kr_sync_merge, link);
		int producer = merge->producer.fd;
		bool wanted = merge->status != 0;

		if (wanted)
			kr_sync_merge_result(merge, &pending, &points);
		merge->producer.fd = -1;
		kr_mutex_unlock(&kr_sync_reactor_lock);
		if (wanted)
			kr_sync_user_signal(producer, &points);
		else
			kr_fd_close(&producer);
		kr_mutex_lock(&kr_sync_reactor_lock);
		kr_list_remove(&merge->link);
		kr_sync_merge_destroy(merge);
	}
}

/* The producer ends that are still ours are closed, so that nobody hangs. */
static void
abandon_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge, *tmp;

	kr_list_for_each_safe (merge, tmp, &pending, link) {
		kr_list_remove(&merge->link);
		merge->inputs[0].fd = merge->inputs[1].fd = -1;
		if (!kr_sync_producers_has(merge->producer.fd))
			merge->producer.fd = -1;
		kr_sync_merge_destroy(merge);
	}
}

/* A shut producer end is ready for epoll, but only a change makes epoll look. */
static void
stop_locked(int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge;

	kr_list_for_each (merge, &pending, link) {
		struct epoll_event event = {.data.ptr = &merge->producer.source};

		shutdown(merge->producer.fd, SHUT_RDWR);
		epoll_ctl(epoll, EPOLL_CTL_MOD, merge->producer.fd, &event);
	}
}

static void
forget_list(struct kr_list *merges)
{
	struct kr_sync_merge *merge, *tmp;

	kr_list_for_each_safe (merge, tmp, merges, link) {
		kr_list_remove(&merge->link);
		merge->producer.fd = -1; /* closed with the other producer ends */
		kr_sync_merge_destroy(merge);
	}
}

static void
forget_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	forget_list(&pending);
	forget_list(&ended);
}

const struct kr_sync_loop_client kr_sync_merges_client = {
	.busy_locked = busy_locked,
	.finish_locked = finish_locked,
	.abandon_locked = abandon_locked,
	.stop_locked = stop_locked,
	.forget_locked = forget_locked,
};

/* Once it has entered, a merge whose inputs can't be watched is dropped by closing its fence. */
static int
add_locked(struct kr_sync_merge *merge, bool *entered) KR_REQUIRES(kr_sync_reactor_lock)
{
	int epoll;
	int err = kr_sync_loop_open_locked(&epoll);

	if (!err)
		err = kr_sync_merge_watch(&merge->producer, epoll, 0);
	*entered = !err;
	if (err)
		return err;
	kr_list_append(&pending, &merge->link);
	err = kr_sync_merge_watch(&merge->inputs[0], epoll, EPOLLIN);
	if (!err)
		err = kr_sync_merge_watch(&merge->inputs[1], epoll, EPOLLIN);
	return err;
}

int
kr_sync_reactor_merge(const char *name, int fd1, int fd2, int *merged)
{
	struct kr_sync_loop_visit visit;
	struct kr_sync_merge *merge;
	bool entered;
	int fence, err;

	err = kr_sync_merge_create(name, fd1, fd2, handle_watch_locked, &merge, &fence);
	if (err)
		return err;
	kr_sync_loop_enter(&visit);
	err = add_locked(merge, &entered);
	kr_sync_loop_leave(&visit);
	if (err) {
		if (!entered)
			kr_sync_merge_destroy(merge);
		kr_fd_close(&fence);
		return err;
	}
	*merged = fence;
	return 0;
}

int
kr_sync_reactor_points(int fd, bool careful, struct kr_sync_points *points)
{
	const struct kr_sync_merge *merge;
	struct kr_sync_points inner;
	int err = kr_sync_points_read(fd, careful, points);

	if (err || points->status != KR_FENCE_ACTIVE)
		return err;
	kr_mutex_lock(&kr_sync_reactor_lock);
	merge = kr_sync_merge_find(&pending, fd);
	if (!merge)
		merge = kr_sync_merge_find(&ended, fd);
	if (merge) {
		kr_sync_merge_points(merge, &pending, &inner);
		points->count = 0;
		kr_sync_points_append(points, &inner);
	}
	kr_mutex_unlock(&kr_sync_reactor_lock);
	/* A merge that has ended since tells them itself by now. */
	return merge ? 0 : kr_sync_points_read(fd, careful, points);
}

int
kr_sync_reactor_blame(int fd, int *input, uint32_t *count)
{
	int err;

	kr_mutex_lock(&kr_sync_reactor_lock);
	err = kr_sync_merge_blame(&pending, fd, input, count);
	kr_mutex_unlock(&kr_sync_reactor_lock);
	return err;
}
