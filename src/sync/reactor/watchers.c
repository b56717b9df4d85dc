/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reactor's watchers. A watcher is its caller's and can be gone as soon as it was removed,
 * while the thread may have an event of it in hand; so what the epoll set points to is a record of
 * our own, which is freed between two batches.
 *
 *   add -> timed, by deadline, or untimed --event, deadline, end--> due --> handle is called,
 *               '-------remove-------> spent, or freed                |     unlocked
 *                                                                     '-- remove: too late
 *
 * Deadlines are one timer descriptor (the alarm) in the set, which exists while there are watchers.
 * It is also what wakes the thread when there is nothing left to wait for.
 */
#include "sync/reactor/watchers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "sync/fence/fork.h"
#include "sync/reactor/loop.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/list.h"

/* So many that were removed may await the end of a batch: then one is made to come. */
#define MAX_SPENT 64

struct kr_sync_record {
	struct kr_sync_source source;
	struct kr_list link; /* in one of the lists below */
	struct kr_sync_watcher *watcher;
	int64_t deadline;
	int fd; /* in the epoll set; -1: none, or no longer */
	bool due;
	enum kr_sync_watcher_reason reason;
};

/* kr_sync_record.link. `timed` is in order. */
static struct kr_list timed KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(timed);
static struct kr_list untimed KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(untimed);
static struct kr_list due KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(due);
static struct kr_list spent KR_GUARDED_BY(kr_sync_reactor_lock) = KR_LIST_INITIALIZER(spent);
static unsigned spent_count KR_GUARDED_BY(kr_sync_reactor_lock);
static int alarm_fd KR_GUARDED_BY(kr_sync_reactor_lock) = -1;

static struct kr_sync_record *
record_of(struct kr_list *link)
{
	return kr_container_of(link, struct kr_sync_record, link);
}

static bool
busy_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	return !kr_list_empty(&timed) || !kr_list_empty(&untimed);
}

/*
 * For the first deadline, or none; a time that has passed, but not 0, which turns it
 * off, is at once.
 */
static void
set_alarm_locked(bool at_once) KR_REQUIRES(kr_sync_reactor_lock)
{
	int64_t when = kr_list_empty(&timed) ? 0 : KR_MAX(1, record_of(timed.next)->deadline);
	struct itimerspec spec = {0};

	if (alarm_fd < 0)
		return;
	if (at_once)
		when = 1;
	spec.it_value.tv_sec = when / KR_NSEC_PER_SEC;
	spec.it_value.tv_nsec = when % KR_NSEC_PER_SEC;
	timerfd_settime(alarm_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* Out of the set before the caller can close it: a duplicate elsewhere would keep it in. */
static void
unwatch_locked(struct kr_sync_record *record, int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	if (record->fd >= 0)
		epoll_ctl(epoll, EPOLL_CTL_DEL, record->fd, NULL);
	record->fd = -1;
}

static void
make_due_locked(struct kr_sync_record *record, enum kr_sync_watcher_reason reason, int epoll)
	KR_REQUIRES(kr_sync_reactor_lock)
{
	unwatch_locked(record, epoll);
	record->due = true;
	record->reason = reason;
	kr_list_remove(&record->link);
	kr_list_append(&due, &record->link);
}

/* A record of another batch, or of this one, that is over has no fd in the set any more. */
static void
handle_fd_locked(struct kr_sync_source *source, int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_sync_record *record = kr_container_of(source, struct kr_sync_record, source);

	if (record->fd >= 0)
		make_due_locked(record, KR_SYNC_WATCHER_READY, epoll);
}

static void
handle_alarm_locked(struct kr_sync_source *source, int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	int64_t now = kr_clock_now();

	(void)source;
	while (!kr_list_empty(&timed) && record_of(timed.next)->deadline <= now)
		make_due_locked(record_of(timed.next), KR_SYNC_WATCHER_DEADLINE, epoll);
	set_alarm_locked(false); /* setting it is as good as reading it */
}

static struct kr_sync_source alarm_source = {handle_alarm_locked};

static int
open_alarm_locked(int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &alarm_source};
	int err;

	if (alarm_fd >= 0)
		return 0;
	alarm_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (alarm_fd < 0)
		return -errno;
	if (!epoll_ctl(epoll, EPOLL_CTL_ADD, alarm_fd, &event))
		return 0;
	err = -errno;
	kr_fd_close(&alarm_fd);
	return err;
}

static void
close_alarm_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	int epoll = kr_sync_loop_epoll_locked();

	if (busy_locked() || alarm_fd < 0)
		return;
	if (epoll >= 0)
		epoll_ctl(epoll, EPOLL_CTL_DEL, alarm_fd, NULL); /* a child may have it, too */
	kr_fd_close(&alarm_fd);
}

static void
free_list(struct kr_list *records)
{
	while (!kr_list_empty(records)) {
		struct kr_sync_record *record = record_of(records->next);

		kr_list_remove(&record->link);
		free(record);
	}
}

static void
finish_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	close_alarm_locked();
	while (!kr_list_empty(&due)) {
		struct kr_sync_record *record = record_of(due.next);
		struct kr_sync_watcher *watcher = record->watcher;
		enum kr_sync_watcher_reason reason = record->reason;

		watcher->record = NULL;
		kr_list_remove(&record->link);
		kr_list_append(&spent, &record->link);
		kr_mutex_unlock(&kr_sync_reactor_lock);
		watcher->handle(watcher, reason);
		kr_mutex_lock(&kr_sync_reactor_lock);
	}
	free_list(&spent);
	spent_count = 0;
	close_alarm_locked();
}

static void
end_list_locked(struct kr_list *records, enum kr_sync_watcher_reason reason, int epoll)
	KR_REQUIRES(kr_sync_reactor_lock)
{
	while (!kr_list_empty(records))
		make_due_locked(record_of(records->next), reason, epoll);
}

static void
abandon_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	end_list_locked(&timed, KR_SYNC_WATCHER_LOST, -1);
	end_list_locked(&untimed, KR_SYNC_WATCHER_LOST, -1);
	alarm_fd = -1;
}

static void
stop_locked(int epoll) KR_REQUIRES(kr_sync_reactor_lock)
{
	end_list_locked(&timed, KR_SYNC_WATCHER_STOPPED, epoll);
	end_list_locked(&untimed, KR_SYNC_WATCHER_STOPPED, epoll);
	set_alarm_locked(true);
}

/* What the watchers that a forked child has forgotten point to. */
static struct kr_sync_record forgotten;

static void
forget_list(struct kr_list *records)
{
	struct kr_sync_record *record;

	kr_list_for_each (record, records, link)
		record->watcher->record = &forgotten;
	free_list(records);
}

static void
forget_locked(void) KR_REQUIRES(kr_sync_reactor_lock)
{
	forget_list(&timed);
	forget_list(&untimed);
	forget_list(&due);
	free_list(&spent);
	spent_count = 0;
	kr_fd_close(&alarm_fd);
}

static const struct kr_sync_loop_client client = {
	.busy_locked = busy_locked,
	.finish_locked = finish_locked,
	.abandon_locked = abandon_locked,
	.stop_locked = stop_locked,
	.forget_locked = forget_locked,
};

/* From the back: most deadlines are one delay from now. */
static void
insert_locked(struct kr_sync_record *record) KR_REQUIRES(kr_sync_reactor_lock)
{
	struct kr_list *at = timed.prev;

	if (record->deadline == KR_FOREVER) {
		kr_list_append(&untimed, &record->link);
		return;
	}
	while (at != &timed && record_of(at)->deadline > record->deadline)
		at = at->prev;
	kr_list_insert(at, &record->link);
	if (at == &timed)
		set_alarm_locked(false);
}

static int
add_locked(struct kr_sync_watcher *watcher, struct kr_sync_record *record)
	KR_REQUIRES(kr_sync_reactor_lock)
{
	struct epoll_event event = {.events = watcher->events, .data.ptr = &record->source};
	int epoll;
	int err = kr_sync_loop_open_locked(&client, &epoll);

	if (!err)
		err = open_alarm_locked(epoll);
	if (!err && watcher->fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, watcher->fd, &event))
		err = -errno;
	if (err) {
		if (!kr_sync_loop_in_batch_locked())
			close_alarm_locked();
		return err;
	}
	watcher->record = record;
	insert_locked(record);
	return 0;
}

KR_PRIVATE int
kr_sync_watcher_add(struct kr_sync_watcher *watcher)
{
	struct kr_sync_loop_visit visit;
	struct kr_sync_record *record;
	int err;

	if (watcher->fd < 0 && watcher->deadline_ns == KR_FOREVER)
		return -EINVAL;
	err = kr_sync_fork_init();
	if (err)
		return err;
	record = calloc(1, sizeof(*record));
	if (!record)
		return -ENOMEM;
	record->source.handle_locked = handle_fd_locked;
	record->watcher = watcher;
	record->fd = watcher->fd;
	record->deadline = watcher->deadline_ns;
	kr_list_init(&record->link);
	kr_sync_loop_enter(&visit);
	err = add_locked(watcher, record);
	kr_sync_loop_leave(&visit);
	if (err)
		free(record);
	return err;
}

static void
remove_locked(struct kr_sync_record *record) KR_REQUIRES(kr_sync_reactor_lock)
{
	unwatch_locked(record, kr_sync_loop_epoll_locked());
	kr_list_remove(&record->link);
	record->watcher = NULL;
	if (!kr_sync_loop_in_batch_locked()) {
		free(record);
		close_alarm_locked();
		kr_sync_loop_settle_locked();
		return;
	}
	kr_list_append(&spent, &record->link);
	if (++spent_count >= MAX_SPENT || !busy_locked())
		set_alarm_locked(true);
}

bool
kr_sync_watcher_remove(struct kr_sync_watcher *watcher)
{
	struct kr_sync_record *record;
	bool removed;

	kr_mutex_lock(&kr_sync_reactor_lock);
	record = watcher->record;
	removed = record && !record->due;
	if (removed)
		watcher->record = NULL;
	if (removed && record != &forgotten)
		remove_locked(record);
	kr_mutex_unlock(&kr_sync_reactor_lock);
	return removed;
}
