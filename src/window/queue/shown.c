/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frames were shown or have come back, and when the far end's screen begins anew. All of it
 * comes from the sink, at any time; who waits for it takes in what the sink has, like who waits for
 * a buffer.
 */
#include "window/queue/queue.h"

#include <errno.h>

#include "util/clock.h"
#include "util/log.h"
#include "window/queue/core.h"
#include "window/queue/sink.h"

void
kr_queue_shown(struct kr_queue *queue, uint64_t number, int64_t time_ns)
{
	kr_mutex_lock(&queue->lock);
	kr_queue_told_locked(queue, number, time_ns);
	kr_queue_shown_locked(queue, number);
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_vblank(struct kr_queue *queue, uint64_t count, int64_t time_ns)
{
	kr_mutex_lock(&queue->lock);
	queue->vblank_asked = false;
	queue->vblank_answers++;
	queue->vblank_count = count;
	queue->vblank_ns = time_ns;
	kr_queue_wake_locked(queue);
	kr_mutex_unlock(&queue->lock);
}

static int
wait_shown_locked(struct kr_queue *queue, uint64_t number, int64_t deadline_ns)
	KR_REQUIRES(queue->lock)
{
	while (queue->shown < number) {
		int err = queue->abandoned ? -ENODEV
					   : kr_queue_wait_locked(queue, deadline_ns, false);

		/* What came last counts, whatever came of the wait. */
		if (err)
			return queue->shown < number ? err : 0;
	}
	return 0;
}

int
kr_queue_wait_shown(struct kr_queue *queue, uint64_t number, int64_t deadline_ns)
{
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	queue->shown_waiters++;
	err = wait_shown_locked(queue, number, deadline_ns);
	queue->shown_waiters--;
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

uint64_t
kr_queue_last_shown(struct kr_queue *queue)
{
	struct kr_log_hold hold;
	uint64_t number;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	kr_queue_listen_locked(queue);
	number = queue->shown;
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return number;
}

int
kr_queue_shown_time(struct kr_queue *queue, uint64_t number, int64_t *time_ns)
{
	struct kr_log_hold hold;
	int64_t told_ns;
	int err = 0;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	kr_queue_listen_locked(queue);
	told_ns = kr_queue_told_time_locked(queue, number);
	if (!queue->config.abilities.tells_shown)
		err = -EOPNOTSUPP;
	else if (told_ns != KR_TIME_INVALID)
		*time_ns = told_ns;
	else
		err = number > queue->shown ? -EAGAIN : -ENOENT;
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

static bool
is_at_sink_locked(const struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock)
{
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (queue->slots[i].at_sink == number)
			return true;
	}
	return false;
}

int
kr_queue_came_back_time(struct kr_queue *queue, uint64_t number, int64_t *time_ns)
{
	const struct kr_frame_times *times = &queue->history[number % KR_FRAME_HISTORY].times;
	struct kr_log_hold hold;
	int err = 0;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	kr_queue_listen_locked(queue);
	if (number && times->number == number && times->dequeue_ready_ns >= 0)
		*time_ns = times->dequeue_ready_ns;
	else
		err = number && is_at_sink_locked(queue, number) ? -EAGAIN : -ENOENT;
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

/* Asks unless somebody has. 0; -ETIMEDOUT; -ENODEV; the sink's error. Drops the lock. */
static int
ask_locked(struct kr_queue *queue, int64_t deadline_ns) KR_REQUIRES(queue->lock)
{
	int err;

	if (queue->vblank_asked)
		return 0;
	if (kr_queue_enter_sink_locked(queue, deadline_ns))
		return -ETIMEDOUT;
	if (queue->vblank_asked || queue->abandoned) {
		kr_queue_leave_sink_locked(queue);
		return queue->abandoned ? -ENODEV : 0;
	}
	queue->vblank_asked = true;
	kr_mutex_unlock(&queue->lock);
	err = queue->sink->impl->watch_vblank(queue->sink);
	kr_mutex_lock(&queue->lock);
	if (err) {
		queue->vblank_asked = false;
		kr_queue_wake_locked(queue);
	}
	if (err == -EPIPE)
		kr_queue_abandon_locked(queue);
	kr_queue_leave_sink_locked(queue);
	return err == -EPIPE ? -ENODEV : err;
}

static int
wait_vblank_locked(struct kr_queue *queue, int64_t deadline_ns) KR_REQUIRES(queue->lock)
{
	uint64_t answers = queue->vblank_answers;
	int64_t since_ns = kr_clock_now();
	int err = 0;

	while (!err) {
		/* An answer to who asked before may be of a blank before this call. */
		if (queue->vblank_answers != answers && queue->vblank_ns >= since_ns)
			return 0;
		answers = queue->vblank_answers;
		if (queue->abandoned)
			return -ENODEV;
		err = ask_locked(queue, deadline_ns);
		if (!err && queue->vblank_answers == answers)
			err = kr_queue_wait_locked(queue, deadline_ns, false);
	}
	return queue->vblank_answers != answers && queue->vblank_ns >= since_ns ? 0 : err;
}

int
kr_queue_wait_vblank(struct kr_queue *queue, uint64_t *count, int64_t *time_ns, int64_t deadline_ns)
{
	struct kr_log_hold hold;
	int err = -EOPNOTSUPP;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	if (queue->sink->impl->watch_vblank && queue->config.abilities.counters & KR_ABILITY_VBLANK)
		err = wait_vblank_locked(queue, deadline_ns);
	if (!err) {
		*count = queue->vblank_count;
		*time_ns = queue->vblank_ns;
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}
