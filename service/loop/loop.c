/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epoll with timers: see loop.h. A watch that is removed while events are handed out is only
 * marked, and freed when the round is over: an event of it may still lie in the round's array.
 */
#include "service/loop/loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/list.h"

#define EVENTS_A_ROUND 64

struct kr_loop {
	int epoll;
	bool dispatching;
	struct kr_list watches; /* kr_watch.link */
	struct kr_list timed;   /* kr_watch.timed: those with a deadline */
	struct kr_list removed; /* kr_watch.link: freed after the round */
};

struct kr_watch {
	struct kr_list link;
	struct kr_list timed;
	struct kr_loop *loop;
	int fd;
	int64_t deadline;
	bool due;
	kr_watch_fn fn; /* NULL: removed */
	void *data;
};

int
kr_loop_create(struct kr_loop **out)
{
	struct kr_loop *loop = calloc(1, sizeof(*loop));
	int err;

	if (!loop)
		return -ENOMEM;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0) {
		err = -errno;
		free(loop);
		return err;
	}
	kr_list_init(&loop->watches);
	kr_list_init(&loop->timed);
	kr_list_init(&loop->removed);
	*out = loop;
	return 0;
}

static void
free_removed(struct kr_loop *loop)
{
	struct kr_watch *watch, *next;

	kr_list_for_each_safe (watch, next, &loop->removed, link) {
		kr_list_remove(&watch->link);
		free(watch);
	}
}

void
kr_loop_destroy(struct kr_loop *loop)
{
	if (!loop)
		return;
	free_removed(loop);
	close(loop->epoll);
	free(loop);
}

int
kr_watch_add(struct kr_loop *loop, int fd, uint32_t events, kr_watch_fn fn, void *data,
	struct kr_watch **out)
{
	struct kr_watch *watch = calloc(1, sizeof(*watch));
	struct epoll_event event = {.events = events, .data.ptr = watch};

	if (!watch)
		return -ENOMEM;
	if (fd >= 0 && epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event)) {
		int err = -errno;

		free(watch);
		return err;
	}
	*watch = (struct kr_watch){
		.loop = loop, .fd = fd, .deadline = KR_FOREVER, .fn = fn, .data = data};
	kr_list_init(&watch->timed);
	kr_list_append(&loop->watches, &watch->link);
	*out = watch;
	return 0;
}

int
kr_watch_events(struct kr_watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	return epoll_ctl(watch->loop->epoll, EPOLL_CTL_MOD, watch->fd, &event) ? -errno : 0;
}

void
kr_watch_deadline(struct kr_watch *watch, int64_t deadline_ns)
{
	watch->deadline = deadline_ns;
	watch->due = false;
	kr_list_remove(&watch->timed);
	if (deadline_ns != KR_FOREVER)
		kr_list_append(&watch->loop->timed, &watch->timed);
}

void
kr_watch_forget_fd(struct kr_watch *watch)
{
	if (watch->fd >= 0)
		epoll_ctl(watch->loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->fd = -1;
}

void
kr_watch_remove(struct kr_watch *watch)
{
	struct kr_loop *loop;

	if (!watch)
		return;
	loop = watch->loop;
	kr_watch_forget_fd(watch);
	kr_list_remove(&watch->timed);
	kr_list_remove(&watch->link);
	watch->fn = NULL;
	if (loop->dispatching)
		kr_list_append(&loop->removed, &watch->link);
	else
		free(watch);
}

static int64_t
next_deadline(const struct kr_loop *loop, int64_t limit)
{
	const struct kr_watch *watch;

	kr_list_for_each (watch, &loop->timed, timed)
		limit = KR_MIN(limit, watch->deadline);
	return limit;
}

/*
 * Marked before any is called: one that sets itself a time in the past waits for the next round,
 * behind all descriptors.
 */
static void
mark_due(struct kr_loop *loop, int64_t now)
{
	struct kr_watch *watch;

	kr_list_for_each (watch, &loop->timed, timed)
		watch->due = watch->deadline <= now;
}

static struct kr_watch *
take_due(struct kr_loop *loop)
{
	struct kr_watch *watch;

	kr_list_for_each (watch, &loop->timed, timed) {
		if (watch->due) {
			kr_watch_deadline(watch, KR_FOREVER);
			return watch;
		}
	}
	return NULL;
}

int
kr_loop_step(struct kr_loop *loop, int64_t deadline_ns)
{
	struct epoll_event events[EVENTS_A_ROUND];
	const int timeout = kr_deadline_poll_ms(next_deadline(loop, deadline_ns));
	const int count = epoll_wait(loop->epoll, events, EVENTS_A_ROUND, timeout);
	struct kr_watch *watch;
	int64_t now;

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	loop->dispatching = true;
	for (int i = 0; i < count; i++) {
		watch = events[i].data.ptr;
		if (watch->fn)
			watch->fn(watch->data, events[i].events);
	}
	now = kr_clock_now();
	mark_due(loop, now);
	while ((watch = take_due(loop)))
		watch->fn(watch->data, 0);
	loop->dispatching = false;
	free_removed(loop);
	return 0;
}
