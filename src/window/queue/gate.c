/* SPDX-License-Identifier: Apache-2.0 */
/* See gate.h. */
#include "window/queue/gate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/fence/user_fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "window/queue/core.h"
#include "window/queue/due.h"

/* How long after it was queued a frame may become ready (DESIGN rule 7). */
#define LIMIT_NS (5 * KR_NSEC_PER_SEC)
/* How soon the thread sees that the far end is gone, and nobody will show what it waits for. */
#define SLICE_NS (100 * KR_NSEC_PER_MSEC)

/*
 * A slot has one frame at a time, a shared one two: one that is waited for, and one behind it,
 * whose place the next one takes.
 */
#define GATE_FRAMES (2 * KR_QUEUE_SLOTS)

struct kr_gate {
	pthread_t thread;
	pid_t pid;           /* whose thread that is: a forked child has none */
	struct kr_cond came; /* a frame, or the end */
	/* The rest is the queue's lock's. */
	bool ending;
	uint32_t first;
	uint32_t count;
	struct kr_frame frames[GATE_FRAMES]; /* a ring */
};

/* Nobody shows it. Its buffer is free, once what draws into it is done. */
static void
drop(struct kr_queue *queue, struct kr_frame *frame)
{
	kr_mutex_lock(&queue->lock);
	kr_queue_not_taken_locked(queue, frame, frame->acquire_fence);
	kr_mutex_unlock(&queue->lock);
}

/* What the sink would say if it knew of fences. */
static void
tell_ready(struct kr_queue *queue, const struct kr_frame *frame)
{
	int64_t now, ready_ns = frame->queued_ns;
	struct kr_frame_events events;

	if (!queue->ready_is_event || !frame->presentation.tell_events)
		return;
	now = kr_clock_now();
	if (frame->acquire_fence >= 0)
		ready_ns = kr_fence_signal_time(frame->acquire_fence);
	events = (struct kr_frame_events){
		.number = frame->number,
		.known = 1 << KR_EVENT_READY | 1 << KR_EVENT_LATCH,
		.time_ns = {[KR_EVENT_READY] = ready_ns ? ready_ns : now, [KR_EVENT_LATCH] = now},
	};
	kr_queue_events(queue, &events);
}

/*
 * Inside the sink, which owns the fence then: it is done (0) where the sink can't wait, has failed,
 * or is late (-ETIME). Whoever draws too long draws on: then the buffer comes back with what tells
 * when he has done.
 */
static int
hand_over(struct kr_queue *queue, struct kr_frame *frame, int status)
{
	char sentence[KR_FENCE_SENTENCE];

	if (!status) {
		if (queue->sink->impl->ready_frames) {
			tell_ready(queue, frame);
			kr_fd_close(&frame->acquire_fence);
		}
		return queue->sink->impl->submit(queue->sink, frame);
	}
	kr_fence_sentence_of(frame->acquire_fence, sentence);
	kr_warn("window: frame %llu isn't shown, its fence %s %s (%s)",
		(unsigned long long)frame->number, sentence,
		status == -ETIME ? "is late" : "failed", strerror(-status));
	if (status != -ETIME)
		kr_fd_close(&frame->acquire_fence);
	drop(queue, frame);
	return 0;
}

/* The frame that came first, which stays where it is; false: none will come. */
static bool
wait_for_frame(struct kr_queue *queue, struct kr_gate *gate, struct kr_frame *frame)
{
	bool came;

	kr_mutex_lock(&queue->lock);
	while (!gate->count && !gate->ending)
		kr_cond_wait_until(&gate->came, &queue->lock, KR_FOREVER);
	came = gate->count > 0;
	if (came)
		*frame = gate->frames[gate->first];
	kr_mutex_unlock(&queue->lock);
	return came;
}

static bool
is_abandoned(struct kr_queue *queue)
{
	bool abandoned;

	kr_mutex_lock(&queue->lock);
	abandoned = queue->abandoned;
	kr_mutex_unlock(&queue->lock);
	return abandoned;
}

/* 0, what the fence failed with, -ETIME, or -EPIPE when nobody would show it. */
static int
wait_until_ready(struct kr_queue *queue, const struct kr_frame *frame)
{
	struct pollfd p = {.fd = frame->acquire_fence, .events = POLLIN};
	struct kr_fence_watchdog watchdog = {0};
	int64_t deadline = frame->queued_ns + LIMIT_NS;

	/* Nearly all were active a moment ago: it is asked first when that is likely over. */
	if (p.fd >= 0 && kr_fd_poll(&p, 1, KR_MIN(deadline, kr_deadline_in(SLICE_NS))) == 0 &&
		is_abandoned(queue))
		return -EPIPE;
	for (;;) {
		int64_t until = KR_MIN(deadline, kr_deadline_in(SLICE_NS));
		int err = kr_fence_wait_watched(
			frame->acquire_fence, until, &watchdog, "a frame of a window");

		if (err != -ETIME || until == deadline)
			return err;
		if (is_abandoned(queue))
			return -EPIPE;
	}
}

/* The one behind the first, or NULL. */
static const struct kr_frame *
next_locked(const struct kr_queue *queue, const struct kr_gate *gate) KR_REQUIRES(queue->lock)
{
	return gate->count > 1 ? &gate->frames[(gate->first + 1) % GATE_FRAMES] : NULL;
}

/* Whether the first is left out for the one behind it, which can be shown. */
static bool
is_overtaken_locked(struct kr_queue *queue, const struct kr_gate *gate,
	const struct kr_frame *frame, int64_t now) KR_REQUIRES(queue->lock)
{
	const struct kr_frame *next = next_locked(queue, gate);

	return next && kr_queue_is_overtaken_locked(queue, frame, next, now) &&
		(!queue->sink->impl->ready_frames ||
			kr_fence_status(next->acquire_fence) == KR_FENCE_SIGNALLED);
}

/* When the next look makes sense: it is due, or the one behind it is. */
static int64_t
next_look_locked(struct kr_queue *queue, const struct kr_gate *gate, const struct kr_frame *frame,
	int64_t now, int64_t due) KR_REQUIRES(queue->lock)
{
	const struct kr_frame *next = next_locked(queue, gate);
	int64_t next_due;
	bool moves;

	if (!next || frame->target.kind != KR_TARGET_TIMESTAMP ||
		next->target.kind != KR_TARGET_TIMESTAMP)
		return due;
	next_due = kr_queue_due_locked(queue, next, now, &moves);
	return next_due > now ? KR_MIN(due, next_due) : due;
}

/* What the frame's time hangs on comes from the sink. Drops the lock. */
static void
wait_for_shown_locked(struct kr_queue *queue, int64_t until) KR_REQUIRES(queue->lock)
{
	queue->shown_waiters++;
	/* Whatever comes of it: its time is looked at again. */
	if (kr_queue_wait_locked(queue, until, false))
		until = 0;
	queue->shown_waiters--;
}

/* 0; -EPIPE when nobody would show it; -ECANCELED when its producer is gone. */
static int
wait_until_due(struct kr_queue *queue, struct kr_gate *gate, const struct kr_frame *frame)
{
	int err = 0;

	kr_mutex_lock(&queue->lock);
	while (kr_queue_is_timed_locked(queue, frame)) {
		int64_t now = kr_clock_now();
		bool moves;
		int64_t due = kr_queue_due_locked(queue, frame, now, &moves);
		/* A far end that doesn't tell keeps it no longer than that. */
		int64_t latest =
			moves && due < KR_FOREVER - KR_TARGET_FAR_NS ? due + KR_TARGET_FAR_NS : due;

		if (queue->abandoned)
			err = -EPIPE;
		else if (latest > now && gate->ending)
			err = -ECANCELED;
		if (err || latest <= now || is_overtaken_locked(queue, gate, frame, now))
			break;
		if (moves)
			wait_for_shown_locked(queue, latest);
		else
			kr_cond_wait_until(&gate->came, &queue->lock,
				KR_MIN(next_look_locked(queue, gate, frame, now, due),
					now + SLICE_NS));
	}
	kr_mutex_unlock(&queue->lock);
	return err;
}

/* As both. */
static int
wait_for_turn(struct kr_queue *queue, struct kr_gate *gate, const struct kr_frame *frame)
{
	int err = wait_until_due(queue, gate, frame);

	if (err || !queue->sink->impl->ready_frames)
		return err;
	return wait_until_ready(queue, frame);
}

static void
pass(struct kr_queue *queue, struct kr_gate *gate, struct kr_frame *frame, int status)
{
	bool overtaken;
	struct kr_log_hold hold;
	int err;

	kr_log_hold_begin(&hold);
	kr_mutex_lock(&queue->lock);
	/* Without a limit it is always let in. */
	err = kr_queue_enter_sink_locked(queue, KR_FOREVER);
	overtaken = status == -ECANCELED || is_overtaken_locked(queue, gate, frame, kr_clock_now());
	kr_queue_handed_locked(queue, frame->number);
	gate->first = (gate->first + 1) % GATE_FRAMES;
	gate->count--;
	if (!err && queue->abandoned)
		err = -EPIPE;
	kr_mutex_unlock(&queue->lock);
	if (err)
		kr_fd_close(&frame->acquire_fence);
	else if (overtaken)
		drop(queue, frame);
	else
		err = hand_over(queue, frame, status);
	if (err && err != -EPIPE)
		kr_warn("window: frame %llu isn't shown: the %s end doesn't take it (%s)",
			(unsigned long long)frame->number, queue->sink->impl->name, strerror(-err));
	kr_mutex_lock(&queue->lock);
	/* The producer hears it by the next. */
	if (err || !overtaken)
		(void)kr_queue_submitted_locked(queue, frame, err);
	kr_queue_leave_sink_locked(queue);
	kr_mutex_unlock(&queue->lock);
	kr_log_hold_end(&hold);
}

/* Who has the thread has its gate: the queue destroys that after it has joined the thread. */
static void *
gate_main(void *data)
{
	struct kr_queue *queue = data;
	struct kr_gate *gate;
	struct kr_frame frame;

	/* A frame's time is kept as well as can be: by default the kernel adds up to 50 us. */
	(void)prctl(PR_SET_TIMERSLACK, 1);
	kr_mutex_lock(&queue->lock);
	gate = queue->gate;
	kr_mutex_unlock(&queue->lock);
	while (wait_for_frame(queue, gate, &frame))
		pass(queue, gate, &frame, wait_for_turn(queue, gate, &frame));
	return NULL;
}

/* Signals are for the application's threads. */
static bool
start_locked(struct kr_queue *queue) KR_REQUIRES(queue->lock)
{
	struct kr_gate *gate = calloc(1, sizeof(*gate));
	sigset_t all, before;
	int err;

	if (!gate)
		return false;
	kr_cond_init(&gate->came);
	queue->gate = gate;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&gate->thread, NULL, gate_main, queue);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		queue->gate = NULL;
		kr_cond_finish(&gate->came);
		free(gate);
		return false;
	}
	pthread_setname_np(gate->thread, "krafla-frames");
	gate->pid = getpid();
	return true;
}

bool
kr_gate_stops_locked(struct kr_queue *queue, const struct kr_frame *frame)
{
	bool moves;

	if (queue->gate && queue->gate->count)
		return true;
	if (!kr_queue_is_timed_locked(queue, frame))
		return false;
	return kr_queue_due_locked(queue, frame, frame->queued_ns, &moves) > frame->queued_ns ||
		moves;
}

/* A later frame of a shared slot for an earlier one that nobody waits for yet. */
static bool
take_place(struct kr_gate *gate, const struct kr_frame *frame)
{
	struct kr_frame *last = &gate->frames[(gate->first + gate->count - 1) % GATE_FRAMES];
	struct kr_frame earlier;

	if (gate->count < 2 || last->slot != frame->slot)
		return false;
	earlier = *last;
	*last = *frame;
	kr_frame_take_place(last, &earlier);
	kr_fd_close(&earlier.acquire_fence);
	return true;
}

/* False when there is no thread, and none to be had: nothing stands before the gate then. */
static bool
keep(struct kr_queue *queue, const struct kr_frame *frame)
{
	struct kr_gate *gate;
	bool kept;

	kr_mutex_lock(&queue->lock);
	kept = queue->gate || start_locked(queue);
	if (kept) {
		gate = queue->gate;
		if (!take_place(gate, frame))
			gate->frames[(gate->first + gate->count++) % GATE_FRAMES] = *frame;
		kr_cond_broadcast(&gate->came);
	}
	kr_mutex_unlock(&queue->lock);
	return kept;
}

/* The cheaper question; what else there is, kr_fence_status tells. */
static bool
is_surely_active(int fence)
{
	return fence >= 0 && kr_sync_user_is_active(fence);
}

static bool
takes_fence(struct kr_queue *queue, const struct kr_frame *frame)
{
	const struct kr_sink_impl *impl = queue->sink->impl;

	/* When a fence that is gone has signalled nobody would know. */
	if (queue->ready_is_event && frame->presentation.tell_events)
		return false;
	return frame->acquire_fence >= 0 && impl->takes_fence &&
		impl->takes_fence(queue->sink, frame);
}

int
kr_gate_submit(struct kr_queue *queue, struct kr_frame *frame, bool stops)
{
	const struct kr_sink_impl *impl = queue->sink->impl;
	int status = KR_FENCE_ACTIVE;

	if (!stops) {
		if (!impl->ready_frames || takes_fence(queue, frame))
			return impl->submit(queue->sink, frame);
		if (!is_surely_active(frame->acquire_fence))
			status = kr_fence_status(frame->acquire_fence);
		if (status != KR_FENCE_ACTIVE)
			return hand_over(queue, frame, KR_MIN(status, 0));
	}
	if (keep(queue, frame))
		return 0;
	if (!impl->ready_frames)
		return impl->submit(queue->sink, frame);
	status = kr_fence_wait(frame->acquire_fence, frame->queued_ns + LIMIT_NS);
	return hand_over(queue, frame, status);
}

static void
end_thread(struct kr_queue *queue, struct kr_gate *gate)
{
	kr_mutex_lock(&queue->lock);
	gate->ending = true;
	kr_cond_broadcast(&gate->came);
	kr_queue_wake_locked(queue);
	kr_mutex_unlock(&queue->lock);
	pthread_join(gate->thread, NULL);
	kr_cond_finish(&gate->came);
}

bool
kr_gate_finish(struct kr_queue *queue) KR_NO_THREAD_SAFETY
{
	struct kr_gate *gate = queue->gate;
	bool ours;

	if (!gate)
		return true;
	/*
	 * A child has no such thread. It may have been forked while the parent's had the lock, or
	 * waited: both would be for ever here.
	 */
	ours = gate->pid == getpid();
	if (ours)
		end_thread(queue, gate);
	for (; gate->count; gate->count--) {
		kr_fd_close(&gate->frames[gate->first].acquire_fence);
		gate->first = (gate->first + 1) % GATE_FRAMES;
	}
	free(gate);
	return ours;
}
