/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for a buffer. Problem: several threads may wait for a buffer, while buffers come back in
 * three ways: from the sink's descriptors, from a consumer in another thread, from another producer
 * thread (cancel). Idea: one waiter at a time is the poller; it polls the sink's descriptors and an
 * eventfd, everybody else waits on the condition. Whoever changes anything counts `changes`, wakes
 * the condition, and writes the eventfd only while the poller really polls. Invariant: a waiter
 * looks at the slots under the lock after the last change that it hasn't seen, and only then
 * sleeps.
 */
#include "window/queue/queue.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"

/* Counts the silence of a sink that can be pinged. -ENODEV: it has lasted too long. */
static int
watch_silence_locked(struct kr_queue *queue, bool heard, int64_t *until_ns) KR_REQUIRES(queue->lock)
{
	int64_t half = kr_sink_answer_ns() / 2;
	int64_t now = kr_clock_now();

	*until_ns = KR_FOREVER;
	if (!queue->sink->impl->ping || !queue->with_sink)
		return 0;
	if (heard || !queue->silent_since) {
		queue->silent_since = now;
		queue->pinged_at = 0;
	}
	*until_ns = (queue->pinged_at ? queue->pinged_at : queue->silent_since) + half;
	if (!queue->pinged_at || now < *until_ns)
		return 0;
	kr_error("window: the display doesn't answer for %lld ms with %u frames due; giving it up",
		(long long)((now - queue->silent_since) / KR_NSEC_PER_MSEC), queue->with_sink);
	kr_queue_abandon_locked(queue);
	return -ENODEV;
}

/* Lets the sink take in what came and tells it that a producer waits. Drops the lock. */
static int
visit_sink_locked(struct kr_queue *queue, int64_t deadline_ns, struct pollfd *fds, int *fd_count)
	KR_REQUIRES(queue->lock)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	bool tell, ping;
	int came = 0;

	if (kr_queue_enter_sink_locked(queue, deadline_ns))
		return -ETIMEDOUT;
	if (queue->abandoned) {
		kr_queue_leave_sink_locked(queue);
		return -ENODEV;
	}
	tell = impl->waiting && !queue->told_waiting && queue->starving;
	if (tell)
		queue->told_waiting = true;
	queue->nudged = false;
	ping = impl->ping && queue->with_sink && queue->silent_since && !queue->pinged_at &&
		kr_clock_now() - queue->silent_since >= kr_sink_answer_ns() / 2;
	kr_mutex_unlock(&queue->lock);
	if (impl->dispatch)
		came = impl->dispatch(queue->sink);
	if (came == 0 && tell)
		impl->waiting(queue->sink);
	if (came == 0 && ping)
		impl->ping(queue->sink);
	*fd_count = impl->poll_fds ? impl->poll_fds(queue->sink, fds) : 0;
	kr_mutex_lock(&queue->lock);
	if (came > 0 && tell)
		queue->told_waiting = false;
	if (came == 0 && ping)
		queue->pinged_at = kr_clock_now();
	if (came < 0)
		kr_queue_abandon_locked(queue);
	/* The far end may have asked for it. */
	kr_queue_sweep_locked(queue);
	kr_queue_leave_sink_locked(queue);
	return came < 0 ? -ENODEV : came;
}

static int
poll_locked(struct kr_queue *queue, struct pollfd *fds, int fd_count, int64_t deadline_ns)
	KR_REQUIRES(queue->lock)
{
	eventfd_t count;
	int err;

	fds[fd_count] = (struct pollfd){.fd = queue->wake, .events = POLLIN};
	queue->polling = true;
	kr_mutex_unlock(&queue->lock);
	err = kr_fd_poll(fds, (nfds_t)fd_count + 1, deadline_ns);
	if (fds[fd_count].revents && eventfd_read(queue->wake, &count))
		count = 0;
	kr_mutex_lock(&queue->lock);
	queue->polling = false;
	if (err >= 0)
		return 0;
	kr_error("window: can't wait for the display: poll: %s", strerror(-err));
	kr_queue_abandon_locked(queue);
	return -ENODEV;
}

/* One round of the poller. 0: look again; -ETIMEDOUT; -ENODEV. */
static int
poll_sink_locked(struct kr_queue *queue, int64_t deadline_ns) KR_REQUIRES(queue->lock)
{
	struct pollfd fds[KR_SINK_MAX_POLL + 1];
	uint64_t changes = queue->changes;
	int64_t silent_until;
	int fd_count = 0;
	int came = visit_sink_locked(queue, deadline_ns, fds, &fd_count);
	int err;

	if (came < 0)
		return came;
	err = watch_silence_locked(queue, came > 0, &silent_until);
	if (err)
		return err;
	/* However much comes: who is late is done, but for one more look of the caller's. */
	if (deadline_ns <= kr_clock_now())
		return -ETIMEDOUT;
	/* `changes` counts the visit itself only when a slot came back or the limits moved. */
	if (queue->changes != changes)
		return 0;
	return poll_locked(queue, fds, fd_count, KR_MIN(deadline_ns, silent_until));
}

/* A sink without descriptors: whatever happens wakes the condition. */
static int
wait_quietly_locked(struct kr_queue *queue, int64_t deadline_ns, bool starves)
	KR_REQUIRES(queue->lock)
{
	uint64_t changes = queue->changes;
	struct pollfd none[KR_SINK_MAX_POLL];
	int count;
	int came = 0;

	if (starves && !queue->told_waiting && queue->sink->impl->waiting)
		came = visit_sink_locked(queue, deadline_ns, none, &count);
	if (came < 0 || queue->changes != changes)
		return KR_MIN(came, 0);
	if (kr_cond_wait_until(&queue->changed, &queue->lock, KR_MAX(deadline_ns, 0)) == -ETIMEDOUT)
		return queue->changes == changes ? -ETIMEDOUT : 0;
	return 0;
}

static int
wait_locked(struct kr_queue *queue, int64_t deadline_ns, bool starves) KR_REQUIRES(queue->lock)
{
	int err;

	if (!queue->sink_polls)
		return wait_quietly_locked(queue, deadline_ns, starves);
	if (queue->has_poller) {
		uint64_t changes;

		/* Who waits for something else may poll without having told the sink. */
		if (starves && !queue->told_waiting && !queue->nudged &&
			queue->sink->impl->waiting) {
			queue->nudged = true;
			kr_queue_wake_locked(queue);
		}
		changes = queue->changes;
		err = kr_cond_wait_until(&queue->changed, &queue->lock, KR_MAX(deadline_ns, 0));
		return err == -ETIMEDOUT && queue->changes == changes ? -ETIMEDOUT : 0;
	}
	queue->has_poller = true;
	err = poll_sink_locked(queue, deadline_ns);
	queue->has_poller = false;
	/* Somebody else may have to take over. */
	kr_cond_broadcast(&queue->changed);
	return err;
}

int
kr_queue_wait_locked(struct kr_queue *queue, int64_t deadline_ns, bool starves)
{
	int err;

	queue->starving += starves;
	err = wait_locked(queue, deadline_ns, starves);
	queue->starving -= starves;
	return err;
}

void
kr_queue_listen_locked(struct kr_queue *queue)
{
	int came;

	/* A sink that is busy is being listened to already. */
	if (queue->abandoned || !queue->sink->impl->dispatch ||
		kr_queue_enter_sink_locked(queue, 0))
		return;
	kr_mutex_unlock(&queue->lock);
	came = queue->sink->impl->dispatch(queue->sink);
	kr_mutex_lock(&queue->lock);
	if (came < 0)
		kr_queue_abandon_locked(queue);
	kr_queue_sweep_locked(queue);
	kr_queue_leave_sink_locked(queue);
}

bool
kr_queue_alive(struct kr_queue *queue)
{
	struct kr_log_hold hold;
	bool alive;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	kr_queue_listen_locked(queue);
	alive = !queue->abandoned;
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return alive;
}
