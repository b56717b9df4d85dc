/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers that come and go by themselves: attached to a slot and detached from it, at either end. A
 * detached buffer is its taker's: the slot is empty, and the other end forgets it.
 */
#include "window/queue/far_end.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/queue/core.h"
#include "window/queue/sink.h"

/* Whether a buffer may come into this queue, whoever brings it. */
static int
check_locked(const struct kr_queue *queue, const struct kr_buffer *buffer) KR_REQUIRES(queue->lock)
{
	if (queue->abandoned || !queue->api)
		return -ENODEV;
	if (queue->shared || kr_buffer_generation(buffer) != queue->buffer_generation ||
		kr_queue_has_locked(queue, buffer))
		return -EINVAL;
	return kr_buffer_check_shown(&kr_buffer_get_info(buffer)->desc);
}

int
kr_queue_attach(
	struct kr_queue *queue, struct kr_buffer *buffer, int64_t deadline_ns, uint32_t *slot)
{
	struct kr_queue_call call;
	uint32_t index = 0;
	int err;

	kr_queue_begin(queue, &call, deadline_ns);
	err = check_locked(queue, buffer);
	if (!err)
		err = kr_queue_find_locked(queue, KR_SLOT_TO_ATTACH, NULL, &call, NULL, &index);
	/* That may have taken its time. */
	if (!err)
		err = check_locked(queue, buffer);
	if (!err) {
		queue->slots[index].state = KR_SLOT_DEQUEUED;
		err = kr_queue_put_locked(
			queue, index, kr_buffer_ref(buffer), queue->generation, false);
	}
	if (!err) {
		queue->slots[index].requested = true;
		*slot = index;
	}
	kr_queue_end(queue, &call);
	return err;
}

/* The producer has taken a buffer out of its slot: the sink forgets it. Inside the sink. */
static void
tell_detached(struct kr_queue *queue, uint32_t index, struct kr_buffer *buffer)
{
	const struct kr_sink_impl *impl = queue->sink->impl;

	if (impl->detach_buffer)
		impl->detach_buffer(queue->sink, index, buffer);
	else if (impl->remove_buffer)
		impl->remove_buffer(queue->sink, index, buffer);
}

/* Takes the buffer of a slot that is the producer's, or free. Drops the lock. */
static struct kr_buffer *
take_out_locked(struct kr_queue *queue, uint32_t index, int *fence) KR_REQUIRES(queue->lock)
{
	struct kr_slot *slot = &queue->slots[index];
	struct kr_buffer *buffer;

	if (fence) {
		*fence = slot->fence;
		slot->fence = -1;
	}
	buffer = kr_queue_clear_slot_locked(queue, slot);
	/* Nobody puts another one there meanwhile: that is told from inside the sink, too. */
	kr_mutex_unlock(&queue->lock);
	tell_detached(queue, index, buffer);
	kr_mutex_lock(&queue->lock);
	return buffer;
}

static int
check_detach_locked(const struct kr_queue *queue, uint32_t index) KR_REQUIRES(queue->lock)
{
	const struct kr_slot *slot;

	if (queue->abandoned || !queue->api)
		return -ENODEV;
	if (queue->shared || index >= KR_QUEUE_SLOTS)
		return -EINVAL;
	slot = &queue->slots[index];
	return kr_slot_is_dequeued(slot) && !slot->shared && slot->requested ? 0 : -EINVAL;
}

int
kr_queue_detach(struct kr_queue *queue, uint32_t slot, struct kr_buffer **buffer)
{
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (!err) {
		err = check_detach_locked(queue, slot);
		if (!err)
			*buffer = take_out_locked(queue, slot, NULL);
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

int
kr_queue_detach_next(struct kr_queue *queue, struct kr_buffer **buffer, int *fence)
{
	struct kr_log_hold hold;
	uint32_t index;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	/* What has come back is free. */
	kr_queue_listen_locked(queue);
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (!err) {
		if (queue->abandoned || !queue->api)
			err = -ENODEV;
		else if (queue->shared)
			err = -EINVAL;
		else if (!kr_queue_first_free_locked(queue, &index))
			err = -ENOMEM;
		else
			*buffer = take_out_locked(queue, index, fence);
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

int
kr_queue_take_away(struct kr_queue *queue, uint32_t slot, uint64_t number, bool crossed,
	struct kr_buffer **buffer)
{
	struct kr_slot *s;
	int err = 0;

	kr_mutex_lock(&queue->lock);
	s = slot < KR_QUEUE_SLOTS ? &queue->slots[slot] : NULL;
	if (!s || !number || s->at_sink != number) {
		err = -ESTALE;
	} else if (s->shared || (queue->shared && !crossed)) {
		err = -EINVAL;
	} else {
		if (s->stale && number != KR_FRAME_BROUGHT)
			kr_queue_shown_locked(queue, number);
		kr_queue_tell_locked(queue, KR_NOTICE_DETACHED, s, number);
		kr_queue_came_back_locked(queue, number, -1);
		*buffer = kr_queue_clear_slot_locked(queue, s);
		queue->told_waiting = false;
		queue->silent_since = 0;
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

/* The slot is the far end's now, as if a frame of it had been taken. */
static void
put_at_sink_locked(struct kr_queue *queue, struct kr_slot *slot, struct kr_buffer *buffer)
	KR_REQUIRES(queue->lock)
{
	slot->buffer = kr_buffer_ref(buffer);
	slot->gpu_told = true; /* it is the far end's own */
	slot->state = KR_SLOT_QUEUED;
	slot->at_sink = KR_FRAME_BROUGHT;
	slot->brought = true;
	slot->taken = KR_FRAME_BROUGHT;
	queue->with_sink++;
	kr_queue_tell_locked(queue, KR_NOTICE_BROUGHT, slot, 0);
}

/* Inside the sink; drops the lock. */
static int
bring_locked(struct kr_queue *queue, struct kr_buffer *buffer, uint32_t *index)
	KR_REQUIRES(queue->lock)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	struct kr_buffer *old = NULL;
	int err = check_locked(queue, buffer);

	if (err)
		return err;
	kr_queue_sweep_locked(queue);
	if (!kr_queue_first_empty_locked(queue, index)) {
		if (!kr_queue_first_free_locked(queue, index))
			return -ENOMEM;
		kr_queue_tell_locked(queue, KR_NOTICE_DISCARDED, &queue->slots[*index], 0);
		old = kr_queue_empty_slot_locked(queue, &queue->slots[*index]);
	}
	put_at_sink_locked(queue, &queue->slots[*index], buffer);
	if (!old)
		return 0;
	kr_mutex_unlock(&queue->lock);
	if (impl->remove_buffer)
		impl->remove_buffer(queue->sink, *index, old);
	kr_buffer_unref(old);
	kr_mutex_lock(&queue->lock);
	return 0;
}

int
kr_queue_bring_inside(struct kr_queue *queue, struct kr_buffer *buffer, uint32_t *slot)
{
	int err;

	kr_mutex_lock(&queue->lock);
	err = bring_locked(queue, buffer, slot);
	kr_mutex_unlock(&queue->lock);
	return err;
}

int
kr_queue_bring(struct kr_queue *queue, struct kr_buffer *buffer, uint32_t *slot)
{
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (!err) {
		err = bring_locked(queue, buffer, slot);
		kr_queue_leave_sink_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}
