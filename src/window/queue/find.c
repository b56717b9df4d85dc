/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which slot a buffer is dequeued from, or attached to; waiting for one is wait.c.
 *
 * Android takes the free buffer that came back first. Here one that nobody has to be waited for
 * comes before one whose fence is late: a release fence that never signals costs its buffer, not
 * all of them.
 */
#include <errno.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/wait/describe.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"

#define RARER 10

void
kr_queue_begin(struct kr_queue *queue, struct kr_queue_call *call, int64_t deadline_ns)
{
	call->deadline_ns = deadline_ns;
	call->since_ns = kr_clock_now();
	call->next_ns = call->since_ns + KR_FENCE_BUDGET_NS;
	call->timeout_ns = -1;
	call->late = false;
	kr_log_hold_begin(&call->hold);
	kr_mutex_lock(&queue->lock);
}

void
kr_queue_end(struct kr_queue *queue, struct kr_queue_call *call)
{
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&call->hold);
}

/* `request` NULL: an attach. */
static int
check_locked(const struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_buffer_desc *desc) KR_REQUIRES(queue->lock)
{
	int err = queue->abandoned || !queue->api ? -ENODEV : 0;

	if (!err && request)
		err = kr_queue_resolve_locked(queue, request, desc);
	if (err)
		return err;
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

static bool
is_free_buffer(const struct kr_slot *slot)
{
	return slot->state == KR_SLOT_FREE && slot->buffer && !slot->doomed;
}

/* The free buffer that came back first of those that are ready; `otherwise` when none is. */
static uint32_t
first_ready_locked(struct kr_queue *queue, uint32_t otherwise) KR_REQUIRES(queue->lock)
{
	uint32_t best = KR_QUEUE_SLOTS;

	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		const struct kr_slot *slot = &queue->slots[i];

		if (is_free_buffer(slot) &&
			(best == KR_QUEUE_SLOTS || slot->freed < queue->slots[best].freed) &&
			ready_locked(queue, i))
			best = i;
	}
	return best == KR_QUEUE_SLOTS ? otherwise : best;
}

bool
kr_queue_first_free_locked(struct kr_queue *queue, uint32_t *index)
{
	uint32_t best = KR_QUEUE_SLOTS;

	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		const struct kr_slot *slot = &queue->slots[i];

		if (is_free_buffer(slot) &&
			(best == KR_QUEUE_SLOTS || slot->freed < queue->slots[best].freed))
			best = i;
	}
	if (best == KR_QUEUE_SLOTS)
		return false;
	*index = ready_locked(queue, best) ? best : first_ready_locked(queue, best);
	return true;
}

bool
kr_queue_first_empty_locked(const struct kr_queue *queue, uint32_t *index)
{
	if (kr_queue_active_locked(queue) >= kr_queue_total_locked(queue))
		return false;
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++) {
		if (queue->slots[i].state == KR_SLOT_FREE && !queue->slots[i].buffer) {
			*index = i;
			return true;
		}
	}
	return false;
}

static bool
pick_locked(struct kr_queue *queue, enum kr_slot_finder finder, uint32_t *index)
	KR_REQUIRES(queue->lock)
{
	if (finder == KR_SLOT_TO_ATTACH)
		return kr_queue_first_empty_locked(queue, index) ||
			kr_queue_first_free_locked(queue, index);
	return kr_queue_first_free_locked(queue, index) ||
		(queue->allows_allocation && kr_queue_first_empty_locked(queue, index));
}

bool
kr_queue_buffer_fits(const struct kr_buffer *buffer, const struct kr_buffer_desc *wanted)
{
	const struct kr_buffer_desc *has = &kr_buffer_get_info(buffer)->desc;

	return has->width == wanted->width && has->height == wanted->height &&
		has->layers == wanted->layers && has->format == wanted->format &&
		(has->usage & wanted->usage) == wanted->usage;
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
	if (slot->at_sink && !kr_queue_buffer_fits(slot->buffer, desc))
		return -EINVAL;
	*index = queue->shared_slot;
	return 0;
}

int
kr_queue_resolve_locked(const struct kr_queue *queue, const struct kr_queue_request *request,
	struct kr_buffer_desc *desc)
{
	const struct kr_queue_config *config = &queue->config;
	bool whole = !request->width && !request->height;
	bool turned = whole && queue->auto_prerotation &&
		(queue->hint_in_use & NATIVE_WINDOW_TRANSFORM_ROT_90);

	*desc = (struct kr_buffer_desc){
		.width = whole ? config->default_width : request->width,
		.height = whole ? config->default_height : request->height,
		.layers = 1,
		.format = request->format ? request->format : config->default_format,
		.usage = request->usage | config->consumer_usage,
	};
	if (turned) {
		desc->width = config->default_height;
		desc->height = config->default_width;
	}
	return kr_buffer_check_shown(desc);
}

/* The lock is dropped for it: a callback that hears the message may come back for this queue. */
static void
log_late_locked(struct kr_queue *queue, struct kr_queue_call *call, int64_t now)
	KR_REQUIRES(queue->lock)
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

/* The queue's timeout counts from here, or from the first wait since something has changed. */
static int64_t
deadline_locked(struct kr_queue *queue, struct kr_queue_call *call) KR_REQUIRES(queue->lock)
{
	if (queue->timeout_ns < 0)
		return call->deadline_ns;
	if (call->timeout_ns < 0 || call->changes != queue->changes)
		call->timeout_ns = kr_deadline_in((uint64_t)queue->timeout_ns);
	call->changes = queue->changes;
	return KR_MIN(call->deadline_ns, call->timeout_ns);
}

/* As kr_queue_wait_locked, and a wait that lasts is told of; who is late looks once more. */
static int
wait_told_locked(struct kr_queue *queue, struct kr_queue_call *call) KR_REQUIRES(queue->lock)
{
	int64_t deadline = deadline_locked(queue, call);
	int64_t until = KR_MIN(deadline, call->next_ns);
	int err = kr_queue_wait_locked(queue, until, true);

	if (err != -ETIMEDOUT)
		return err;
	if (until < deadline) {
		log_late_locked(queue, call, kr_clock_now());
		return 0;
	}
	if (call->late)
		return err;
	call->late = true;
	return 0;
}

/*
 * A producer that can't wait isn't made to, unless the far end has a frame more than it may keep,
 * which it is about to give back. What a far end has taken that doesn't say so is all that it has.
 */
static bool
would_block_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	uint32_t taken =
		queue->sink->impl->tells_taken ? kr_queue_taken_locked(queue) : queue->with_sink;

	/* Who drops frames always has one, but for who takes all before the first of them. */
	return (queue->cannot_block || (queue->async && !queue->has_queued)) &&
		taken <= queue->config.max_acquired;
}

/* After quick reconnects there may be more frames on their way than buffers of this connection. */
static bool
has_too_many_locked(const struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	return kr_queue_pending_locked(queue) > kr_queue_total_locked(queue);
}

/* Waits, or sweeps. 0: look again. `listened`: what the far end has sent has been looked at. */
static int
get_ready_to_look_again_locked(struct kr_queue *queue, struct kr_queue_call *call, bool *listened)
	KR_REQUIRES(queue->lock)
{
	if (queue->doomed)
		return kr_queue_sweep_by_locked(queue, call->deadline_ns);
	if (!would_block_locked(queue))
		return wait_told_locked(queue, call);
	if (*listened)
		return -EAGAIN;
	*listened = true;
	kr_queue_listen_locked(queue);
	return 0;
}

/* Whether a dequeue can go on with what was found; else that goes, for another. */
static bool
is_good_locked(struct kr_queue *queue, enum kr_slot_finder finder,
	const struct kr_buffer_desc *desc, uint32_t index) KR_REQUIRES(queue->lock)
{
	struct kr_slot *slot = &queue->slots[index];

	if (finder == KR_SLOT_TO_ATTACH || queue->allows_allocation ||
		kr_queue_buffer_fits(slot->buffer, desc))
		return true;
	kr_queue_doom_locked(queue, slot, true);
	return false;
}

int
kr_queue_find_locked(struct kr_queue *queue, enum kr_slot_finder finder,
	const struct kr_queue_request *request, struct kr_queue_call *call,
	struct kr_buffer_desc *desc, uint32_t *index)
{
	bool listened = false;

	for (;;) {
		int err = 0;

		/* What is to go is gone before anybody looks, unless the sink is busy. */
		if (queue->doomed)
			err = kr_queue_sweep_by_locked(queue, 0);
		if (!err || err == -ETIMEDOUT)
			err = check_locked(queue, request, desc);
		if (err)
			return err;
		err = request ? pick_shared_locked(queue, desc, index) : -EAGAIN;
		if (!err && !listened) {
			/* No buffer comes back in this mode, but other things do. */
			listened = true;
			kr_queue_listen_locked(queue);
			continue;
		}
		if (err != -EAGAIN)
			return err;
		if (!has_too_many_locked(queue) && pick_locked(queue, finder, index)) {
			if (!is_good_locked(queue, finder, desc, *index))
				continue;
			if (listened || ready_locked(queue, *index))
				return 0;
			/* A better one may have come back already. */
			listened = true;
			kr_queue_listen_locked(queue);
			continue;
		}
		err = get_ready_to_look_again_locked(queue, call, &listened);
		if (err)
			return err;
	}
}
