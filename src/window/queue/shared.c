/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared buffer mode: one slot that the producer has and the far end shows at the same time. What
 * the far end sees of it is in frame.h; what becomes of the slot when the mode ends:
 *
 *   with the sink, queued      as any: it comes back when another has taken its place
 *   with the sink, dequeued    may be queued on until a frame of another slot was (shared_over)
 *   not with the sink          an ordinary slot again
 */
#include "window/queue/queue.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "window/queue/core.h"

/* One that can go on; KR_QUEUE_SLOTS: none. */
static uint32_t
find_shared_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		const struct kr_slot *slot = &queue->slots[i];

		if (slot->shared && slot->state != KR_SLOT_FREE && !slot->stale &&
			!slot->shared_over)
			return i;
	}
	return KR_QUEUE_SLOTS;
}

static void
set_shared_locked(struct kr_queue *queue, bool shared) KR_REQUIRES(queue->lock)
{
	if (queue->shared == shared)
		return;
	queue->shared = shared;
	if (shared) {
		queue->shared_slot = find_shared_locked(queue);
	} else if (queue->shared_slot < KR_QUEUE_SLOTS) {
		struct kr_slot *slot = &queue->slots[queue->shared_slot];

		slot->shared = slot->at_sink != 0;
		queue->shared_slot = KR_QUEUE_SLOTS;
	}
	kr_queue_wake_locked(queue);
}

void
kr_queue_share_locked(struct kr_queue *queue, uint32_t index)
{
	uint32_t before = queue->shared_slot;

	if (!queue->shared || before == index)
		return;
	/* Its buffer went before it was queued. */
	if (before < KR_QUEUE_SLOTS)
		queue->slots[before].shared = queue->slots[before].at_sink != 0;
	queue->slots[index].shared = true;
	queue->shared_slot = index;
	queue->has_shared = true;
}

void
kr_queue_end_sharing_locked(struct kr_queue *queue)
{
	set_shared_locked(queue, false);
	queue->auto_refresh = false;
}

void
kr_queue_pass_shared_locked(struct kr_queue *queue, uint32_t index)
{
	if (!queue->has_shared || queue->slots[index].shared)
		return;
	queue->has_shared = false;
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (!queue->slots[i].shared)
			continue;
		/* One that was dequeued only is yet to come. */
		queue->has_shared = true;
		if (!queue->slots[i].at_sink)
			continue;
		queue->slots[i].shared_over = true;
		if (queue->shared_slot == i)
			queue->shared_slot = KR_QUEUE_SLOTS;
	}
}

int
kr_queue_set_shared(struct kr_queue *queue, bool shared)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned)
		err = -ENODEV;
	else if (shared && !(queue->config.abilities.modes & KR_ABILITY_SHARED))
		err = -EOPNOTSUPP;
	else
		set_shared_locked(queue, shared);
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_set_auto_refresh(struct kr_queue *queue, bool auto_refresh)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned)
		err = -ENODEV;
	else if (auto_refresh &&
		!(queue->config.abilities.modes & KR_ABILITY(KR_PRESENT_SHARED_CONTINUOUS)))
		err = -EOPNOTSUPP;
	else
		queue->auto_refresh = auto_refresh;
	kr_mutex_unlock(&queue->lock);
	return err;
}

struct kr_buffer *
kr_queue_get_shared(struct kr_queue *queue, const struct kr_buffer *buffer)
{
	struct kr_buffer *shared = NULL;

	kr_mutex_lock(&queue->lock);
	if (buffer && queue->shared && queue->shared_slot < KR_QUEUE_SLOTS &&
		queue->slots[queue->shared_slot].buffer == buffer)
		shared = kr_buffer_ref(queue->slots[queue->shared_slot].buffer);
	kr_mutex_unlock(&queue->lock);
	return shared;
}
