/* SPDX-License-Identifier: Apache-2.0 */
#include "sink_conformance.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

#define PATIENCE_NS (10 * KR_NSEC_PER_SEC)
#define SLICE_NS    (5 * KR_NSEC_PER_MSEC)
#define BUFFERS     3 /* two for the producer */

static const struct sink_maker *maker;

static void
stage_make(struct sink_stage *stage)
{
	memset(stage, 0, sizeof(*stage));
	maker->make(stage);
	assert_non_null(stage->sink);
}

static void
stage_start(struct sink_stage *stage)
{
	stage_make(stage);
	assert_int_equal(kr_queue_create(&stage->config, stage->sink, &stage->queue), 0);
	assert_int_equal(kr_queue_connect(stage->queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_set_buffer_count(stage->queue, BUFFERS), 0);
}

static void
stage_stop(struct sink_stage *stage)
{
	kr_queue_unref(stage->queue);
	if (maker->finish)
		maker->finish(stage);
}

static void
serve(struct sink_stage *stage)
{
	if (maker->serve)
		maker->serve(stage);
}

/* A buffer of a width, 0 for the window's, while the far end does its part. */
static int
dequeue(struct sink_stage *stage, uint32_t width, uint32_t *slot, int *fence)
{
	int64_t end = kr_clock_now() + PATIENCE_NS;
	struct kr_buffer *buffer;
	int err;

	do {
		const struct kr_queue_request request = {
			.width = width,
			.height = width ? stage->config.default_height : 0,
			.usage = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
			.deadline_ns = kr_clock_now() + SLICE_NS,
		};

		err = kr_queue_dequeue(stage->queue, &request, slot, &buffer, fence);
		if (err == -ETIMEDOUT)
			serve(stage);
	} while (err == -ETIMEDOUT && kr_clock_now() < end);
	return err;
}

static uint32_t
get(struct sink_stage *stage)
{
	uint32_t slot = 0;
	int fence = -1;

	assert_int_equal(dequeue(stage, 0, &slot, &fence), 0);
	assert_int_equal(kr_fence_wait(fence, kr_clock_now() + PATIENCE_NS), 0);
	kr_fd_close(&fence);
	return slot;
}

static int
put(struct sink_stage *stage, uint32_t slot, int take_fence)
{
	static const struct kr_queue_input input = {.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO};

	return kr_queue_queue(stage->queue, slot, &input, take_fence, NULL);
}

/* Waits until the far end has no frame but the one that it may keep on show. */
static void
settle(struct sink_stage *stage)
{
	uint32_t slots[BUFFERS - 1];

	for (size_t i = 0; i < KR_ARRAY_LEN(slots); i++)
		slots[i] = get(stage);
	for (size_t i = 0; i < KR_ARRAY_LEN(slots); i++)
		assert_int_equal(kr_queue_cancel(stage->queue, slots[i], -1), 0);
}

/* ---- cases ---- */

static void
required_ops_are_there(void **state)
{
	struct sink_stage stage;

	stage_make(&stage);
	assert_non_null(stage.sink->impl->name);
	assert_non_null(stage.sink->impl->attach);
	assert_non_null(stage.sink->impl->submit);
	assert_non_null(stage.sink->impl->destroy);
	/* What a ping brings has to be taken in by somebody. */
	assert_true(!stage.sink->impl->ping || stage.sink->impl->dispatch);
	stage.sink->impl->destroy(stage.sink);
	stage_stop(&stage);
}

/* A case that must abort. */
static void
no_other_sink_passes_for_it(void **state)
{
	struct sink_stage stage;
	struct kr_sink_impl other;

	stage_make(&stage);
	other = *stage.sink->impl;
	stage.sink->impl = &other;
	other.destroy(stage.sink);
}

static void
every_frame_comes_back(void **state)
{
	struct sink_stage stage;

	stage_start(&stage);
	for (int i = 0; i < 20; i++) {
		uint32_t slot = get(&stage);
		int fence = -1;

		if (i % 2)
			assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		assert_int_equal(put(&stage, slot, fence), 0);
	}
	settle(&stage);
	assert_true(kr_queue_alive(stage.queue));
	stage_stop(&stage);
}

static void
fences_are_the_sinks(void **state)
{
	struct sink_stage stage;
	int before, fence;

	stage_start(&stage);
	for (int i = 0; i < 6; i++)
		assert_int_equal(put(&stage, get(&stage), -1), 0);
	settle(&stage);
	before = kr_test_count_fds();
	for (int i = 0; i < 6; i++) {
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		assert_int_equal(put(&stage, get(&stage), fence), 0);
	}
	settle(&stage);
	assert_true(kr_test_count_fds() <= before);
	stage_stop(&stage);
}

/* A frame whose drawing failed is nobody's end. */
static void
a_failed_fence_costs_its_frame_alone(void **state)
{
	struct sink_stage stage;
	int producer, fence;

	stage_start(&stage);
	for (int i = 0; i < 4; i++) {
		uint32_t slot = 0;
		int back = -1;

		assert_int_equal(dequeue(&stage, 0, &slot, &back), 0);
		kr_fd_close(&back);
		assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
		kr_fence_signal(producer, -EIO);
		assert_int_equal(put(&stage, slot, fence), 0);
	}
	/* Some come back with the fence that they had. */
	for (int i = 0; i < BUFFERS; i++) {
		uint32_t slot = 0;
		int back = -1;

		assert_int_equal(dequeue(&stage, 0, &slot, &back), 0);
		kr_fd_close(&back);
		assert_int_equal(put(&stage, slot, -1), 0);
	}
	settle(&stage);
	stage_stop(&stage);
}

static void
buffers_come_and_go(void **state)
{
	struct sink_stage stage;
	uint32_t slot = 0;
	int fence = -1;

	stage_start(&stage);
	for (uint32_t i = 0; i < 9; i++) {
		assert_int_equal(
			dequeue(&stage, stage.config.default_width + i % 3 * 16, &slot, &fence), 0);
		kr_fd_close(&fence);
		assert_int_equal(put(&stage, slot, -1), 0);
	}
	/* Another producer begins with buffers of its own. */
	assert_int_equal(kr_queue_disconnect(stage.queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_connect(stage.queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_set_buffer_count(stage.queue, BUFFERS), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(put(&stage, get(&stage), -1), 0);
	stage_stop(&stage);
}

/* What the queue made of what the sink says it can. */
static struct kr_abilities
abilities_of(const struct sink_stage *stage)
{
	struct kr_queue_config config;

	kr_queue_get_config(stage->queue, &config);
	return config.abilities;
}

static int
put_so(struct sink_stage *stage, uint32_t slot, const struct kr_presentation *presentation,
	uint64_t *number)
{
	const struct kr_queue_input input = {
		.timestamp_ns = NATIVE_WINDOW_TIMESTAMP_AUTO, .presentation = *presentation};

	return kr_queue_queue(stage->queue, slot, &input, -1, number);
}

/* Modes, and whatever else is offered, may change from frame to frame. */
static void
what_is_offered_is_taken(void **state)
{
	struct kr_presentation p = {0};
	struct kr_abilities can;
	struct sink_stage stage;

	stage_start(&stage);
	can = abilities_of(&stage);
	assert_int_equal(kr_queue_set_async(stage.queue, true), 0);
	for (unsigned i = 0; i < 60; i++) {
		p.mode = i % KR_PRESENT_SHARED_DEMAND;
		p.alpha = (uint8_t)(i / 2 % KR_ALPHA_COUNT);
		p.scaling = (uint8_t)(i / 3 % KR_SCALING_COUNT);
		p.gravity_x = (uint8_t)(i / 4 % KR_GRAVITY_COUNT);
		p.gravity_y = (uint8_t)(i / 5 % KR_GRAVITY_COUNT);
		if (!kr_presentation_check(&p, &can))
			assert_int_equal(put_so(&stage, get(&stage), &p, NULL), 0);
	}
	assert_int_equal(kr_queue_set_async(stage.queue, false), 0);
	settle(&stage);
	assert_true(kr_queue_alive(stage.queue));
	stage_stop(&stage);
}

/* Each frame is shown at last, or one after it is in its place. */
static void
what_is_shown_is_told(void **state)
{
	const struct kr_presentation told = {.tell_shown = true};
	int64_t end = kr_clock_now() + PATIENCE_NS;
	struct sink_stage stage;
	uint64_t number = 0;
	int err;

	stage_start(&stage);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(put_so(&stage, get(&stage), &told, &number), 0);
		do {
			err = kr_queue_wait_shown(stage.queue, number, kr_clock_now() + SLICE_NS);
			if (err == -ETIMEDOUT)
				serve(&stage);
		} while (err == -ETIMEDOUT && kr_clock_now() < end);
		assert_int_equal(err, 0);
	}
	assert_int_equal(kr_queue_last_shown(stage.queue), number);
	assert_int_equal(kr_queue_wait_shown(stage.queue, number + 1, kr_clock_now()), -ETIMEDOUT);
	stage_stop(&stage);
}

/* Who can't share says so; else one buffer goes again and again, and comes back when it is over. */
static void
a_shared_buffer_is_shown_again_and_again(void **state)
{
	const struct kr_presentation plain = {0};
	struct sink_stage stage;
	uint32_t slot, again;
	bool shares;
	int fence;

	stage_start(&stage);
	shares = abilities_of(&stage).modes & KR_ABILITY_SHARED;
	assert_int_equal(kr_queue_set_shared(stage.queue, true), shares ? 0 : -EOPNOTSUPP);
	if (!shares) {
		stage_stop(&stage);
		return;
	}
	slot = get(&stage);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(put_so(&stage, slot, &plain, NULL), 0);
		if (i % 3 == 0)
			serve(&stage);
		assert_int_equal(dequeue(&stage, 0, &again, &fence), 0);
		assert_int_equal(again, slot);
		assert_int_equal(fence, -1);
	}
	assert_int_equal(put_so(&stage, slot, &plain, NULL), 0);
	assert_int_equal(kr_queue_set_shared(stage.queue, false), 0);
	for (int i = 0; i < 6; i++)
		assert_int_equal(put_so(&stage, get(&stage), &plain, NULL), 0);
	settle(&stage);
	assert_true(kr_queue_alive(stage.queue));
	/* And again, each time until the producer goes: the next one shares another buffer. */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(kr_queue_set_shared(stage.queue, true), 0);
		slot = get(&stage);
		for (int n = 0; n < 3; n++) {
			assert_int_equal(put_so(&stage, slot, &plain, NULL), 0);
			if (i % 2)
				serve(&stage);
			assert_int_equal(dequeue(&stage, 0, &again, &fence), 0);
			assert_int_equal(again, slot);
		}
		assert_int_equal(kr_queue_disconnect(stage.queue, NATIVE_WINDOW_API_EGL), 0);
		assert_int_equal(kr_queue_connect(stage.queue, NATIVE_WINDOW_API_EGL), 0);
		assert_int_equal(kr_queue_set_buffer_count(stage.queue, BUFFERS), 0);
	}
	for (int i = 0; i < 6; i++)
		assert_int_equal(put_so(&stage, get(&stage), &plain, NULL), 0);
	settle(&stage);
	stage_stop(&stage);
}

static void
descriptors_to_poll_stay(void **state)
{
	struct pollfd first[KR_SINK_MAX_POLL], again[KR_SINK_MAX_POLL];
	struct sink_stage stage;
	int count, n;

	stage_start(&stage);
	if (!stage.sink->impl->poll_fds) {
		stage_stop(&stage);
		return;
	}
	count = stage.sink->impl->poll_fds(stage.sink, first);
	assert_in_range(count, 1, KR_SINK_MAX_POLL);
	for (int i = 0; i < 4; i++)
		assert_int_equal(put(&stage, get(&stage), -1), 0);
	if (maker->end)
		maker->end(&stage);
	(void)kr_queue_alive(stage.queue);
	n = stage.sink->impl->poll_fds(stage.sink, again);
	assert_int_equal(n, count);
	for (int i = 0; i < count; i++) {
		assert_int_equal(again[i].fd, first[i].fd);
		assert_true(fcntl(first[i].fd, F_GETFD) >= 0);
	}
	stage_stop(&stage);
}

static void
dispatch_waits_for_nothing(void **state)
{
	struct sink_stage stage;
	int64_t start;

	stage_start(&stage);
	start = kr_clock_now();
	for (int i = 0; i < 100 && stage.sink->impl->dispatch; i++)
		assert_true(stage.sink->impl->dispatch(stage.sink) >= 0);
	assert_true(kr_clock_now() - start < KR_NSEC_PER_SEC);
	stage_stop(&stage);
}

static void
a_ping_is_heard(void **state)
{
	struct sink_stage stage;
	int came = 0;

	stage_start(&stage);
	if (stage.sink->impl->ping) {
		struct pollfd fds[KR_SINK_MAX_POLL];
		int64_t end = kr_clock_now() + PATIENCE_NS;

		while (stage.sink->impl->dispatch(stage.sink) > 0)
			;
		stage.sink->impl->ping(stage.sink);
		while (came == 0 && kr_clock_now() < end) {
			serve(&stage);
			(void)poll(fds, (nfds_t)stage.sink->impl->poll_fds(stage.sink, fds), 5);
			came = stage.sink->impl->dispatch(stage.sink);
		}
		assert_true(came > 0);
	}
	stage_stop(&stage);
}

static void
what_it_is_told_does_no_harm(void **state)
{
	struct sink_stage stage;

	stage_start(&stage);
	kr_queue_describe(stage.queue, "a device \x1b with odd letters \xff");
	if (stage.sink->impl->waiting)
		stage.sink->impl->waiting(stage.sink);
	assert_int_equal(put(&stage, get(&stage), -1), 0);
	settle(&stage);
	stage_stop(&stage);
}

/* Its fences are closed, its buffers dropped: the harness looks for what is left. */
static void
what_it_holds_ends_with_it(void **state)
{
	struct sink_stage stage;
	int fence;

	stage_start(&stage);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		assert_int_equal(put(&stage, get(&stage), fence), 0);
	}
	stage_stop(&stage);
}

static void
a_far_end_that_ends_is_told(void **state)
{
	int64_t end = kr_clock_now() + PATIENCE_NS;
	struct sink_stage stage;
	uint32_t slot;
	int fence;

	stage_start(&stage);
	if (maker->end) {
		assert_int_equal(put(&stage, get(&stage), -1), 0);
		slot = get(&stage);
		maker->end(&stage);
		while (kr_queue_alive(stage.queue) && kr_clock_now() < end)
			usleep(1000);
		assert_false(kr_queue_alive(stage.queue));
		/* The fence is taken all the same. */
		assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
		assert_int_equal(put(&stage, slot, fence), -ENODEV);
		assert_int_equal(fcntl(fence, F_GETFD), -1);
		if (stage.sink->impl->dispatch)
			assert_int_equal(stage.sink->impl->dispatch(stage.sink), -EPIPE);
	}
	stage_stop(&stage);
}

static const struct kr_test cases[] = {
	KR_TEST(required_ops_are_there),
	KR_TEST_FLAGS(no_other_sink_passes_for_it, KR_TEST_EXPECT_ABORT),
	KR_TEST(every_frame_comes_back),
	KR_TEST(fences_are_the_sinks),
	KR_TEST(a_failed_fence_costs_its_frame_alone),
	KR_TEST(buffers_come_and_go),
	KR_TEST(what_is_offered_is_taken),
	KR_TEST(what_is_shown_is_told),
	KR_TEST(a_shared_buffer_is_shown_again_and_again),
	KR_TEST(descriptors_to_poll_stay),
	KR_TEST(dispatch_waits_for_nothing),
	KR_TEST(a_ping_is_heard),
	KR_TEST(what_it_is_told_does_no_harm),
	KR_TEST(what_it_holds_ends_with_it),
	KR_TEST(a_far_end_that_ends_is_told),
};

int
sink_conformance_main(int argc, char **argv, const struct sink_maker *m)
{
	struct kr_test tests[KR_ARRAY_LEN(cases)];

	maker = m;
	memcpy(tests, cases, sizeof(tests));
	for (size_t i = 0; i < KR_ARRAY_LEN(tests) && m->keeps_memory; i++)
		tests[i].flags |= KR_TEST_KEEPS_MEMORY;
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
