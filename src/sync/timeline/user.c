/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of user-space fences. Open points are the producer ends of their fences, in a
 * heap by value (points.h).
 *
 * Order: who signals takes out one point at a time and sends unlocked; the timeline's value
 * follows each of them. So a fence that is asked for meanwhile is either one of an open point,
 * which is sent after those before it, or of a value that is reached, all of whose
 * predecessors have been sent.
 *
 * A fence that nobody holds any more leaves its point behind, and nothing tells. Before
 * the heap grows, and when descriptors run out, all are asked: that costs each point a
 * constant number of times.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/fence/fence.h"
#include "sync/fence/own_points.h"
#include "sync/fence/user_fence.h"
#include "sync/timeline/impl.h"
#include "sync/timeline/points.h"
#include "util/clock.h"
#include "util/fd.h"

struct user {
	_Atomic uint64_t value; /* written under the timeline's lock */
	uint64_t number;        /* own_points.h */
	struct kr_timeline_points points;
	struct kr_timeline_failures failures;
};

static struct user *
user_of(struct kr_timeline *timeline)
{
	return timeline->state.user;
}

static int
user_open(struct kr_timeline *timeline)
{
	struct user *user = calloc(1, sizeof(*user));

	if (!user)
		return -ENOMEM;
	user->number = kr_own_points_new_timeline();
	timeline->state.user = user;
	return 0;
}

static void
init_packet(const struct kr_timeline *timeline, const char *name, int status,
	struct kr_sync_points *points)
{
	struct sync_fence_info *point = &points->point[0];
	int64_t now = kr_clock_now();

	kr_sync_points_init(points, name);
	points->status = status;
	points->timestamp = now;
	points->count = 1;
	*point = (struct sync_fence_info){.status = status, .timestamp_ns = (uint64_t)now};
	memcpy(point->obj_name, timeline->name, sizeof(point->obj_name));
	kr_sync_text_copy(point->driver_name, "krafla");
}

/* The name is the label's, which the fence has had from its beginning. */
static void
send_end(struct kr_timeline *timeline, int take_producer, int status)
{
	struct kr_sync_points points;

	init_packet(timeline, NULL, status, &points);
	kr_sync_user_signal(take_producer, &points);
}

static int
create_done(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	struct user *user = user_of(timeline);
	struct kr_sync_points points;
	int error = kr_timeline_failures_find(&user->failures, value);

	init_packet(timeline, name, error ? error : KR_FENCE_SIGNALLED, &points);
	return kr_sync_user_create_done(&points, fence);
}

static int
create_open(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	struct kr_fence_label label = {timeline->name, value, name};
	struct kr_own_point own = {.timeline = user_of(timeline)->number, .value = value};
	struct kr_timeline_points *points = &user_of(timeline)->points;
	int producer, made;
	int err = kr_timeline_points_reserve(points);

	if (err)
		return err;
	err = kr_fence_create(&label, &producer, &made);
	if ((err == -EMFILE || err == -ENFILE) && kr_timeline_points_sweep(points))
		err = kr_fence_create(&label, &producer, &made);
	if (err)
		return err;
	own.cookie = kr_sync_user_cookie(made);
	err = kr_own_points_add(&own);
	if (err) {
		kr_sync_producers_close(producer);
		kr_fd_close(&made);
		return err;
	}
	kr_timeline_points_push(points, value, own.cookie, producer);
	*fence = made;
	return 0;
}

static int
user_fence_locked(struct kr_timeline *timeline, const char *name, uint64_t value, int *fence)
{
	if (value <= atomic_load_explicit(&user_of(timeline)->value, memory_order_relaxed))
		return create_done(timeline, name, value, fence);
	return create_open(timeline, name, value, fence);
}

/* The next point up to `value`; when there is none the timeline is at `value`, and false. */
static bool
take_next(
	struct kr_timeline *timeline, uint64_t done, uint64_t value, struct kr_timeline_point *next)
{
	struct user *user = user_of(timeline);
	bool found;

	kr_mutex_lock(&timeline->lock);
	found = kr_timeline_points_pop(&user->points, value, next);
	atomic_store_explicit(&user->value, found ? done : value, memory_order_release);
	kr_mutex_unlock(&timeline->lock);
	if (found)
		kr_own_points_remove(next->cookie);
	return found;
}

static int
user_reach(struct kr_timeline *timeline, uint64_t value, int error)
{
	struct user *user = user_of(timeline);
	uint64_t done = atomic_load_explicit(&user->value, memory_order_relaxed);
	struct kr_timeline_point point;
	int err = 0;

	if (error) {
		kr_mutex_lock(&timeline->lock);
		err = kr_timeline_failures_add(&user->failures, value, error);
		kr_mutex_unlock(&timeline->lock);
	}
	if (err)
		return err;
	while (take_next(timeline, done, value, &point)) {
		send_end(timeline, point.producer,
			error && point.value == value ? error : KR_FENCE_SIGNALLED);
		done = point.value;
	}
	return 0;
}

static uint64_t
user_value(struct kr_timeline *timeline)
{
	return atomic_load_explicit(&user_of(timeline)->value, memory_order_acquire);
}

static void
user_close(struct kr_timeline *timeline)
{
	struct user *user = user_of(timeline);
	struct kr_timeline_point point;

	while (kr_timeline_points_pop(&user->points, UINT64_MAX, &point)) {
		kr_own_points_remove(point.cookie);
		send_end(timeline, point.producer, -ENOENT);
	}
	kr_timeline_points_finish(&user->points);
	kr_timeline_failures_finish(&user->failures);
	free(user);
}

/*
 * The producer ends went at fork (fork.h). What the lists point to is not freed: another thread of
 * the parent may have been changing them.
 */
static void
user_forget(struct kr_timeline *timeline)
{
	free(user_of(timeline));
}

const struct kr_timeline_impl kr_timeline_user = {
	.word = "user",
	.open = user_open,
	.close = user_close,
	.forget = user_forget,
	.fence_locked = user_fence_locked,
	.reach = user_reach,
	.value = user_value,
};
