/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor's unfinished merges. The producer end goes with the signal of a merge, the duplicates
 * of inputs that no other merge waits for right after it.
 *
 * Ownership: the lists own their merges, and only the thread frees them (an event of a batch that
 * it has already fetched may point to one). Who gives up on a merge closes its fence, which the
 * thread sees on the producer end, as it does when the last user of a merged fence goes away.
 */
#include "sync/merge/pending.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "sync/fence/fence.h"
#include "sync/fence/producers.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "sync/merge/list.h"
#include "sync/reactor/loop.h"
#include "util/fd.h"

/* kr_sync_merge.link: those that wait, and those that the thread is about to signal */
static struct kr_list pending KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(pending);
static struct kr_list ended KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(ended);
static bool swept KR_GUARDED_BY(kr_sync_reactor_lock); /* some of `pending` have no producer end */

static void
drop_producer(int take_producer)
{
	if (take_producer >= 0)
		kr_sync_producers_close(take_producer);
}

static bool
busy_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	return !kr_list_empty(&pending);
}

static void
handle_input_locked(struct kr_sync_source *source, int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	kr_sync_merge_handle_input(source, epoll, &ended);
}

static void
handle_producer_locked(struct kr_sync_source *source, int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	kr_sync_merge_handle_producer(source, epoll, &ended);
}

static const struct kr_sync_merge_handlers handlers = {
	.input = handle_input_locked,
	.producer = handle_producer_locked,
};

/* Those that sweep_locked has closed. */
static void
end_swept_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge, *tmp;

	if (!swept)
		return;
	kr_list_for_each_safe (merge, tmp, &pending, link) {
		if (merge->producer < 0)
			kr_sync_merge_end(merge, 0, kr_sync_loop_epoll_locked(), &ended);
	}
	swept = false;
}

/*
 * The signals are sent unlocked: they wake who may well want the lock, and may take
 * this very processor. A merge stays in `ended` meanwhile, where a question for its
 * points and a fork find it.
 */
static void
finish_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_points points;

	end_swept_locked();
	while (!kr_list_empty(&ended)) {
		struct kr_sync_merge *merge =
			kr_container_of(ended.next, struct kr_sync_merge, link);
		int producer = merge->producer;
		bool wanted = merge->status != 0;

		if (wanted)
			kr_sync_merge_result(merge, &pending, &points);
		merge->producer = -1;
		kr_mutex_unlock(&kr_sync_reactor_lock);
		if (wanted)
			kr_sync_user_signal(producer, &points);
		else
			drop_producer(producer);
		kr_mutex_lock(&kr_sync_reactor_lock);
		kr_list_remove(&merge->link);
		kr_sync_merge_destroy(merge, kr_sync_loop_epoll_locked());
	}
}

/* The producer ends that are still ours are closed, so that nobody hangs. */
static void
abandon_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge, *tmp;

	kr_list_for_each_safe (merge, tmp, &pending, link) {
		kr_list_remove(&merge->link);
		for (unsigned i = 0; i < merge->count; i++)
			merge->uses[i].input->fd = -1;
		if (!kr_sync_producers_has(merge->producer))
			merge->producer = -1;
		kr_sync_merge_destroy(merge, -1);
	}
}

/* A shut producer end is ready for epoll, but only a change makes epoll look. */
static void
stop_locked(int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge;

	kr_list_for_each (merge, &pending, link) {
		struct epoll_event event = {.data.ptr = &merge->source};

		shutdown(merge->producer, SHUT_RDWR);
		epoll_ctl(epoll, EPOLL_CTL_MOD, merge->producer, &event);
	}
}

static void
forget_list(struct kr_list *merges)
{
	struct kr_sync_merge *merge, *tmp;

	kr_list_for_each_safe (merge, tmp, merges, link) {
		kr_list_remove(&merge->link);
		merge->producer = -1; /* closed with the other producer ends */
		kr_sync_merge_destroy(merge, -1);
	}
}

static void
forget_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	forget_list(&pending);
	forget_list(&ended);
	swept = false;
}

static const struct kr_sync_loop_client client = {
	.busy_locked = busy_locked,
	.finish_locked = finish_locked,
	.abandon_locked = abandon_locked,
	.stop_locked = stop_locked,
	.forget_locked = forget_locked,
};

/* Makes the merge and enters it; a merge that hasn't entered is gone again when this fails. */
static int
enter_locked(const char *name, int fd1, int fd2, int take_producer, struct kr_sync_merge **out,
	int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_inputs inputs;
	struct kr_sync_merge *merge;
	int err = kr_sync_inputs_find(&inputs, &pending, &handlers, fd1, fd2);

	if (!err) {
		err = kr_sync_merge_create(name, &inputs, &handlers, take_producer, &merge);
		if (err)
			kr_sync_inputs_drop(&inputs);
	}
	if (err) {
		drop_producer(take_producer);
		return err;
	}
	err = kr_sync_merge_watch_producer(merge, epoll);
	if (err) {
		kr_sync_merge_destroy(merge, epoll);
		return err;
	}
	kr_list_append(&pending, &merge->link);
	*out = merge;
	return 0;
}

/* Once it has entered, a merge whose inputs can't be watched is dropped by closing its fence. */
static int
add_locked(const char *name, int fd1, int fd2, int take_producer, int fence)
	KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge;
	int epoll;
	int err = kr_sync_loop_open_locked(&client, &epoll);

	if (err) {
		drop_producer(take_producer);
		return err;
	}
	err = enter_locked(name, fd1, fd2, take_producer, &merge, epoll);
	if (err)
		return err;
	merge->cookie = kr_sync_user_cookie(fence);
	return kr_sync_merge_watch_inputs(merge, epoll);
}

static int
merge_once(const char *name, int fd1, int fd2, int *merged)
{
	struct kr_fence_label label = {.timeline = "merge", .name = name};
	struct kr_sync_loop_visit visit;
	int producer, fence;
	int err = kr_fence_create(&label, &producer, &fence);

	if (err)
		return err;
	kr_sync_loop_enter(&visit);
	err = add_locked(name, fd1, fd2, producer, fence);
	kr_sync_loop_leave(&visit);
	if (err) {
		kr_fd_close(&fence);
		return err;
	}
	*merged = fence;
	return 0;
}

/*
 * The thread may be behind with merges that nobody holds any more; their producer ends
 * are closed here, for somebody who needs descriptors. The first is left: its hangup is
 * what makes the thread look.
 */
static void
sweep_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_merge *merge;
	bool first = true;

	kr_list_for_each (merge, &pending, link) {
		struct pollfd asked = {.fd = merge->producer};

		if (merge->producer < 0 || poll(&asked, 1, 0) <= 0 || first) {
			first = first && !(asked.revents & POLLHUP);
			continue;
		}
		epoll_ctl(kr_sync_loop_epoll_locked(), EPOLL_CTL_DEL, merge->producer, NULL);
		drop_producer(merge->producer);
		merge->producer = -1;
		merge->watched = false;
		swept = true;
	}
}

/* Tried again whether the sweep found anything or not: the thread may have come first. */
int
kr_sync_pending_merge(const char *name, int fd1, int fd2, int *merged)
{
	int err = merge_once(name, fd1, fd2, merged);

	if (err != -EMFILE && err != -ENFILE)
		return err;
	kr_mutex_lock(&kr_sync_reactor_lock);
	sweep_locked();
	kr_mutex_unlock(&kr_sync_reactor_lock);
	return merge_once(name, fd1, fd2, merged);
}

int
kr_sync_pending_points(int fd, bool careful, struct kr_sync_points *points)
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
kr_sync_pending_blame(int fd, int *input, uint32_t *count)
{
	int err;

	kr_mutex_lock(&kr_sync_reactor_lock);
	err = kr_sync_merge_blame(&pending, fd, input, count);
	kr_mutex_unlock(&kr_sync_reactor_lock);
	return err;
}
