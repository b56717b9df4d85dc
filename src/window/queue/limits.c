/* SPDX-License-Identifier: Apache-2.0 */
/* How many buffers a queue may have, and what else can be set and asked of it. */
#include "window/queue/queue.h"

#include <errno.h>

#include "window/queue/core.h"

int
kr_queue_set_async(struct kr_queue *queue, bool async)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned) {
		err = -ENODEV;
	} else if (queue->config.max_acquired + async + queue->max_dequeued > KR_QUEUE_SLOTS) {
		err = -EINVAL;
	} else {
		queue->async = async;
		kr_queue_trim_locked(queue);
		kr_queue_wake_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_set_buffer_count(struct kr_queue *queue, uint32_t count)
{
	uint32_t least, dequeued;
	int err = 0;

	kr_mutex_lock(&queue->lock);
	least = kr_queue_min_undequeued_locked(queue);
	dequeued = count ? count - least : 1;
	if (queue->abandoned) {
		err = -ENODEV;
	} else if (count && (count <= least || count > KR_QUEUE_SLOTS)) {
		err = -EINVAL;
	} else if (kr_queue_dequeued_locked(queue) > dequeued) {
		err = -EINVAL;
	} else {
		queue->max_dequeued = dequeued;
		kr_queue_trim_locked(queue);
		kr_queue_wake_locked(queue);
	}
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
	(void)queue;
	return KR_QUEUE_SLOTS;
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
	behind = queue->with_sink > queue->config.max_acquired + 1;
	kr_mutex_unlock(&queue->lock);
	return behind;
}

void
kr_queue_get_config(struct kr_queue *queue, struct kr_queue_config *config)
{
	kr_mutex_lock(&queue->lock);
	*config = queue->config;
	kr_mutex_unlock(&queue->lock);
}

void
kr_queue_configure(struct kr_queue *queue, uint32_t width, uint32_t height, uint32_t transform_hint)
{
	kr_mutex_lock(&queue->lock);
	if (width && height) {
		queue->config.default_width = width;
		queue->config.default_height = height;
	}
	if (transform_hint != KR_HINT_SAME)
		queue->config.transform_hint = transform_hint;
	kr_mutex_unlock(&queue->lock);
}
