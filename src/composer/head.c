/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a producer: the oldest of its frames that is not on screen. It becomes ready when its
 * acquire fence signals, is given back when the fence fails (H-01), and stops being waited for when
 * the fence stays active for too long.
 */
#include "composer/display.h"

#include <errno.h>
#include <stdio.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log_budget.h"

void
kr_producer_discard(struct kr_producer *producer)
{
	int64_t ready_ns = producer->head == KR_HEAD_READY ? producer->ready_ns : KR_TIME_INVALID;
	struct kr_frame frame;

	producer->head = KR_HEAD_NONE;
	producer->head_fence = -1;
	producer->stuck = false;
	producer->skipped = true;
	if (kr_consumer_skip(producer->consumer, &frame))
		return;
	if (kr_display_is_full(producer->display))
		kr_display_count(producer->display, late);
	producer->done++;
	producer->left = frame.number;
	kr_producer_ask_shown(producer, &frame, producer->display->ticks);
	kr_producer_time_dropped(producer, &frame, ready_ns);
	kr_producer_give_back(producer, &frame);
}

/* The head as it is now; whether there is one. */
static bool
look_at_head(struct kr_producer *producer, int64_t now, struct kr_frame *frame)
{
	producer->head_fence = -1;
	if (kr_consumer_peek(producer->consumer, frame) < 0) {
		producer->head = KR_HEAD_NONE;
		producer->stuck = false;
		return false;
	}
	if (producer->head == KR_HEAD_NONE || producer->head_number != frame->number) {
		producer->head = KR_HEAD_PENDING;
		producer->head_number = frame->number;
		producer->head_since_ns = now;
		producer->fence_woke = false;
		producer->stuck = false;
		producer->waited = false;
		producer->head_mode = frame->presentation.mode;
		producer->head_target = frame->target;
		producer->head_tells_shown = frame->presentation.tell_shown;
		kr_fence_watchdog_start(&producer->late, now);
	}
	return true;
}

/*
 * When the frame could have been shown, never the future, whatever the producer claims: its fence's
 * time where that can be had without receiving from a description that the producer shares, else
 * when the fence was found done here, or when it was queued if it was done before anybody looked.
 */
static int64_t
ready_time(const struct kr_producer *producer, const struct kr_frame *frame, int64_t now)
{
	/* Of user-space fences that others made it isn't known. */
	bool known = frame->fence_kernel || producer->of_this_process;
	int64_t signalled = known ? kr_fence_signal_time(frame->acquire_fence) : 0;
	int64_t at = frame->queued_ns;

	if (signalled > 0)
		at = KR_MAX(signalled, at);
	else if (producer->waited)
		at = now;
	return at > 0 && at < now ? at : now;
}

static void
hide_stuck(struct kr_producer *producer, int fence)
{
	struct kr_display *display = producer->display;
	const char *label = kr_consumer_label(producer->consumer);
	int pid = kr_consumer_pid(producer->consumer);
	struct kr_fence_description description;
	char sentence[KR_FENCE_SENTENCE];

	kr_fence_sentence_of(fence, sentence);
	kr_error(
		"display: frame %llu of %s (pid %d) waits for an acquire fence that has not signalled for %lld s: the fence %s; its layer is hidden",
		(unsigned long long)producer->head_number, label, pid,
		(long long)(KR_DISPLAY_WATCHDOG_NS / KR_NSEC_PER_SEC), sentence);
	producer->stuck = true;
	kr_display_count(display, stuck);
	/* A shared buffer is the producer's at the same time, and isn't given back. */
	if (!producer->on_screen || !kr_present_mode_is_shared(producer->current.presentation.mode))
		kr_producer_leave_screen(producer);
	display->restacked = display->withdrawn = true;
	if (display->hooks.fence_stuck && !kr_fence_describe(fence, &description))
		display->hooks.fence_stuck(
			display->data, label, pid, producer->head_number, &description);
}

/* The head's fence is active: looks whether that has lasted too long. */
static void
watch_head(struct kr_producer *producer, const struct kr_frame *frame, int64_t now)
{
	char what[128];

	producer->head_fence = frame->acquire_fence;
	producer->waited = true;
	snprintf(what, sizeof(what), "display: frame %llu of %s",
		(unsigned long long)producer->head_number, kr_consumer_label(producer->consumer));
	kr_fence_watchdog_look(&producer->late, frame->acquire_fence, what, now);
	if (!producer->stuck && now - producer->head_since_ns >= KR_DISPLAY_WATCHDOG_NS)
		hide_stuck(producer, frame->acquire_fence);
}

static struct kr_log_budget failed;

static void
tell_failed(struct kr_producer *producer, const struct kr_frame *frame, int status)
{
	const char *label = kr_consumer_label(producer->consumer);
	int pid = kr_consumer_pid(producer->consumer);
	unsigned long long number = frame->number;

	/* Who is killed while he draws has done nothing wrong. */
	if (status == -EOWNERDEAD)
		kr_log_limited(&failed, KR_LOG_INFO,
			"display: frame %llu of %s (pid %d) is dropped: its program ended before it was drawn",
			number, label, pid);
	else
		kr_log_limited(&failed, KR_LOG_WARN,
			"display: frame %llu of %s (pid %d) is dropped: its acquire fence failed (error %d)",
			number, label, pid, -status);
	kr_display_count(producer->display, failed);
}

void
kr_producer_update(struct kr_producer *producer, int64_t now)
{
	struct kr_frame frame;

	/* It may be waiting for a buffer that is looked at here: then it isn't idle. */
	if (kr_producer_waits_for_us(producer))
		producer->idle_since_ns = now;
	while (look_at_head(producer, now, &frame)) {
		int status;

		/* What has signalled stays so. */
		if (producer->head == KR_HEAD_READY)
			return;
		status = frame.fence_done ? KR_FENCE_SIGNALLED
					  : kr_fence_status(frame.acquire_fence);
		if (status == KR_FENCE_SIGNALLED) {
			producer->ready_ns = ready_time(producer, &frame, now);
			producer->head = KR_HEAD_READY;
			return;
		}
		/* poll said it is done and it says it isn't: whatever this is, it would spin. */
		if (status == KR_FENCE_ACTIVE && producer->fence_woke)
			status = -EPROTO;
		if (status == KR_FENCE_ACTIVE) {
			watch_head(producer, &frame, now);
			return;
		}
		if (!kr_display_is_full(producer->display))
			tell_failed(producer, &frame, status);
		kr_producer_discard(producer);
		producer->idle_since_ns = now;
	}
}

/* Takes the head out of the queue. */
static bool
acquire_head(struct kr_producer *producer, struct kr_frame *frame)
{
	producer->head = KR_HEAD_NONE;
	producer->head_fence = -1;
	producer->stuck = false;
	if (kr_consumer_acquire(producer->consumer, frame))
		return false;
	producer->done++;
	producer->left = frame->number;
	return true;
}

bool
kr_producer_latch(struct kr_producer *producer, int64_t now)
{
	struct kr_frame frame;

	producer->idle_since_ns = now;
	if (!acquire_head(producer, &frame))
		return false;
	kr_producer_follow(producer, frame.number);
	kr_producer_show(producer, &frame, producer->ready_ns, now);
	return true;
}

bool
kr_producer_stage(struct kr_producer *producer)
{
	producer->coming_ready_ns = producer->ready_ns;
	producer->staging = acquire_head(producer, &producer->coming);
	return producer->staging;
}
