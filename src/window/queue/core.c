/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object below a queue's functions: its slots, how many buffers there may be, who
 * is inside the sink.
 */
#include "window/queue/core.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "gralloc/buffer.h"
#include "util/fd.h"

void
kr_queue_wake_locked(struct kr_queue *queue)
{
	queue->changes++;
	kr_cond_broadcast(&queue->changed);
	/* A full counter can't be: 2^64 wake-ups would have to be unread. */
	if (queue->polling && eventfd_write(queue->wake, 1))
		return;
}

uint32_t
kr_queue_min_undequeued_locked(const struct kr_queue *queue)
{
	return queue->config.max_acquired + (queue->async || queue->cannot_block ? 1 : 0);
}

uint32_t
kr_queue_total_locked(const struct kr_queue *queue)
{
	return KR_MIN(kr_queue_min_undequeued_locked(queue) + queue->max_dequeued,
		queue->config.max_buffers);
}

uint32_t
kr_queue_active_locked(const struct kr_queue *queue)
{
	uint32_t count = 0;

	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		const struct kr_slot *slot = &queue->slots[i];

		/* What the last connection left with the sink is none of this one's buffers. */
		count += !slot->stale &&
			(slot->state != KR_SLOT_FREE || (slot->buffer && !slot->doomed));
	}
	return count;
}

uint32_t
kr_queue_taken_locked(const struct kr_queue *queue)
{
	uint32_t count = 0;

	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++)
		count += queue->slots[i].taken && !queue->slots[i].stale;
	return count;
}

uint32_t
kr_queue_pending_locked(const struct kr_queue *queue)
{
	uint32_t taken = queue->config.max_acquired + 1;

	if (queue->sink->impl->tells_taken) {
		taken = 0;
		for (size_t i = 0; i < KR_QUEUE_SLOTS; i++)
			taken += queue->slots[i].taken != 0;
	}
	return queue->with_sink > taken ? queue->with_sink - taken : 0;
}

bool
kr_queue_has_locked(const struct kr_queue *queue, const struct kr_buffer *buffer)
{
	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (queue->slots[i].buffer == buffer)
			return true;
	}
	return false;
}

uint32_t
kr_queue_dequeued_locked(const struct kr_queue *queue)
{
	uint32_t count = 0;

	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++)
		count += queue->slots[i].state == KR_SLOT_DEQUEUED;
	return count;
}

void
kr_queue_tell_locked(struct kr_queue *queue, enum kr_notice_kind kind, const struct kr_slot *slot,
	uint64_t number)
{
	if (!kr_notice_ring_wants(queue->notices, kind))
		return;
	kr_notice_ring_push(queue->notices,
		&(struct kr_notice){
			.kind = kind,
			.slot = slot ? (uint32_t)(slot - queue->slots) : 0,
			.number = number,
			.buffer_id =
				slot && slot->buffer ? kr_buffer_get_info(slot->buffer)->id : 0,
		});
}

void
kr_queue_abandon_locked(struct kr_queue *queue)
{
	if (!queue->abandoned)
		kr_queue_tell_locked(queue, KR_NOTICE_DISCONNECTED, NULL, 0);
	queue->abandoned = true;
	kr_queue_wake_locked(queue);
}

void
kr_queue_doom_locked(struct kr_queue *queue, struct kr_slot *slot, bool told)
{
	if (told)
		kr_queue_tell_locked(queue, KR_NOTICE_DISCARDED, slot, 0);
	slot->doomed = true;
	queue->doomed++;
	if (queue->last.slot == (uint32_t)(slot - queue->slots))
		kr_queue_clear_last_locked(queue);
}

struct kr_buffer *
kr_queue_empty_slot_locked(struct kr_queue *queue, struct kr_slot *slot)
{
	struct kr_buffer *buffer = slot->buffer;

	kr_fd_close(&slot->fence);
	slot->buffer = NULL;
	slot->number = 0;
	slot->requested = slot->brought = false;
	queue->doomed -= slot->doomed;
	slot->doomed = false;
	if (queue->last.slot == (uint32_t)(slot - queue->slots))
		kr_queue_clear_last_locked(queue);
	return buffer;
}

struct kr_buffer *
kr_queue_clear_slot_locked(struct kr_queue *queue, struct kr_slot *slot)
{
	struct kr_buffer *buffer = kr_queue_empty_slot_locked(queue, slot);

	slot->stale = false;
	kr_queue_free_slot_locked(queue, slot, -1);
	return buffer;
}

/* The free buffer that came back last; NULL: there is none. */
static struct kr_slot *
last_free_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	struct kr_slot *last = NULL;

	for (size_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		struct kr_slot *slot = &queue->slots[i];

		if (slot->state == KR_SLOT_FREE && slot->buffer && !slot->doomed &&
			(!last || slot->freed > last->freed))
			last = slot;
	}
	return last;
}

void
kr_queue_trim_locked(struct kr_queue *queue)
{
	uint32_t total = kr_queue_total_locked(queue);

	for (uint32_t active = kr_queue_active_locked(queue); active > total; active--) {
		struct kr_slot *slot = last_free_locked(queue);

		if (!slot)
			return;
		kr_queue_doom_locked(queue, slot, true);
	}
}

void
kr_queue_free_slot_locked(struct kr_queue *queue, struct kr_slot *slot, int take_fence)
{
	bool dequeued = slot->at_sink && slot->state == KR_SLOT_DEQUEUED;

	if (slot->at_sink)
		queue->with_sink--;
	slot->at_sink = 0;
	slot->taken = 0;
	slot->shared_taken = slot->shared_over = false;
	kr_fd_close(&slot->fence);
	slot->fence = take_fence;
	slot->shared = queue->shared_slot == (uint32_t)(slot - queue->slots);
	if (!dequeued) {
		slot->state = KR_SLOT_FREE;
		slot->freed = ++queue->frees;
		if (slot->stale)
			kr_queue_doom_locked(queue, slot, false);
		slot->stale = false;
	}
	kr_queue_trim_locked(queue);
	kr_queue_wake_locked(queue);
}

int
kr_queue_enter_sink_locked(struct kr_queue *queue, int64_t deadline_ns)
{
	while (queue->sink_busy) {
		if (kr_cond_wait_until(&queue->changed, &queue->lock, KR_MAX(deadline_ns, 0)) ==
			-ETIMEDOUT)
			return -ETIMEDOUT;
	}
	queue->sink_busy = true;
	return 0;
}

void
kr_queue_leave_sink_locked(struct kr_queue *queue)
{
	queue->sink_busy = false;
	kr_cond_broadcast(&queue->changed);
}

int
kr_queue_submitted_locked(struct kr_queue *queue, const struct kr_frame *frame, int err)
{
	struct kr_slot *slot = &queue->slots[frame->slot];

	if (err == -EPIPE) {
		kr_queue_abandon_locked(queue);
		return -ENODEV;
	}
	if (err) {
		kr_queue_not_taken_locked(queue, frame, -1);
		return err;
	}
	slot->shared_taken = slot->shared && slot->at_sink;
	if (!queue->config.abilities.tells_shown)
		kr_queue_shown_locked(queue, frame->number);
	return 0;
}

/* What never will be shown, behind the last that was. Whether there was any. */
static bool
pass_lost_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	if (queue->shown + 1 < queue->lost_from || queue->shown >= queue->lost_to)
		return false;
	queue->shown = queue->lost_to;
	return true;
}

void
kr_queue_not_taken_locked(struct kr_queue *queue, const struct kr_frame *frame, int take_fence)
{
	struct kr_slot *slot = &queue->slots[frame->slot];

	kr_queue_forget_locked(queue, frame->number);
	if (slot->at_sink && !slot->shared_taken &&
		(slot->shared || slot->at_sink == frame->number))
		kr_queue_free_slot_locked(queue, slot, take_fence);
	else
		kr_fd_close(&take_fence);
	if (frame->number != queue->lost_to + 1)
		queue->lost_from = frame->number;
	queue->lost_to = frame->number;
	/* Nobody else will tell it. */
	if (pass_lost_locked(queue))
		kr_queue_wake_locked(queue);
}

void
kr_queue_shown_locked(struct kr_queue *queue, uint64_t number)
{
	number = KR_MIN(number, queue->frames);
	if (number <= queue->shown)
		return;
	queue->shown = number;
	(void)pass_lost_locked(queue);
	if (queue->shown_waiters)
		kr_queue_wake_locked(queue);
}

/* Takes one doomed buffer out of its slot, which may be used again at once. */
static struct kr_buffer *
take_doomed_locked(struct kr_queue *queue, uint32_t *index) KR_REQUIRES(queue->lock)
{
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (!queue->slots[i].doomed)
			continue;
		*index = i;
		return kr_queue_empty_slot_locked(queue, &queue->slots[i]);
	}
	return NULL;
}

void
kr_queue_sweep_locked(struct kr_queue *queue)
{
	const struct kr_sink_impl *impl = queue->sink->impl;

	while (queue->doomed) {
		uint32_t index;
		struct kr_buffer *buffer = take_doomed_locked(queue, &index);

		kr_mutex_unlock(&queue->lock);
		if (buffer && impl->remove_buffer)
			impl->remove_buffer(queue->sink, index, buffer);
		kr_buffer_unref(buffer);
		kr_mutex_lock(&queue->lock);
	}
}

int
kr_queue_sweep_by_locked(struct kr_queue *queue, int64_t deadline_ns)
{
	int err = kr_queue_enter_sink_locked(queue, deadline_ns);

	if (err)
		return err;
	kr_queue_sweep_locked(queue);
	kr_queue_leave_sink_locked(queue);
	return 0;
}

/* By hand: printf costs as much as the system call that takes the name. */
void
kr_queue_fence_name_locked(const struct kr_queue *queue, uint32_t slot, char out[KR_SYNC_TEXT])
{
	size_t len = strlen(queue->label);

	memcpy(out, queue->label, len);
	out[len++] = ':';
	if (slot >= 10)
		out[len++] = (char)('0' + slot / 10 % 10);
	out[len++] = (char)('0' + slot % 10);
	out[len] = '\0';
}
