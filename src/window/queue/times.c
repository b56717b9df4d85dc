/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a queue remembers of its last frames: when each was asked for, and what came of it when.
 * Each has its number's place, which a frame KR_FRAME_HISTORY later takes over.
 */
#include <errno.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"

static bool
is_complete(const struct kr_frame_times *times)
{
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++) {
		if (times->time_ns[i] == KR_TIME_PENDING)
			return false;
	}
	return true;
}

static struct kr_queue_memory *
find_locked(struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock)
{
	struct kr_queue_memory *memory = &queue->history[number % KR_FRAME_HISTORY];

	return number && memory->times.number == number ? memory : NULL;
}

void
kr_queue_remember_locked(struct kr_queue *queue, const struct kr_frame *frame)
{
	struct kr_queue_memory *memory = &queue->history[frame->number % KR_FRAME_HISTORY];
	uint32_t told = frame->presentation.tell_events ? queue->config.timing.events : 0;
	struct kr_frame_times *times = &memory->times;

	if (memory->fence >= 0) {
		kr_fd_close(&memory->fence);
		queue->watched_fences--;
	}
	*times = (struct kr_frame_times){
		.number = frame->number,
		.queued_ns = frame->queued_ns,
		.requested_ns = frame->target.kind ? frame->target.time_ns : KR_TIME_INVALID,
		.dequeue_ready_ns = KR_TIME_PENDING,
		.released_ns = KR_TIME_PENDING,
	};
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		times->time_ns[i] = told >> i & 1 ? KR_TIME_PENDING : KR_TIME_INVALID;
	times->complete = !told;
	memory->asked = frame->presentation.tell_events;
	memory->told_ns = KR_TIME_INVALID;
	memory->handed_ns = frame->queued_ns;
}

static void
tell_locked(struct kr_queue *queue, struct kr_queue_memory *memory,
	const struct kr_frame_events *events) KR_REQUIRES(queue->lock)
{
	struct kr_frame_times *times = &memory->times;

	for (unsigned i = 0; i < KR_EVENT_COUNT; i++) {
		if (events->known >> i & 1 && times->time_ns[i] == KR_TIME_PENDING)
			times->time_ns[i] = events->time_ns[i];
	}
	times->complete = is_complete(times);
}

void
kr_queue_events(struct kr_queue *queue, const struct kr_frame_events *events)
{
	struct kr_queue_memory *memory;

	kr_mutex_lock(&queue->lock);
	memory = find_locked(queue, events->number);
	if (memory) {
		tell_locked(queue, memory, events);
		if (queue->shown_waiters)
			kr_queue_wake_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
}

/* What is pending of it will never be told. */
static void
end_locked(struct kr_queue *queue, struct kr_queue_memory *memory) KR_REQUIRES(queue->lock)
{
	struct kr_frame_events none;

	kr_frame_end_events(memory->times.number, &none);
	tell_locked(queue, memory, &none);
}

void
kr_queue_forget_locked(struct kr_queue *queue, uint64_t number)
{
	struct kr_queue_memory *memory = find_locked(queue, number);

	if (!memory)
		return;
	end_locked(queue, memory);
	memory->handed_ns = 0;
	if (memory->times.dequeue_ready_ns == KR_TIME_PENDING)
		memory->times.dequeue_ready_ns = memory->times.released_ns = KR_TIME_INVALID;
}

void
kr_queue_handed_locked(struct kr_queue *queue, uint64_t number)
{
	struct kr_queue_memory *memory = find_locked(queue, number);

	if (memory)
		memory->handed_ns = kr_clock_now();
}

/* Frames before this one that were never said to be shown never were. */
static void
pass_untold_locked(struct kr_queue *queue, uint64_t number) KR_REQUIRES(queue->lock)
{
	const struct kr_frame_events none = {
		.known = 1 << KR_EVENT_SHOWN, .time_ns = {[KR_EVENT_SHOWN] = KR_TIME_INVALID}};

	for (uint64_t i = queue->shown + 1; i < number; i++) {
		struct kr_queue_memory *memory = find_locked(queue, i);

		if (memory)
			tell_locked(queue, memory, &none);
	}
}

void
kr_queue_told_locked(struct kr_queue *queue, uint64_t number, int64_t time_ns)
{
	const struct kr_frame_events shown = {
		.known = 1 << KR_EVENT_SHOWN, .time_ns = {[KR_EVENT_SHOWN] = time_ns}};
	struct kr_queue_memory *memory = find_locked(queue, number);

	if (memory)
		memory->told_ns = time_ns;
	if (!queue->shown_is_event)
		return;
	if (memory && memory->asked)
		tell_locked(queue, memory, &shown);
	if (number <= queue->frames && number - queue->shown <= KR_FRAME_HISTORY)
		pass_untold_locked(queue, number);
}

int64_t
kr_queue_told_time_locked(struct kr_queue *queue, uint64_t number)
{
	const struct kr_queue_memory *memory = find_locked(queue, number);

	return memory ? memory->told_ns : KR_TIME_INVALID;
}

/* A fence that was active when its buffer came back. Whether it is still. */
static bool
look_at_fence_locked(struct kr_queue *queue, struct kr_queue_memory *memory)
	KR_REQUIRES(queue->lock)
{
	int status = kr_fence_status(memory->fence);
	int64_t time_ns;

	if (status == KR_FENCE_ACTIVE)
		return true;
	time_ns = kr_fence_signal_time(memory->fence);
	memory->times.released_ns = time_ns ? time_ns : kr_clock_now();
	kr_fd_close(&memory->fence);
	queue->watched_fences--;
	return false;
}

static void
look_at_fences_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	for (unsigned i = 0; queue->watched_fences && i < KR_FRAME_HISTORY; i++) {
		if (queue->history[i].fence >= 0)
			(void)look_at_fence_locked(queue, &queue->history[i]);
	}
}

void
kr_queue_came_back_locked(struct kr_queue *queue, uint64_t number, int fence)
{
	struct kr_queue_memory *memory = find_locked(queue, number);
	int64_t now = kr_clock_now();
	int64_t time_ns;

	look_at_fences_locked(queue);
	if (!memory)
		return;
	memory->times.dequeue_ready_ns = memory->times.released_ns = now;
	/* The first frame that nobody asks about costs no more than its time. */
	if (fence < 0 || !memory->asked)
		return;
	memory->times.released_ns = KR_TIME_INVALID;
	if (kr_fence_status(fence) != KR_FENCE_ACTIVE) {
		time_ns = kr_fence_signal_time(fence);
		memory->times.released_ns = time_ns ? time_ns : now;
		return;
	}
	if (memory->fence >= 0 || queue->watched_fences == KR_QUEUE_WATCHED_FENCES)
		return;
	if (kr_fd_dup(fence, &memory->fence))
		return;
	memory->times.released_ns = KR_TIME_PENDING;
	queue->watched_fences++;
}

/* Nothing that may come changes it. */
static bool
is_settled(const struct kr_queue_memory *memory)
{
	return memory && memory->times.complete &&
		memory->times.dequeue_ready_ns != KR_TIME_PENDING &&
		memory->times.released_ns != KR_TIME_PENDING;
}

int
kr_queue_frame_times(struct kr_queue *queue, uint64_t number, struct kr_frame_times *times)
{
	struct kr_queue_memory *memory;
	struct kr_log_hold hold;
	int err = -ENOENT;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	memory = find_locked(queue, number);
	if (!is_settled(memory)) {
		kr_queue_listen_locked(queue);
		look_at_fences_locked(queue);
		memory = find_locked(queue, number);
	}
	if (memory) {
		if (queue->abandoned)
			end_locked(queue, memory);
		*times = memory->times;
		err = 0;
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}

/* When the last frame before this one that got anywhere was shown. */
int64_t
kr_queue_before_locked(struct kr_queue *queue, uint64_t number, bool *tells)
{
	uint64_t oldest = number > KR_FRAME_HISTORY ? number - KR_FRAME_HISTORY : 0;

	*tells = false;
	while (--number > oldest) {
		const struct kr_queue_memory *memory = find_locked(queue, number);
		int64_t shown_ns;

		if (!memory || !memory->handed_ns)
			continue;
		shown_ns = memory->times.time_ns[KR_EVENT_SHOWN];
		if (shown_ns < 0 && memory->told_ns >= 0)
			shown_ns = memory->told_ns;
		*tells = shown_ns == KR_TIME_PENDING;
		/* Nothing was shown before it was there, nor was anything tomorrow. */
		return shown_ns < memory->handed_ns || shown_ns > kr_clock_now() ? memory->handed_ns
										 : shown_ns;
	}
	return KR_TIME_INVALID;
}
