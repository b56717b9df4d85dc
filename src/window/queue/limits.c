/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many buffers a queue may have, and where it stands. A limit that is lowered takes away what
 * is free; the rest goes when it comes back.
 */
#include "window/queue/far_end.h"

#include <errno.h>

#include "window/queue/core.h"
#include "window/queue/sink.h"

/* Whether so many may be dequeued and acquired at a time. */
static bool
fits(const struct kr_queue *queue, uint32_t acquired, uint32_t dequeued, bool extra)
{
	return acquired + dequeued + extra <= queue->config.max_buffers;
}

static void
changed_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	kr_queue_trim_locked(queue);
	kr_queue_wake_locked(queue);
}

int
kr_queue_set_async(struct kr_queue *queue, bool async)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned) {
		err = -ENODEV;
	} else if (async != queue->async &&
		!fits(queue, queue->config.max_acquired, queue->max_dequeued,
			async || queue->cannot_block)) {
		err = -EINVAL;
	} else {
		queue->async = async;
		changed_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

static int
set_dequeued_locked(struct kr_queue *queue, uint32_t count) KR_REQUIRES(queue->lock)
{
	if (queue->abandoned)
		return -ENODEV;
	if (count == queue->max_dequeued)
		return 0;
	if (!count || count > KR_QUEUE_SLOTS || kr_queue_dequeued_locked(queue) > count ||
		!fits(queue, kr_queue_min_undequeued_locked(queue), count, false))
		return -EINVAL;
	queue->max_dequeued = count;
	changed_locked(queue);
	return 0;
}

int
kr_queue_set_max_dequeued(struct kr_queue *queue, uint32_t count)
{
	int err;

	kr_mutex_lock(&queue->lock);
	err = set_dequeued_locked(queue, count);
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_set_buffer_count(struct kr_queue *queue, uint32_t count)
{
	uint32_t least;
	int err;

	kr_mutex_lock(&queue->lock);
	least = kr_queue_min_undequeued_locked(queue);
	if (!queue->abandoned && count && count <= least)
		err = -EINVAL;
	else
		err = set_dequeued_locked(queue, count ? count - least : 1);
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_set_timeout(struct kr_queue *queue, int64_t timeout_ns)
{
	kr_mutex_lock(&queue->lock);
	queue->timeout_ns = timeout_ns;
	if (timeout_ns > 0)
		queue->can_drop = false;
	if (timeout_ns >= 0 && queue->cannot_block) {
		queue->cannot_block = false;
		changed_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	return 0;
}

int
kr_queue_set_max_acquired(struct kr_queue *queue, uint32_t count)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned) {
		err = -ENODEV;
	} else if (!count || count > KR_QUEUE_MAX_ACQUIRED ||
		kr_queue_taken_locked(queue) > count ||
		!fits(queue, count, queue->max_dequeued, queue->async || queue->cannot_block)) {
		err = -EINVAL;
	} else {
		queue->config.max_acquired = count;
		changed_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

void
kr_queue_told_max_acquired(struct kr_queue *queue, uint32_t count)
{
	kr_mutex_lock(&queue->lock);
	if (queue->config.max_acquired != count) {
		queue->config.max_acquired = count;
		changed_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
}

int
kr_queue_set_max_buffers(struct kr_queue *queue, uint32_t count)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned)
		err = -ENODEV;
	else if (!count || count > KR_QUEUE_SLOTS || count <= queue->config.max_acquired)
		err = -EINVAL; /* the producer has one, too */
	else if (queue->api)
		err = -ENOSYS;
	else
		queue->config.max_buffers = count;
	kr_mutex_unlock(&queue->lock);
	return err;
}

uint32_t
kr_queue_min_undequeued(struct kr_queue *queue)
{
	uint32_t count;

	kr_mutex_lock(&queue->lock);
	count = kr_queue_min_undequeued_locked(queue);
	kr_mutex_unlock(&queue->lock);
	return count;
}

uint32_t
kr_queue_max_buffers(struct kr_queue *queue)
{
	uint32_t count;

	kr_mutex_lock(&queue->lock);
	count = queue->config.max_buffers;
	kr_mutex_unlock(&queue->lock);
	return count;
}

uint32_t
kr_queue_buffer_age(struct kr_queue *queue, uint32_t slot)
{
	uint32_t age = 0;

	kr_mutex_lock(&queue->lock);
	if (slot < KR_QUEUE_SLOTS && queue->slots[slot].state == KR_SLOT_DEQUEUED &&
		queue->slots[slot].number)
		age = (uint32_t)(queue->frames + 1 - queue->slots[slot].number);
	kr_mutex_unlock(&queue->lock);
	return age;
}

uint64_t
kr_queue_next_frame(struct kr_queue *queue)
{
	uint64_t number;

	kr_mutex_lock(&queue->lock);
	number = queue->frames + 1;
	kr_mutex_unlock(&queue->lock);
	return number;
}

bool
kr_queue_next_wanted(struct kr_queue *queue)
{
	bool wanted;

	kr_mutex_lock(&queue->lock);
	wanted = kr_wanted_frame(&queue->wanted, queue->frames + 1);
	/* With times nobody knows beforehand which picture has which frame. */
	wanted |= queue->has_timed && queue->wanted.last.every;
	kr_mutex_unlock(&queue->lock);
	return wanted;
}

void
kr_queue_set_wants(struct kr_queue *queue, const struct kr_wants *wants)
{
	kr_mutex_lock(&queue->lock);
	kr_wanted_set(&queue->wanted, wants, queue->frames);
	kr_mutex_unlock(&queue->lock);
}

bool
kr_queue_running_behind(struct kr_queue *queue)
{
	bool behind;

	kr_mutex_lock(&queue->lock);
	behind = kr_queue_pending_locked(queue) > (queue->sink->impl->tells_taken ? 1 : 0);
	kr_mutex_unlock(&queue->lock);
	return behind;
}
