/* SPDX-License-Identifier: Apache-2.0 */
/* See due.h. */
#include "window/queue/due.h"

#include "util/clock.h"

bool
kr_queue_is_timed_locked(const struct kr_queue *queue, const struct kr_frame *frame)
{
	const struct kr_timing *timing = &queue->config.timing;

	return frame->target.kind && !timing->virtual_clock &&
		!(timing->targets >> frame->target.kind & 1);
}

/* No time is negative: what would be is long past. */
static int64_t
before_locked(const struct kr_queue *queue, const struct kr_frame_target *target, int64_t time_ns)
	KR_REQUIRES(queue->lock)
{
	time_ns -= queue->config.timing.latency_ns;
	if (target->nearest)
		time_ns -= queue->config.refresh_ns / 2;
	return KR_MAX(time_ns, 0);
}

int64_t
kr_queue_due_locked(struct kr_queue *queue, const struct kr_frame *frame, int64_t now, bool *moves)
{
	const struct kr_frame_target *target = &frame->target;
	int64_t time_ns = target->time_ns;
	int64_t base;

	*moves = false;
	if (!kr_queue_is_timed_locked(queue, frame))
		return 0;
	switch (target->kind) {
	case KR_TARGET_TIMESTAMP:
		if (time_ns - now > KR_TARGET_FAR_NS)
			return 0;
		break;
	case KR_TARGET_RELATIVE:
		base = kr_queue_before_locked(queue, frame->number, moves);
		if (base < 0)
			return 0;
		time_ns = base > KR_FOREVER - time_ns ? KR_FOREVER : base + time_ns;
		break;
	default:
		break;
	}
	return before_locked(queue, target, time_ns);
}

bool
kr_queue_is_overtaken_locked(struct kr_queue *queue, const struct kr_frame *frame,
	const struct kr_frame *next, int64_t now)
{
	bool moves;

	return frame->target.kind == KR_TARGET_TIMESTAMP &&
		next->target.kind == KR_TARGET_TIMESTAMP &&
		kr_queue_is_timed_locked(queue, frame) &&
		now - next->target.time_ns <= KR_TARGET_FAR_NS &&
		next->target.time_ns - now <= KR_TARGET_FAR_NS &&
		kr_queue_due_locked(queue, next, now, &moves) <= now;
}
