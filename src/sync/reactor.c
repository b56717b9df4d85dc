/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor: one thread and one epoll set for all unfinished merges of the process (of this copy of
 * the library).
 *
 *   none --first merge--> running --no merge left--> idle --100 ms--> ended --next merge, unload--> none
 *                            ^-------a new merge------'               (joined)
 *
 * The epoll set exists exactly while a merge is pending, and is closed before the last merge signals;
 * the producer end and the duplicates of the inputs go right after. The idle thread holds no descriptor
 * and no memory; it is there because a thread for each frame would cost more than the merge.
 *
 * Ownership: the lists own their merges, and only the thread frees them (an event of a batch that it has
 * already fetched may point to one). Who gives up on a merge closes its fence, which the thread sees on
 * the producer end, as it does when the last user of a merged fence goes away.
 */
#include "sync/reactor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/fence.h"
#include "sync/merge_list.h"
#include "sync/producers.h"
#include "sync/user_fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/mutex.h"

#define BATCH     16
#define LINGER_NS (100 * KR_NSEC_PER_MSEC)

enum state {
	STATE_NONE,
	STATE_RUNNING, /* or idle */
	STATE_ENDED,   /* about to return: to be joined */
};

static struct kr_mutex lock = KR_MUTEX_INITIALIZER;
static struct kr_cond wake; /* a merge came, or `stopping` */
/* kr_sync_merge.link: those that wait, and those that the thread is about to signal */
static struct kr_list pending KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(pending);
static struct kr_list ended KR_GUARDED_BY(lock) = KR_LIST_INITIALIZER(ended);
static enum state state KR_GUARDED_BY(lock);
static bool stopping KR_GUARDED_BY(lock);
static int epoll_fd KR_GUARDED_BY(lock) = -1;
static pthread_t thread KR_GUARDED_BY(lock);
static pid_t thread_pid KR_GUARDED_BY(lock); /* the thread exists in this process only */

/*
 * The signals are sent unlocked: they wake who may well want the lock, and may take this very processor.
 * A merge stays in `ended` meanwhile, where a question for its points and a fork find it.
 */
static void
finish_ended_locked(void) KR_REQUIRES(lock)
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
		kr_mutex_unlock(&lock);
		if (wanted)
			kr_sync_user_signal(producer, &points);
		else
			kr_fd_close(&producer);
		kr_mutex_lock(&lock);
		kr_list_remove(&merge->link);
		kr_sync_merge_destroy(merge);
	}
}

static void
handle_batch_locked(struct epoll_event *events, int count) KR_REQUIRES(lock)
{
	for (int i = 0; i < count; i++)
		kr_sync_merge_handle(events[i].data.ptr, epoll_fd, &ended);
	if (kr_list_empty(&pending))
		kr_fd_close(&epoll_fd);
	finish_ended_locked();
}

/* Waits a while for a merge; false when none came. */
static bool
linger_locked(void) KR_REQUIRES(lock)
{
	int64_t deadline = kr_clock_now() + LINGER_NS;

	while (kr_list_empty(&pending) && !stopping) {
		if (kr_cond_wait_until(&wake, &lock, deadline) && kr_list_empty(&pending))
			return false;
	}
	return !kr_list_empty(&pending);
}

/*
 * The program has closed our descriptors behind our back (closefrom). Their numbers may be another's by
 * now, so nothing is closed but what is certainly ours: the producer ends, so that nobody hangs.
 */
static void
abandon_locked(void) KR_REQUIRES(lock)
{
	struct kr_sync_merge *merge, *tmp;

	kr_list_for_each_safe (merge, tmp, &pending, link) {
		kr_list_remove(&merge->link);
		merge->inputs[0].fd = merge->inputs[1].fd = -1;
		if (!kr_sync_producers_has(merge->producer.fd))
			merge->producer.fd = -1;
		kr_sync_merge_destroy(merge);
	}
	epoll_fd = -1;
}

static void *
run(void *data)
{
	struct epoll_event events[BATCH];

	(void)data;
	kr_mutex_lock(&lock);
	while (!kr_list_empty(&pending) || linger_locked()) {
		int set = epoll_fd, count, err;

		kr_mutex_unlock(&lock);
		count = epoll_wait(set, events, BATCH, -1);
		err = count < 0 ? errno : 0;
		kr_mutex_lock(&lock);
		if (err && err != EINTR)
			abandon_locked();
		else
			handle_batch_locked(events, count);
	}
	state = stopping ? STATE_NONE : STATE_ENDED; /* stop() joins by itself */
	kr_mutex_unlock(&lock);
	return NULL;
}

/* Signals are for the application's threads. */
static int
start_locked(void) KR_REQUIRES(lock)
{
	sigset_t all, before;
	int err;

	if (state != STATE_NONE)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -err;
	pthread_setname_np(thread, "krafla-fences");
	state = STATE_RUNNING;
	thread_pid = getpid();
	return 0;
}

/* Takes a thread that has ended, for pthread_join once the lock is free: it returns at once. */
static bool
take_ended_locked(pthread_t *old) KR_REQUIRES(lock)
{
	*old = thread;
	if (state != STATE_ENDED)
		return false;
	state = STATE_NONE;
	return true;
}

/* On failure the merge is in nobody's list. */
static int
enter_locked(struct kr_sync_merge *merge) KR_REQUIRES(lock)
{
	int err;

	if (stopping)
		return -ESHUTDOWN;
	if (epoll_fd < 0)
		epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		return -errno;
	err = kr_sync_merge_watch(&merge->producer, epoll_fd, 0);
	if (!err)
		err = start_locked();
	if (err) {
		kr_sync_merge_unwatch(&merge->producer, epoll_fd);
		if (kr_list_empty(&pending))
			kr_fd_close(&epoll_fd);
		return err;
	}
	kr_list_append(&pending, &merge->link);
	return 0;
}

/* Once it has entered, a merge whose inputs can't be watched is dropped by closing its fence. */
static int
add_locked(struct kr_sync_merge *merge, bool *entered) KR_REQUIRES(lock)
{
	int err = enter_locked(merge);

	*entered = !err;
	if (!err)
		err = kr_sync_merge_watch(&merge->inputs[0], epoll_fd, EPOLLIN);
	if (!err)
		err = kr_sync_merge_watch(&merge->inputs[1], epoll_fd, EPOLLIN);
	return err;
}

int
kr_sync_reactor_merge(const char *name, int fd1, int fd2, int *merged)
{
	struct kr_sync_merge *merge;
	bool join, idle, entered;
	pthread_t old;
	int fence, err;

	err = kr_sync_merge_create(name, fd1, fd2, &merge, &fence);
	if (err)
		return err;
	kr_mutex_lock(&lock);
	join = take_ended_locked(&old);
	idle = kr_list_empty(&pending);
	err = add_locked(merge, &entered);
	kr_mutex_unlock(&lock);
	if (idle)
		kr_cond_broadcast(&wake); /* unlocked: it would wake only to wait for us */
	if (join)
		pthread_join(old, NULL);
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
	kr_mutex_lock(&lock);
	merge = kr_sync_merge_find(&pending, fd);
	if (!merge)
		merge = kr_sync_merge_find(&ended, fd);
	if (merge) {
		kr_sync_merge_points(merge, &pending, &inner);
		points->count = 0;
		kr_sync_points_append(points, &inner);
	}
	kr_mutex_unlock(&lock);
	/* A merge that has ended since tells them itself by now. */
	return merge ? 0 : kr_sync_points_read(fd, careful, points);
}

int
kr_sync_reactor_blame(int fd, int *input, uint32_t *count)
{
	int err;

	kr_mutex_lock(&lock);
	err = kr_sync_merge_blame(&pending, fd, input, count);
	kr_mutex_unlock(&lock);
	return err;
}

void
kr_sync_reactor_init(void)
{
	kr_cond_init(&wake);
}

void
kr_sync_reactor_before_fork(void) KR_NO_THREAD_SAFETY
{
	kr_mutex_lock(&lock);
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

/* The epoll set is shared with the parent: the child may close it but take nothing out. */
static void
forget_locked(void) KR_REQUIRES(lock)
{
	forget_list(&pending);
	forget_list(&ended);
	kr_fd_close(&epoll_fd);
	state = STATE_NONE;
	stopping = false;
	kr_cond_init(&wake);
}

void
kr_sync_reactor_after_fork(bool child) KR_NO_THREAD_SAFETY
{
	if (child)
		forget_locked();
	kr_mutex_unlock(&lock);
}

/* A shut producer end is ready for epoll, but only a change makes epoll look. */
static void
fail_pending_locked(void) KR_REQUIRES(lock)
{
	struct kr_sync_merge *merge;

	kr_list_for_each (merge, &pending, link) {
		struct epoll_event event = {.data.ptr = &merge->producer};

		shutdown(merge->producer.fd, SHUT_RDWR);
		epoll_ctl(epoll_fd, EPOLL_CTL_MOD, merge->producer.fd, &event);
	}
}

/* When the library is unloaded or the process exits: pending merges fail, then the thread is joined. */
__attribute__((destructor)) static void
stop(void)
{
	pthread_t old;
	bool join;

	kr_mutex_lock(&lock);
	join = take_ended_locked(&old);
	if (state == STATE_RUNNING && thread_pid == getpid()) {
		fail_pending_locked();
		kr_cond_broadcast(&wake);
		old = thread;
		join = true;
	}
	stopping = true;
	kr_mutex_unlock(&lock);
	if (join)
		pthread_join(old, NULL);
}
