/* SPDX-License-Identifier: Apache-2.0 */
/* Android's questions about frames' times, and its rules for the answers. */
#include "help.h"

#include <errno.h>

#include "util/clock.h"
#include "window/window.h"

#define PENDING NATIVE_WINDOW_TIMESTAMP_PENDING
#define INVALID NATIVE_WINDOW_TIMESTAMP_INVALID

static struct fake_sink sink;

static ANativeWindow *
open_with(uint32_t events, bool polls)
{
	struct kr_queue *queue;
	ANativeWindow *window;

	help_config.timing.events = events;
	fake_sink_init(&sink, polls);
	assert_int_equal(kr_queue_create(&help_config, &sink.base, &queue), 0);
	assert_int_equal(kr_window_create(queue, &window), 0);
	kr_queue_unref(queue);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	return window;
}

static ANativeWindow *
open_window(uint32_t events)
{
	return open_with(events, false);
}

static void
close_window(ANativeWindow *window)
{
	kr_window_unref(window);
	fake_sink_finish(&sink, NULL);
}

static void
queue_frame(ANativeWindow *window)
{
	ANativeWindowBuffer *buffer;
	int fence;

	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
}

struct nine {
	int64_t t[9];
};

static int
ask(ANativeWindow *window, uint64_t id, struct nine *nine)
{
	int64_t *t = nine->t;

	return native_window_get_frame_timestamps(
		window, id, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7], &t[8]);
}

/* B-09, B-90, B-91 */
static void
who_hasnt_enabled_them_gets_none(void **state)
{
	ANativeWindow *window = open_window(KR_TIMING_EVENTS);
	struct nine nine;
	int64_t value;
	uint64_t id;

	queue_frame(window);
	assert_int_equal(ask(window, 1, &nine), -ENOSYS);
	assert_int_equal(native_window_get_compositor_timing(window, &value, NULL, NULL), -ENOSYS);
	assert_false(sink.frames[0].presentation.tell_events);
	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	assert_int_equal(native_window_get_next_frame_id(window, &id), 0);
	assert_int_equal(id, 2);
	assert_int_equal(native_window_get_next_frame_id(window, NULL), -EINVAL);
	queue_frame(window);
	assert_true(sink.frames[1].presentation.tell_events);
	assert_int_equal(ask(window, 2, &nine), 0);
	assert_int_equal(ask(window, 3, &nine), -ENOENT);
	assert_int_equal(ask(window, 0, &nine), -ENOENT);
	/* And off with the connection. */
	window->perform(window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_EGL);
	assert_int_equal(ask(window, 2, &nine), -ENOSYS);
	assert_int_equal(native_window_enable_frame_timestamps(NULL, true), -EINVAL);
	assert_int_equal(native_window_get_next_frame_id(NULL, &id), -EINVAL);
	assert_int_equal(native_window_get_compositor_timing(NULL, NULL, NULL, NULL), -EINVAL);
	assert_int_equal(ask(NULL, 1, &nine), -EINVAL);
	close_window(window);
}

/* B-88, B-93 */
static void
the_last_frames_end_is_never_known(void **state)
{
	ANativeWindow *window = open_window(KR_TIMING_EVENTS);
	struct kr_frame_events events = {
		.number = 1, .known = KR_TIMING_EVENTS, .time_ns = {10, 20, 30, 40, 50, 60}};
	struct nine nine;

	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	assert_int_equal(ANativeWindow_setBuffersTimestamp(window, 5), 0);
	queue_frame(window);
	assert_int_equal(ask(window, 1, &nine), 0);
	assert_int_equal(nine.t[0], 5);
	for (unsigned i = 1; i < 9; i++)
		assert_int_equal(nine.t[i], PENDING);
	kr_queue_events(sink.queue, &events);
	fake_sink_release(&sink, -1);
	assert_int_equal(ask(window, 1, &nine), 0);
	assert_int_equal(nine.t[1], 20); /* ready */
	assert_int_equal(nine.t[2], 10); /* latched */
	assert_int_equal(nine.t[3], 30);
	assert_int_equal(nine.t[4], PENDING);
	assert_int_equal(nine.t[5], 50);
	assert_int_equal(nine.t[6], 60);
	assert_int_equal(nine.t[7], PENDING);
	assert_int_equal(nine.t[8], PENDING);
	queue_frame(window);
	assert_int_equal(ask(window, 1, &nine), 0);
	assert_int_equal(nine.t[4], 40);
	assert_true(nine.t[7] > 0);
	assert_int_equal(nine.t[8], nine.t[7]);
	/* Who asks for nothing gets nothing. */
	assert_int_equal(native_window_get_frame_timestamps(
				 window, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		0);
	close_window(window);
}

/* B-94: what ended before it could begin was done by no GPU. */
static void
a_composition_without_a_gpu_is_zero(void **state)
{
	ANativeWindow *window = open_window(KR_TIMING_EVENTS);
	struct kr_frame_events events = {
		.number = 1, .known = KR_TIMING_EVENTS, .time_ns = {10, 20, 30, 40, 30, 60}};
	struct nine nine;

	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	queue_frame(window);
	kr_queue_events(sink.queue, &events);
	assert_int_equal(ask(window, 1, &nine), 0);
	assert_true(nine.t[0] > 0); /* when it was queued */
	assert_int_equal(nine.t[5], 0);
	queue_frame(window);
	events.number = 2;
	events.time_ns[KR_EVENT_GPU_DONE] = KR_TIME_INVALID;
	kr_queue_events(sink.queue, &events);
	assert_int_equal(ask(window, 2, &nine), 0);
	assert_int_equal(nine.t[5], INVALID);
	close_window(window);
}

/* B-91 */
static void
who_cant_tell_what_is_shown_says_so(void **state)
{
	ANativeWindow *window = open_window(1 << KR_EVENT_LATCH);
	int64_t latch = 0;
	struct nine nine;
	int value;

	assert_int_equal(
		window->query(window, NATIVE_WINDOW_FRAME_TIMESTAMPS_SUPPORTS_PRESENT, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	queue_frame(window);
	assert_int_equal(ask(window, 1, &nine), -EINVAL);
	assert_int_equal(native_window_get_frame_timestamps(
				 window, 1, NULL, NULL, &latch, NULL, NULL, NULL, NULL, NULL, NULL),
		0);
	assert_int_equal(latch, PENDING);
	close_window(window);
	window = open_window(1 << KR_EVENT_SHOWN);
	assert_int_equal(
		window->query(window, NATIVE_WINDOW_FRAME_TIMESTAMPS_SUPPORTS_PRESENT, &value), 0);
	assert_int_equal(value, 1);
	close_window(window);
}

/* B-96 */
static void
a_clock_has_a_next_deadline(void **state)
{
	int64_t deadline = 0, interval = 0, latency = 0, now;
	ANativeWindow *window = open_window(0);

	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	assert_int_equal(native_window_get_compositor_timing(window, &deadline, NULL, NULL),
		-ENOSYS); /* no clock */
	close_window(window);
	help_config.refresh_ns = 16000000;
	help_config.timing.phase_ns = 5;
	help_config.timing.latency_ns = 1000000;
	window = open_window(0);
	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	now = kr_clock_now();
	assert_int_equal(
		native_window_get_compositor_timing(window, &deadline, &interval, &latency), 0);
	assert_int_equal(interval, 16000000);
	assert_int_equal(latency, 1000000);
	assert_true(deadline > now && deadline <= kr_clock_now() + interval);
	assert_int_equal((deadline + latency) % interval, 5);
	close_window(window);
	help_config.timing.virtual_clock = true;
	window = open_window(0);
	assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
	assert_int_equal(native_window_get_compositor_timing(window, &deadline, NULL, NULL), 0);
	assert_int_equal(deadline, INVALID);
	close_window(window);
}

#define OTHER_NS 41666666

static void
change_refresh(struct fake_sink *fake)
{
	const struct kr_queue_settings settings = {
		.set = KR_SETTING_REFRESH, .refresh_ns = OTHER_NS, .phase_ns = 5};

	kr_queue_set_settings(fake->queue, &settings);
}

/* A far end that changes its refresh says so, and is heard by who asks, if he does nothing else. */
static void
the_refresh_is_what_was_said_last(void **state)
{
	for (int way = 0; way < 3; way++) {
		ANativeWindow *window = open_with(KR_TIMING_EVENTS, true);
		struct kr_window_timing timing;
		int64_t interval = 0;

		assert_int_equal(native_window_enable_frame_timestamps(window, true), 0);
		sink.hearing = change_refresh;
		if (way == 0)
			assert_int_equal(
				window->perform(window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION,
					&interval),
				0);
		else if (way == 1)
			assert_int_equal(
				native_window_get_compositor_timing(window, NULL, &interval, NULL),
				0);
		else
			assert_int_equal(window->perform(window, KR_WINDOW_GET_TIMING, &timing), 0);
		assert_int_equal(way == 2 ? timing.refresh_ns : interval, OTHER_NS);
		if (way == 2)
			assert_int_equal(timing.timing.phase_ns, 5);
		close_window(window);
	}
}

/* A time is of all frames until it is taken back; one target of its own is of one frame. */
static void
a_time_sticks(void **state)
{
	const struct kr_frame_target target = {KR_TARGET_RELATIVE, true, 9};
	ANativeWindow *window;

	help_config.timing.targets = KR_TIMING_TARGETS;
	window = open_window(0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_BUFFER_COUNT, (size_t)8), 0);
	assert_int_equal(ANativeWindow_setBuffersTimestamp(window, 77), 0);
	queue_frame(window);
	queue_frame(window);
	assert_int_equal(window->perform(window, KR_WINDOW_SET_TARGET, &target), 0);
	queue_frame(window);
	queue_frame(window);
	assert_int_equal(ANativeWindow_setBuffersTimestamp(window, -77), 0);
	queue_frame(window);
	assert_int_equal(
		ANativeWindow_setBuffersTimestamp(window, NATIVE_WINDOW_TIMESTAMP_AUTO), 0);
	queue_frame(window);
	for (unsigned i = 0; i < 4; i++) {
		const struct kr_frame *frame = &sink.frames[i];

		assert_int_equal(
			frame->target.kind, i == 2 ? KR_TARGET_RELATIVE : KR_TARGET_TIMESTAMP);
		assert_int_equal(frame->target.time_ns, i == 2 ? 9 : 77);
		assert_int_equal(frame->target.nearest, i == 2);
		assert_int_equal(frame->timestamp_ns, 77);
	}
	assert_int_equal(sink.frames[4].target.kind, KR_TARGET_TIMESTAMP);
	assert_int_equal(sink.frames[4].target.time_ns, 0);
	assert_int_equal(sink.frames[4].timestamp_ns, -77);
	assert_int_equal(sink.frames[5].target.kind, KR_TARGET_NONE);
	assert_true(sink.frames[5].timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO);
	close_window(window);
}

static const struct kr_test tests[] = {
	KR_TEST(who_hasnt_enabled_them_gets_none),
	KR_TEST(the_last_frames_end_is_never_known),
	KR_TEST(a_composition_without_a_gpu_is_zero),
	KR_TEST(who_cant_tell_what_is_shown_says_so),
	KR_TEST(a_clock_has_a_next_deadline),
	KR_TEST(the_refresh_is_what_was_said_last),
	KR_TEST(a_time_sticks),
};

KR_TEST_MAIN(tests)
