/* SPDX-License-Identifier: Apache-2.0 */
/* The null sink, and the one constant that says how long a far end may stay silent. */
#include "window/queue/sink.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "util/clock.h"
#include "util/fd.h"
#include "window/queue/queue.h"

#define ANSWER_NS (5 * KR_NSEC_PER_SEC)

static _Atomic int64_t answer_ns = ANSWER_NS;

int64_t
kr_sink_answer_ns(void)
{
	return atomic_load_explicit(&answer_ns, memory_order_relaxed);
}

void
kr_sink_set_answer_ns(int64_t ns)
{
	atomic_store(&answer_ns, ns > 0 ? ns : ANSWER_NS);
}

struct null_sink {
	struct kr_sink base;
	struct kr_queue *queue;
	bool shares; /* the frame below is of a shared slot, and on show */
	uint32_t slot;
	uint64_t number;
};

static const struct kr_sink_impl null_impl;

static struct null_sink *
null_from_sink(struct kr_sink *sink)
{
	assert(sink->impl == &null_impl);
	return (struct null_sink *)sink;
}

static void
null_attach(struct kr_sink *sink, struct kr_queue *queue)
{
	static const struct kr_wants nothing = {.every = 0};

	null_from_sink(sink)->queue = queue;
	kr_queue_set_wants(queue, &nothing);
}

/* It is as much on screen as it ever will be. */
static void
null_tell(const struct null_sink *null, uint64_t number)
{
	int64_t now = kr_clock_now();
	const struct kr_frame_events events = {
		.number = number,
		.known = KR_SINK_NULL_EVENTS,
		.time_ns =
			{
				[KR_EVENT_LATCH] = now,
				[KR_EVENT_READY] = now,
				[KR_EVENT_SHOWN] = now,
			},
	};

	kr_queue_events(null->queue, &events);
}

/* Only of a frame that somebody asks about it matters when it is ready. */
static bool
null_takes_fence(struct kr_sink *sink, const struct kr_frame *frame)
{
	return !frame->presentation.tell_events;
}

static int
null_submit(struct kr_sink *sink, const struct kr_frame *frame)
{
	struct null_sink *null = null_from_sink(sink);
	int fence = frame->acquire_fence;

	if (null->shares && null->slot != frame->slot) {
		/* -ESTALE when its producer is gone: it is nobody's. */
		(void)kr_queue_release(null->queue, null->slot, null->number, -1);
		null->shares = false;
	}
	if (frame->presentation.tell_events)
		null_tell(null, frame->number);
	if (!kr_present_mode_is_shared(frame->presentation.mode))
		return kr_queue_release(null->queue, frame->slot, frame->number, fence);
	null->shares = true;
	null->slot = frame->slot;
	null->number = frame->number;
	kr_fd_close(&fence);
	return 0;
}

static void
null_destroy(struct kr_sink *sink)
{
	free(null_from_sink(sink));
}

static const struct kr_sink_impl null_impl = {
	.name = "null",
	.attach = null_attach,
	.submit = null_submit,
	.ready_frames = true,
	.takes_fence = null_takes_fence,
	.destroy = null_destroy,
};

int
kr_sink_null_create(struct kr_sink **sink)
{
	struct null_sink *null = calloc(1, sizeof(*null));

	if (!null)
		return -ENOMEM;
	null->base.impl = &null_impl;
	*sink = &null->base;
	return 0;
}
