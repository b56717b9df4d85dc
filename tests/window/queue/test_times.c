/* SPDX-License-Identifier: Apache-2.0 */
/* What a queue remembers of its frames, and who tells it. */
#include "help.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define ALL KR_TIMING_EVENTS

static struct fake_sink sink;

static struct kr_queue *
open_queue(uint32_t events)
{
	help_config.timing.events = events;
	help_input.presentation.tell_events = true;
	return fake_sink_queue(&sink, false);
}

static void
tell(struct kr_queue *queue, uint64_t number, enum kr_frame_event event, int64_t time_ns)
{
	struct kr_frame_events events = {.number = number, .known = UINT32_C(1) << event};

	events.time_ns[event] = time_ns;
	kr_queue_events(queue, &events);
}

static struct kr_frame_times
times_of(struct kr_queue *queue, uint64_t number)
{
	struct kr_frame_times times = {0};

	assert_int_equal(kr_queue_frame_times(queue, number, &times), 0);
	assert_int_equal(times.number, number);
	return times;
}

/* B-88, B-92: in parts, out of order, once each. */
static void
events_come_in_parts(void **state)
{
	struct kr_queue *queue = open_queue(1 << KR_EVENT_LATCH | 1 << KR_EVENT_SHOWN);
	int64_t before = kr_clock_now();
	struct kr_frame_times times;

	help_frame(queue);
	help_frame(queue);
	times = times_of(queue, 1);
	assert_true(times.queued_ns >= before);
	assert_int_equal(times.requested_ns, KR_TIME_INVALID);
	assert_int_equal(times.time_ns[KR_EVENT_LATCH], KR_TIME_PENDING);
	assert_int_equal(times.time_ns[KR_EVENT_GPU_DONE], KR_TIME_INVALID);
	assert_false(times.complete);
	tell(queue, 2, KR_EVENT_SHOWN, 5);
	tell(queue, 2, KR_EVENT_SHOWN, 6);
	tell(queue, 2, KR_EVENT_GPU_DONE, 6);
	times = times_of(queue, 2);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], 5);
	assert_int_equal(times.time_ns[KR_EVENT_GPU_DONE], KR_TIME_INVALID);
	assert_false(times.complete);
	tell(queue, 2, KR_EVENT_LATCH, KR_TIME_INVALID);
	assert_true(times_of(queue, 2).complete);
	assert_false(times_of(queue, 1).complete);
	/* Nobody has heard of these. */
	tell(queue, 3, KR_EVENT_LATCH, 9);
	tell(queue, 0, KR_EVENT_LATCH, 9);
	tell(queue, UINT64_MAX, KR_EVENT_LATCH, 9);
	assert_int_equal(kr_queue_frame_times(queue, 3, &times), -ENOENT);
	assert_int_equal(kr_queue_frame_times(queue, 0, &times), -ENOENT);
	fake_sink_finish(&sink, queue);
}

/* B-89 */
static void
frames_are_remembered_for_a_while(void **state)
{
	struct kr_queue *queue = open_queue(ALL);
	struct kr_frame_times times;

	for (unsigned i = 0; i < KR_FRAME_HISTORY + 1; i++) {
		help_frame(queue);
		fake_sink_release(&sink, -1);
	}
	assert_int_equal(kr_queue_frame_times(queue, 1, &times), -ENOENT);
	tell(queue, 1, KR_EVENT_LATCH, 9);
	assert_int_equal(times_of(queue, 2).time_ns[KR_EVENT_LATCH], KR_TIME_PENDING);
	assert_int_equal(
		times_of(queue, KR_FRAME_HISTORY + 1).time_ns[KR_EVENT_LATCH], KR_TIME_PENDING);
	fake_sink_finish(&sink, queue);
}

/* B-90: of frames that nobody asks about the queue's own times are known alone. */
static void
who_doesnt_ask_isnt_told(void **state)
{
	struct kr_queue *queue = open_queue(ALL);
	struct kr_frame_times times;

	help_input.presentation.tell_events = false;
	help_frame(queue);
	tell(queue, 1, KR_EVENT_SHOWN, 5);
	times = times_of(queue, 1);
	assert_true(times.complete);
	assert_int_equal(times.time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
	fake_sink_release(&sink, -1);
	assert_true(times_of(queue, 1).dequeue_ready_ns >= times.queued_ns);
	fake_sink_finish(&sink, queue);
}

/* B-95: a sink that says up to which frame it has shown says it of this one; others never were. */
static void
what_is_told_as_shown_counts(void **state)
{
	struct kr_queue *queue;

	help_config.abilities.modes = 1;
	help_config.abilities.tells_shown = true;
	queue = open_queue(0);
	assert_int_equal(kr_queue_set_buffer_count(queue, 5), 0);
	for (unsigned i = 0; i < 3; i++)
		help_frame(queue);
	assert_true(sink.frames[0].presentation.tell_shown);
	kr_queue_shown(queue, 2, 77);
	assert_int_equal(times_of(queue, 1).time_ns[KR_EVENT_SHOWN], KR_TIME_INVALID);
	assert_int_equal(times_of(queue, 2).time_ns[KR_EVENT_SHOWN], 77);
	assert_int_equal(times_of(queue, 3).time_ns[KR_EVENT_SHOWN], KR_TIME_PENDING);
	assert_true(times_of(queue, 1).complete);
	fake_sink_finish(&sink, queue);
}

/* B-88: a buffer is ready when it is back, and released when nothing reads it any more. */
static void
buffers_come_back_and_are_read_no_more(void **state)
{
	struct kr_queue *queue = open_queue(ALL);
	struct kr_frame_times times;
	int producer, fence;
	int64_t now;

	help_frame(queue);
	times = times_of(queue, 1);
	assert_int_equal(times.dequeue_ready_ns, KR_TIME_PENDING);
	assert_int_equal(times.released_ns, KR_TIME_PENDING);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	fake_sink_release(&sink, fence);
	times = times_of(queue, 1);
	assert_true(times.dequeue_ready_ns >= times.queued_ns);
	assert_int_equal(times.released_ns, KR_TIME_PENDING);
	/* Dequeued again meanwhile. */
	help_frame(queue);
	now = kr_clock_now();
	kr_fence_signal(producer, 1);
	times = times_of(queue, 1);
	assert_true(times.released_ns >= now && times.released_ns <= kr_clock_now());
	fake_sink_release(&sink, -1);
	times = times_of(queue, 2);
	assert_int_equal(times.released_ns, times.dequeue_ready_ns);
	fake_sink_finish(&sink, queue);
}

/* Of a thousand frames that nobody looks at, few descriptors are kept. */
static void
few_fences_are_watched(void **state)
{
	struct kr_queue *queue = open_queue(ALL);
	int producers[40], before, fence;

	help_frame(queue);
	fake_sink_release(&sink, -1);
	before = kr_test_count_fds();
	for (size_t i = 0; i < KR_ARRAY_LEN(producers); i++) {
		help_frame(queue);
		assert_int_equal(kr_fence_create(NULL, &producers[i], &fence), 0);
		fake_sink_release(&sink, fence);
		assert_true(kr_test_count_fds() <= before + (int)i + 1 + 1 + 8);
	}
	assert_int_equal(times_of(queue, 41).released_ns, KR_TIME_INVALID);
	for (size_t i = 0; i < KR_ARRAY_LEN(producers); i++)
		kr_fence_signal(producers[i], 1);
	assert_true(times_of(queue, 2).released_ns > 0);
	assert_true(kr_test_count_fds() <= before + 1);
	fake_sink_finish(&sink, queue);
}

/* Nowhere: a frame is on screen once it is ready. */
static void
nowhere_shows_what_is_ready(void **state)
{
	struct kr_sink *null;
	struct kr_queue *queue;
	struct kr_frame_times times;
	int64_t deadline = kr_deadline_in(10 * KR_NSEC_PER_SEC), now;
	int producer, fence;

	help_config.timing.events = KR_SINK_NULL_EVENTS;
	help_input.presentation.tell_events = true;
	assert_int_equal(kr_sink_null_create(&null), 0);
	queue = help_queue(null);
	help_frame(queue);
	times = times_of(queue, 1);
	assert_true(times.complete);
	assert_true(times.time_ns[KR_EVENT_SHOWN] >= times.queued_ns);
	assert_int_equal(times.time_ns[KR_EVENT_LATCH], times.time_ns[KR_EVENT_SHOWN]);
	assert_int_equal(times.time_ns[KR_EVENT_FIRST_COMPOSITION], KR_TIME_INVALID);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &help_input, fence, NULL), 0);
	poll(NULL, 0, 20);
	assert_false(times_of(queue, 2).complete);
	now = kr_clock_now();
	kr_fence_signal(producer, 1);
	while (!times_of(queue, 2).complete && kr_clock_now() < deadline)
		poll(NULL, 0, 1);
	assert_true(times_of(queue, 2).time_ns[KR_EVENT_READY] >= now);
	kr_queue_unref(queue);
}

static const struct kr_test tests[] = {
	KR_TEST(events_come_in_parts),
	KR_TEST(frames_are_remembered_for_a_while),
	KR_TEST(who_doesnt_ask_isnt_told),
	KR_TEST(what_is_told_as_shown_counts),
	KR_TEST(buffers_come_back_and_are_read_no_more),
	KR_TEST(few_fences_are_watched),
	KR_TEST(nowhere_shows_what_is_ready),
};

KR_TEST_MAIN(tests)
