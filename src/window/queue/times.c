/* SPDX-License-Identifier: Apache-2.0 */
/* What a queue remembers of its last frames: when each was asked for, and what came of it when. */
#include <errno.h>

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

void
kr_queue_remember_locked(struct kr_queue *queue, const struct kr_frame *frame)
{
	struct kr_frame_times *times = &queue->history[frame->number % KR_FRAME_HISTORY];
	uint32_t told = frame->presentation.tell_events ? queue->config.timing.events : 0;

	*times = (struct kr_frame_times){
		.number = frame->number,
		.queued_ns = frame->queued_ns,
		.requested_ns = frame->target.kind ? frame->target.time_ns : KR_TIME_INVALID,
		.dequeue_ready_ns = KR_TIME_PENDING,
		.released_ns = KR_TIME_PENDING,
	};
	for (unsigned i = 0; i < KR_EVENT_COUNT; i++)
		times->time_ns[i] = told >> i & 1 ? KR_TIME_PENDING : KR_TIME_INVALID;
	times->complete = is_complete(times);
}

void
kr_queue_events(struct kr_queue *queue, const struct kr_frame_events *events)
{
	struct kr_frame_times *times = &queue->history[events->number % KR_FRAME_HISTORY];

	kr_mutex_lock(&queue->lock);
	if (events->number && times->number == events->number) {
		for (unsigned i = 0; i < KR_EVENT_COUNT; i++) {
			if (events->known >> i & 1 && times->time_ns[i] == KR_TIME_PENDING)
				times->time_ns[i] = events->time_ns[i];
		}
		times->complete = is_complete(times);
		kr_queue_wake_locked(queue);
	}
	kr_mutex_unlock(&queue->lock);
}

int
kr_queue_frame_times(struct kr_queue *queue, uint64_t number, struct kr_frame_times *times)
{
	const struct kr_frame_times *found = &queue->history[number % KR_FRAME_HISTORY];
	struct kr_log_hold hold;
	int err = -ENOENT;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	kr_queue_listen_locked(queue);
	if (number && found->number == number) {
		*times = *found;
		err = 0;
	}
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
	return err;
}
