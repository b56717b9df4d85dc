/* SPDX-License-Identifier: Apache-2.0 */
/* Dequeue: which slot, and its buffer. Waiting for one is wait.c. */
#include "window/queue/queue.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "sync/wait/describe.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"

#define RARER 10

static int
check_dequeue_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	if (queue->abandoned || !queue->api)
		return -ENODEV;
	/* As in Android: before the first frame a producer may take all there are. */
	if (!queue->has_queued)
		return 0;
	return kr_queue_dequeued_locked(queue) >= queue->max_dequeued ? -ENOSYS : 0;
}

/*
 * Whether nobody has to be waited for before a free slot's buffer is written. A fence that has
 * signalled is dropped, so that nobody asks it again.
 */
static bool
ready_locked(struct kr_queue *queue, uint32_t index) KR_REQUIRES(queue->lock)
{
	int *fence = &queue->slots[index].fence;
	int status = *fence < 0 ? KR_FENCE_SIGNALLED : kr_fence_status(*fence);

	if (status == KR_FENCE_SIGNALLED)
		kr_fd_close(fence);
	return status != KR_FENCE_ACTIVE;
}

/* The free buffer that came back first of those that are ready; `otherwise` when none is. */
static uint32_t
first_ready_locked(struct kr_queue *queue, uint32_t otherwise) KR_REQUIRES(queue->lock)
{
	uint32_t best = KR_QUEUE_SLOTS;

	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		const struct kr_slot *slot = &queue->slots[i];

		if (slot->state == KR_SLOT_FREE && slot->buffer && !slot->doomed &&
			(best == KR_QUEUE_SLOTS || slot->freed < queue->slots[best].freed) &&
			ready_locked(queue, i))
			best = i;
	}
	return best == KR_QUEUE_SLOTS ? otherwise : best;
}

/*
 * The free buffer that came back first, one that is ready before one that isn't: a
 * release fence that never signals costs its buffer, not all. Else a slot without one if
 * there may be more buffers.
 */
static bool
pick_locked(struct kr_queue *queue, uint32_t *index) KR_REQUIRES(queue->lock)
{
	uint32_t active = 0, empty = KR_QUEUE_SLOTS, best = KR_QUEUE_SLOTS;

	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		const struct kr_slot *slot = &queue->slots[i];

		/* What the last connection left with the sink is none of this one's buffers. */
		active += !slot->stale && (slot->state != KR_SLOT_FREE || slot->buffer);
		if (slot->state != KR_SLOT_FREE || slot->doomed)
			continue;
		if (!slot->buffer)
			empty = KR_MIN(empty, i);
		else if (best == KR_QUEUE_SLOTS || slot->freed < queue->slots[best].freed)
			best = i;
	}
	if (best == KR_QUEUE_SLOTS && active < kr_queue_total_locked(queue))
		best = empty;
	else if (best != KR_QUEUE_SLOTS && !ready_locked(queue, best))
		best = first_ready_locked(queue, best);
	*index = best;
	return best != KR_QUEUE_SLOTS;
}

static bool
buffer_fits(const struct kr_buffer *buffer, const struct kr_buffer_desc *wanted)
{
	const struct kr_buffer_desc *has = &kr_buffer_get_info(buffer)->desc;

	return has->width == wanted->width && has->height == wanted->height &&
		has->format == wanted->format && (has->usage & wanted->usage) == wanted->usage;
}

/*
 * In shared buffer mode: the buffer that there is, at once. -ENOSYS when the producer has it,
 * -EINVAL when it would have to be another, -EAGAIN when there is none yet.
 */
static int
pick_shared_locked(const struct kr_queue *queue, const struct kr_buffer_desc *desc, uint32_t *index)
	KR_REQUIRES(queue->lock)
{
	const struct kr_slot *slot;

	if (!queue->shared || queue->shared_slot == KR_QUEUE_SLOTS)
		return -EAGAIN;
	slot = &queue->slots[queue->shared_slot];
	if (slot->state == KR_SLOT_DEQUEUED)
		return -ENOSYS;
	if (slot->doomed || !slot->buffer)
		return -EAGAIN;
	if (slot->at_sink && !buffer_fits(slot->buffer, desc))
		return -EINVAL;
	*index = queue->shared_slot;
	return 0;
}

static int
resolve_request_locked(const struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_buffer_desc *desc) KR_REQUIRES(queue->lock)
{
	bool whole = !request->width && !request->height;

	*desc = (struct kr_buffer_desc){
		.width = whole ? queue->config.default_width : request->width,
		.height = whole ? queue->config.default_height : request->height,
		.layers = 1,
		.format = request->format ? request->format : queue->config.default_format,
		.usage = request->usage | queue->config.consumer_usage,
	};
	return kr_buffer_check_shown(desc);
}

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

/* Gives a dequeued slot a new buffer. Drops the lock; on failure the slot is free and empty. */
static int
reallocate_locked(struct kr_queue *queue, uint32_t index, const struct kr_buffer_desc *desc)
	KR_REQUIRES(queue->lock)
{
	struct kr_slot *slot = &queue->slots[index];
	struct kr_buffer *old = slot->buffer, *new = NULL;
	uint64_t generation = queue->generation;
	int err, told = 0;

	slot->allocating = true;
	slot->buffer = NULL;
	slot->number = 0;
	kr_fd_close(&slot->fence);
	kr_mutex_unlock(&queue->lock);
	err = kr_buffer_allocate(desc, &new);
	kr_mutex_lock(&queue->lock);
	if (!err)
		err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	if (err) {
		slot->buffer = old; /* the sink knows it still */
		goto out;
	}
	kr_mutex_unlock(&queue->lock);
	told = announce(queue, index, old, new);
	kr_mutex_lock(&queue->lock);
	kr_queue_leave_sink_locked(queue);
	if (told == -EPIPE)
		kr_queue_abandon_locked(queue);
	err = told == -EPIPE ? -ENODEV : told;
	if (err)
		goto out;
	slot->buffer = new;
	slot->gpu_told = false;
	new = NULL;
	if (queue->generation != generation || queue->abandoned)
		err = -ENODEV;
out:
	slot->allocating = false;
	if (err) {
		slot->stale = slot->buffer != NULL;
		kr_queue_free_slot_locked(queue, slot, -1);
	}
	kr_buffer_unref(new);
	return err;
}

static int
sweep_locked(struct kr_queue *queue, int64_t deadline_ns) KR_REQUIRES(queue->lock)
{
	int err = kr_queue_enter_sink_locked(queue, deadline_ns);

	if (err)
		return err;
	kr_queue_sweep_locked(queue);
	kr_queue_leave_sink_locked(queue);
	return 0;
}

/* One call: how long it waits, and what it logs meanwhile (docs/threading.md). */
struct call {
	struct kr_log_hold hold;
	int64_t since_ns;
	int64_t next_ns; /* when the wait is told of next */
};

/* The lock is dropped for it: a callback that hears the message may come back for this queue. */
static void
log_late_locked(struct kr_queue *queue, struct call *call, int64_t now) KR_REQUIRES(queue->lock)
{
	uint32_t with_sink = queue->with_sink, dequeued = kr_queue_dequeued_locked(queue);
	int64_t waited = now - call->since_ns;

	call->next_ns = call->since_ns + waited * RARER;
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&call->hold);
	kr_warn("window: no buffer has come back for %lld s: %u are with the %s end, %u dequeued",
		(long long)(waited / KR_NSEC_PER_SEC), with_sink, queue->sink->impl->name,
		dequeued);
	kr_log_hold_begin(&call->hold);
	kr_mutex_lock(&queue->lock);
}

/* As kr_queue_wait_locked, and a wait that lasts is told of. */
static int
wait_told_locked(struct kr_queue *queue, struct call *call, int64_t deadline_ns)
	KR_REQUIRES(queue->lock)
{
	int64_t until = KR_MIN(deadline_ns, call->next_ns);
	int err = kr_queue_wait_locked(queue, until, true);

	if (err != -ETIMEDOUT || until == deadline_ns)
		return err;
	log_late_locked(queue, call, kr_clock_now());
	return 0;
}

static int
find_locked(struct kr_queue *queue, const struct kr_queue_request *request, struct call *call,
	struct kr_buffer_desc *desc, uint32_t *index) KR_REQUIRES(queue->lock)
{
	bool listened = false;

	for (;;) {
		int err = check_dequeue_locked(queue);

		if (!err)
			err = resolve_request_locked(queue, request, desc);
		if (err)
			return err;
		err = pick_shared_locked(queue, desc, index);
		if (!err && !listened) {
			/* No buffer comes back in this mode, but other things do. */
			listened = true;
			kr_queue_listen_locked(queue);
			continue;
		}
		if (err != -EAGAIN)
			return err;
		if (pick_locked(queue, index)) {
			if (listened || ready_locked(queue, *index))
				return 0;
			/* A better one may have come back already. */
			listened = true;
			kr_queue_listen_locked(queue);
			continue;
		}
		if (queue->doomed)
			err = sweep_locked(queue, request->deadline_ns);
		else
			err = wait_told_locked(queue, call, request->deadline_ns);
		if (err)
			return err;
	}
}

int
kr_queue_dequeue(struct kr_queue *queue, const struct kr_queue_request *request, uint32_t *slot,
	struct kr_buffer **buffer, int *fence)
{
	struct kr_buffer_desc desc;
	char name[KR_SYNC_TEXT];
	struct call call;
	uint32_t index = 0;
	int err;

	call.since_ns = kr_clock_now();
	call.next_ns = call.since_ns + KR_FENCE_BUDGET_NS;
	kr_log_hold_begin(&call.hold);
	kr_mutex_lock(&queue->lock);
	err = find_locked(queue, request, &call, &desc, &index);
	if (err)
		goto out;
	queue->silent_since = 0;
	queue->slots[index].state = KR_SLOT_DEQUEUED;
	kr_queue_share_locked(queue, index);
	if (!queue->slots[index].buffer || !buffer_fits(queue->slots[index].buffer, &desc)) {
		err = reallocate_locked(queue, index, &desc);
		if (err)
			goto out;
	}
	*slot = index;
	*buffer = queue->slots[index].buffer;
	*fence = queue->slots[index].fence;
	queue->slots[index].fence = -1;
	kr_queue_fence_name_locked(queue, index, name);
out:
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&call.hold);
	if (!err)
		kr_fence_rename_held(name, fence);
	return err;
}
