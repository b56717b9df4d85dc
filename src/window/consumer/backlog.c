/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of queued frames and an array of held ones: a slot is in at most one of them. */
#include "window/consumer/backlog.h"

#include <errno.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "util/fd.h"

static struct kr_frame *
queued_at(struct kr_backlog *backlog, uint32_t index)
{
	return &backlog->queued[(backlog->first + index) % KR_QUEUE_SLOTS];
}

bool
kr_backlog_push(struct kr_backlog *backlog, const struct kr_frame *frame, bool keep_all,
	struct kr_frame *replaced)
{
	struct kr_frame *last = backlog->count ? queued_at(backlog, backlog->count - 1) : NULL;

	kr_buffer_ref(frame->buffer);
	if (last && last->slot == frame->slot) {
		struct kr_frame earlier = *last;

		*last = *frame;
		kr_frame_take_place(last, &earlier);
		kr_fd_close(&earlier.acquire_fence);
		kr_buffer_unref(earlier.buffer);
		return false;
	}
	if (last && last->droppable && !keep_all) {
		*replaced = *last;
		*last = *frame;
		kr_frame_take_place(last, replaced);
		return true;
	}
	/* There are as many places as slots, and a slot is queued once. */
	*queued_at(backlog, backlog->count++) = *frame;
	return false;
}

bool
kr_backlog_queues(const struct kr_backlog *backlog, uint32_t slot)
{
	for (uint32_t i = 0; i < backlog->count; i++) {
		if (backlog->queued[(backlog->first + i) % KR_QUEUE_SLOTS].slot == slot)
			return true;
	}
	return false;
}

bool
kr_backlog_takes(const struct kr_backlog *backlog, const struct kr_frame *frame)
{
	uint32_t end = (backlog->first + backlog->count + KR_QUEUE_SLOTS - 1) % KR_QUEUE_SLOTS;
	const struct kr_frame *last = backlog->count ? &backlog->queued[end] : NULL;

	if (!kr_backlog_has(backlog, frame->slot))
		return true;
	if (!kr_present_mode_is_shared(frame->presentation.mode))
		return false;
	if (last)
		return last->slot == frame->slot &&
			kr_present_mode_is_shared(last->presentation.mode);
	return backlog->held[frame->slot].shared;
}

bool
kr_backlog_has(const struct kr_backlog *backlog, uint32_t slot)
{
	if (kr_backlog_queues(backlog, slot))
		return true;
	return slot < KR_QUEUE_SLOTS && backlog->held[slot].buffer;
}

/* How far from its time a frame is still meant for it; other times say nothing. */
#define REASONABLE_NS INT64_C(1000000000)

/* What it is meant for; without a time, when it was queued. */
static int64_t
desired(const struct kr_frame *frame)
{
	return frame->timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO ? frame->queued_ns
								   : frame->timestamp_ns;
}

static bool
is_beyond(const struct kr_acquire *how, const struct kr_frame *frame)
{
	return how->max_number && frame->number > how->max_number;
}

bool
kr_backlog_drop(struct kr_backlog *backlog, const struct kr_acquire *how, struct kr_frame *dropped)
{
	const struct kr_frame *first, *next;
	int64_t early;

	if (!how->expected_ns || backlog->count < 2)
		return false;
	first = queued_at(backlog, 0);
	next = queued_at(backlog, 1);
	if (first->timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO || is_beyond(how, next))
		return false;
	/*
	 * Its slot can't be given back: it is for the consumer to release, in the other one's
	 * place.
	 */
	if (backlog->held[first->slot].buffer)
		return false;
	early = how->expected_ns > INT64_MIN + REASONABLE_NS ? how->expected_ns - REASONABLE_NS
							     : INT64_MIN;
	if (desired(next) < early || desired(next) > how->expected_ns)
		return false;
	*dropped = *first;
	backlog->first = (backlog->first + 1) % KR_QUEUE_SLOTS;
	backlog->count--;
	return true;
}

/* Whether it is meant for a later time than that, though not for one that means nothing. */
static bool
is_later(const struct kr_acquire *how, const struct kr_frame *frame)
{
	if (!how->expected_ns)
		return false;
	if (is_beyond(how, frame))
		return true;
	return desired(frame) > how->expected_ns &&
		(how->expected_ns > INT64_MAX - REASONABLE_NS ||
			desired(frame) <= how->expected_ns + REASONABLE_NS);
}

/* What is shared is shown anew, as it was said to be. */
static int
acquire_again(const struct kr_backlog *backlog, struct kr_frame *frame)
{
	if (!backlog->has_shared)
		return -EAGAIN;
	*frame = backlog->shared;
	return 0;
}

static void
remember_shared(struct kr_backlog *backlog, const struct kr_frame *frame)
{
	backlog->has_shared = frame->presentation.mode == KR_PRESENT_SHARED_CONTINUOUS;
	if (!backlog->has_shared)
		return;
	backlog->shared = *frame;
	backlog->shared.acquire_fence = -1;
	backlog->shared.damage_count = 0;
}

/* Whether one more may be held. */
static bool
has_room(const struct kr_backlog *backlog, const struct kr_acquire *how,
	const struct kr_frame *frame, uint32_t max_held)
{
	if (how->beyond || backlog->held_count < max_held)
		return true;
	return how->extra && backlog->held_count == max_held && !frame->droppable;
}

int
kr_backlog_acquire(struct kr_backlog *backlog, const struct kr_acquire *how, uint32_t max_held,
	struct kr_frame *frame)
{
	struct kr_frame *oldest = queued_at(backlog, 0);
	struct kr_buffer *held;

	if (!backlog->count)
		return how->again ? acquire_again(backlog, frame) : -EAGAIN;
	held = backlog->held[oldest->slot].buffer;
	if (!held && !has_room(backlog, how, oldest, max_held))
		return -EBUSY;
	if (is_later(how, oldest))
		return -ETIME;
	*frame = *oldest;
	backlog->held[frame->slot].buffer = frame->buffer;
	backlog->held[frame->slot].number = frame->number;
	backlog->held[frame->slot].shared = kr_present_mode_is_shared(frame->presentation.mode);
	backlog->held_count += !held;
	kr_buffer_unref(held);
	remember_shared(backlog, frame);
	backlog->first = (backlog->first + 1) % KR_QUEUE_SLOTS;
	backlog->count--;
	return 0;
}

int
kr_backlog_hold(
	struct kr_backlog *backlog, uint32_t slot, struct kr_buffer *buffer, uint32_t max_held)
{
	if (backlog->held_count >= max_held)
		return -EBUSY;
	backlog->held[slot].buffer = kr_buffer_ref(buffer);
	backlog->held[slot].number = KR_FRAME_BROUGHT;
	backlog->held[slot].shared = false;
	backlog->held_count++;
	return 0;
}

bool
kr_backlog_holds(const struct kr_backlog *backlog, const struct kr_frame *frame)
{
	return frame->slot < KR_QUEUE_SLOTS && backlog->held[frame->slot].buffer &&
		backlog->held[frame->slot].number == frame->number;
}

int
kr_backlog_peek(const struct kr_backlog *backlog, uint32_t index, struct kr_frame *frame)
{
	if (index >= backlog->count)
		return -EAGAIN;
	*frame = backlog->queued[(backlog->first + index) % KR_QUEUE_SLOTS];
	return 0;
}

struct kr_buffer *
kr_backlog_release(struct kr_backlog *backlog, const struct kr_frame *frame)
{
	struct kr_buffer *buffer;

	if (!kr_backlog_holds(backlog, frame))
		return NULL;
	buffer = backlog->held[frame->slot].buffer;
	if (backlog->has_shared && backlog->shared.slot == frame->slot)
		backlog->has_shared = false;
	backlog->held[frame->slot].buffer = NULL;
	backlog->held_count--;
	return buffer;
}

bool
kr_backlog_passed(const struct kr_backlog *backlog, const struct kr_frame *frame)
{
	return frame->slot < KR_QUEUE_SLOTS && backlog->held[frame->slot].buffer &&
		backlog->held[frame->slot].shared &&
		frame->number < backlog->held[frame->slot].number;
}

void
kr_backlog_finish(struct kr_backlog *backlog)
{
	for (uint32_t i = 0; i < backlog->count; i++) {
		struct kr_frame *frame = queued_at(backlog, i);

		kr_fd_close(&frame->acquire_fence);
		kr_buffer_unref(frame->buffer);
	}
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS; i++)
		kr_buffer_unref(backlog->held[i].buffer);
	memset(backlog, 0, sizeof(*backlog));
}
