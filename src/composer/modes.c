/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a frame's present mode asks of a display that shows pictures at ticks (struct
 * kr_presentation).
 *
 *   FIFO               one a tick
 *   FIFO_RELAXED       likewise; one that gets ready after the tick at which it was due, with
 *                      nothing new of its window since, has a picture of its own at once. One such
 *                      picture a period: a screen shows no more
 *   FIFO_LATEST_READY  at a tick those that are ready leave the queue in order, the last is shown
 *   MAILBOX, IMMEDIATE likewise, and one that comes takes the place of one that waits. Nothing is
 *                      shown between two ticks for them: no screen here tears
 *   SHARED_DEMAND      a tick shows the buffer as it is then
 *   SHARED_CONTINUOUS  and so does each tick after it
 *
 * With all of them but SHARED_CONTINUOUS's refreshes a frame that asks for a time waits for it
 * first (due.c), and none that waits is gone on to; one that asks for a time is never late.
 *
 * A frame's own mode says whether a later one may take its place, so that a FIFO frame in front of
 * others has its tick. With a virtual clock all frames are shown, whatever their mode: which of
 * them is ready would be a matter of time. A buffer that is read anew is no reason for time to go
 * on there, unless nothing else has come for the time of an idle window.
 */
#include "composer/display.h"

#include "sync/fence/fence.h"

static bool
may_be_skipped(const struct kr_producer *producer)
{
	return kr_present_mode_drops(producer->head_mode) ||
		producer->head_mode == KR_PRESENT_FIFO_LATEST_READY;
}

/* Whether the frame behind the head can be shown as well. */
static bool
next_is_ready(struct kr_producer *producer, int64_t at)
{
	const struct kr_frame_target head = producer->head_target;
	struct kr_frame next;
	bool due;

	if (kr_consumer_peek_at(producer->consumer, 1, &next) < 0)
		return false;
	producer->head_target = next.target;
	due = kr_producer_is_due(producer, at);
	producer->head_target = head;
	if (!due)
		return false;
	return next.fence_done || kr_fence_status(next.acquire_fence) == KR_FENCE_SIGNALLED;
}

void
kr_producer_skip_to_latest(struct kr_producer *producer, int64_t at, int64_t now)
{
	while (producer->head == KR_HEAD_READY && may_be_skipped(producer) &&
		kr_producer_is_due(producer, at) && next_is_ready(producer, at)) {
		kr_display_count(producer->display, dropped);
		kr_producer_count(producer, dropped);
		kr_producer_discard(producer);
		kr_producer_update(producer, now);
	}
}

bool
kr_producer_is_late(const struct kr_producer *producer, int64_t now)
{
	return producer->head == KR_HEAD_READY && producer->head_mode == KR_PRESENT_FIFO_RELAXED &&
		producer->head_target.kind == KR_TARGET_NONE && producer->joined &&
		!producer->staging && producer->on_screen &&
		now - producer->latched_ns >= producer->display->grid.period_ns;
}

bool
kr_display_may_hurry(const struct kr_display *display, int64_t now)
{
	const struct kr_producer *producer;

	if (now - display->hurried_ns < display->grid.period_ns)
		return false;
	kr_list_for_each (producer, &display->producers, link) {
		if (kr_producer_is_late(producer, now))
			return true;
	}
	return false;
}

bool
kr_producer_refreshes(const struct kr_producer *producer)
{
	return producer->on_screen && producer->visible && !producer->gone && !producer->stuck &&
		!kr_display_is_full(producer->display) &&
		producer->current.presentation.mode == KR_PRESENT_SHARED_CONTINUOUS;
}

bool
kr_producer_refresh(struct kr_producer *producer, int64_t now)
{
	if (!kr_producer_refreshes(producer))
		return false;
	producer->idle_since_ns = now;
	kr_producer_show_again(producer);
	kr_display_count(producer->display, reread);
	return true;
}
