/* SPDX-License-Identifier: Apache-2.0 */
/* Dequeue: a slot (find.c) with a buffer that fits, and its fence. */
#include "window/queue/queue.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/queue/core.h"

/* Tells the sink of the new buffer in place of the old one. Inside the sink, lock dropped. */
static int
announce(struct kr_queue *queue, uint32_t index, struct kr_buffer *old, struct kr_buffer *new)
{
	const struct kr_sink_impl *impl = queue->sink->impl;

	if (old && impl->remove_buffer)
		impl->remove_buffer(queue->sink, index, old);
	kr_buffer_unref(old);
	return impl->add_buffer ? impl->add_buffer(queue->sink, index, new) : 0;
}

/* Nothing came of it: a buffer that the sink knows still goes as soon as may be. */
static void
give_slot_up_locked(struct kr_queue *queue, struct kr_slot *slot) KR_REQUIRES(queue->lock)
{
	slot->allocating = false;
	slot->stale = slot->buffer != NULL;
	kr_queue_free_slot_locked(queue, slot, -1);
}

int
kr_queue_put_locked(struct kr_queue *queue, uint32_t index, struct kr_buffer *take_buffer,
	uint64_t generation, bool is_new)
{
	struct kr_slot *slot = &queue->slots[index];
	struct kr_buffer *old;
	int told, err;

	slot->allocating = true;
	/* Without a limit it is always let in. */
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (err)
		goto out;
	/* The sink knows the generation by when it is told of a buffer. */
	if (is_new)
		kr_buffer_set_generation(take_buffer, queue->buffer_generation);
	/* Two threads may have brought the same one. */
	if (kr_buffer_generation(take_buffer) != queue->buffer_generation ||
		kr_queue_has_locked(queue, take_buffer)) {
		kr_queue_leave_sink_locked(queue);
		err = -EINVAL;
		goto out;
	}
	old = kr_queue_empty_slot_locked(queue, slot);
	kr_mutex_unlock(&queue->lock);
	told = announce(queue, index, old, take_buffer);
	kr_mutex_lock(&queue->lock);
	kr_queue_leave_sink_locked(queue);
	if (told == -EPIPE)
		kr_queue_abandon_locked(queue);
	err = told == -EPIPE ? -ENODEV : told;
	if (err)
		goto out;
	slot->buffer = take_buffer;
	slot->gpu_told = false;
	take_buffer = NULL;
	if (queue->generation != generation || queue->abandoned)
		err = -ENODEV;
out:
	slot->allocating = false;
	if (err)
		give_slot_up_locked(queue, slot);
	kr_buffer_unref(take_buffer);
	return err;
}

int
kr_queue_reallocate_locked(
	struct kr_queue *queue, uint32_t index, const struct kr_buffer_desc *desc)
{
	struct kr_slot *slot = &queue->slots[index];
	uint64_t generation = queue->generation;
	struct kr_buffer *new;
	int err;

	slot->allocating = true;
	kr_mutex_unlock(&queue->lock);
	err = kr_buffer_allocate(desc, &new);
	kr_mutex_lock(&queue->lock);
	if (err) {
		give_slot_up_locked(queue, slot);
		return err;
	}
	return kr_queue_put_locked(queue, index, new, generation, true);
}

void
kr_queue_tell_activity_locked(
	struct kr_queue *queue, uint32_t index, uint64_t buffer_id, bool cancelled)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	const struct kr_slot *slot = &queue->slots[index];

	if (!queue->tells_activity || !impl->activity || queue->abandoned ||
		kr_queue_enter_sink_locked(queue, KR_FOREVER))
		return;
	/* Who was inside meanwhile may have told the sink that it has gone. */
	if (slot->buffer && kr_buffer_get_info(slot->buffer)->id == buffer_id) {
		kr_mutex_unlock(&queue->lock);
		impl->activity(queue->sink, index, buffer_id, cancelled);
		kr_mutex_lock(&queue->lock);
	}
	kr_queue_leave_sink_locked(queue);
}

/* The slot is the producer's; what it is told of it. */
static void
hand_out_locked(struct kr_queue *queue, uint32_t index, struct kr_queue_dequeued *dequeued)
	KR_REQUIRES(queue->lock)
{
	struct kr_slot *slot = &queue->slots[index];

	*dequeued = (struct kr_queue_dequeued){
		.slot = index,
		.fence = slot->fence,
		.age = slot->number ? (uint32_t)(queue->frames + 1 - slot->number) : 0,
		.flags = slot->requested ? 0 : KR_QUEUE_NEEDS_REALLOCATION,
	};
	slot->fence = -1;
	slot->brought = false;
	if (queue->tells_activity)
		kr_queue_tell_activity_locked(
			queue, index, kr_buffer_get_info(slot->buffer)->id, false);
}

static int
dequeue_locked(struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_queue_call *call, struct kr_queue_dequeued *dequeued) KR_REQUIRES(queue->lock)
{
	struct kr_buffer_desc desc;
	struct kr_slot *slot;
	uint32_t index = 0;
	int err = kr_queue_find_locked(queue, KR_SLOT_TO_DEQUEUE, request, call, &desc, &index);

	if (err)
		return err;
	slot = &queue->slots[index];
	queue->silent_since = 0;
	slot->state = KR_SLOT_DEQUEUED;
	kr_queue_share_locked(queue, index);
	if (!slot->buffer || !kr_queue_buffer_fits(slot->buffer, &desc))
		err = kr_queue_reallocate_locked(queue, index, &desc);
	if (!err)
		hand_out_locked(queue, index, dequeued);
	return err;
}

int
kr_queue_dequeue_slot(struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_queue_dequeued *dequeued)
{
	char name[KR_SYNC_TEXT];
	struct kr_queue_call call;
	int err;

	kr_queue_begin(queue, &call, request->deadline_ns);
	err = dequeue_locked(queue, request, &call, dequeued);
	if (!err)
		kr_queue_fence_name_locked(queue, dequeued->slot, name);
	kr_queue_end(queue, &call);
	if (!err)
		kr_fence_rename_held(name, &dequeued->fence);
	return err;
}

int
kr_queue_request_buffer(struct kr_queue *queue, uint32_t slot, struct kr_buffer **buffer)
{
	int err = -EINVAL;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned || !queue->api) {
		err = -ENODEV;
	} else if (slot < KR_QUEUE_SLOTS && kr_slot_is_dequeued(&queue->slots[slot])) {
		queue->slots[slot].requested = true;
		*buffer = queue->slots[slot].buffer;
		err = 0;
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_dequeue(struct kr_queue *queue, const struct kr_queue_request *request, uint32_t *slot,
	struct kr_buffer **buffer, int *fence)
{
	struct kr_queue_dequeued dequeued;
	int err = kr_queue_dequeue_slot(queue, request, &dequeued);

	if (err)
		return err;
	err = kr_queue_request_buffer(queue, dequeued.slot, buffer);
	if (err) {
		/* Another thread has disconnected meanwhile. */
		kr_fd_close(&dequeued.fence);
		return err;
	}
	*slot = dequeued.slot;
	*fence = dequeued.fence;
	return 0;
}
