/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every consumer promises (window/consumer/consumer.h); KRAFLA_TEST_CONSUMER
 * says which one this is.
 */
#include "consumer/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"
#include "window/consumer/base.h"

/* ---- cases ---- */

static void
it_says_who_it_is(void **state)
{
	struct stage s;

	stage_start(&s);
	assert_non_null(kr_consumer_label(s.consumer));
	if (s.remote) {
		assert_true(fcntl(kr_consumer_fd(s.consumer), F_GETFD) >= 0);
		assert_int_equal(kr_consumer_pid(s.consumer), getpid());
	} else {
		assert_int_equal(kr_consumer_fd(s.consumer), -1);
		assert_int_equal(kr_consumer_pid(s.consumer), 0);
	}
	assert_int_equal(kr_consumer_dispatch(s.consumer), 0);
	stage_stop(&s);
}

/* A case that must abort. */
static void
no_other_consumer_passes_for_it(void **state)
{
	struct kr_consumer_impl other;
	struct kr_frame f;
	struct stage s;

	stage_start(&s);
	other = *s.consumer->impl;
	s.consumer->impl = &other;
	(void)kr_consumer_peek(s.consumer, &f);
}

static void
frames_come_in_order_with_their_fences(void **state)
{
	struct kr_frame f, peeked;
	struct stage s;
	int fence;

	stage_start(&s);
	assert_int_equal(kr_consumer_acquire(s.consumer, &f), -EAGAIN);
	assert_int_equal(kr_consumer_peek(s.consumer, &f), -EAGAIN);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(
		kr_queue_queue(s.queue, help_dequeue(s.queue), &help_input, fence, NULL), 0);
	stage_frame(&s);
	assert_int_equal(s.seen.available, 2);
	/* Looking takes nothing. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kr_consumer_peek(s.consumer, &peeked), 0);
		assert_int_equal(peeked.number, 1);
	}
	assert_int_equal(kr_consumer_acquire(s.consumer, &f), 0);
	assert_int_equal(f.number, 1);
	assert_int_equal(kr_fence_status(f.acquire_fence), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_buffer_get_info(f.buffer)->desc.width, help_config.default_width);
	close(f.acquire_fence);
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	stage_take(&s, &f);
	assert_int_equal(f.number, 2);
	assert_int_equal(f.acquire_fence, -1);
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	assert_int_equal(kr_consumer_acquire(s.consumer, &f), -EAGAIN);
	stage_stop(&s);
}

static void
one_frame_more_than_agreed_is_held(void **state)
{
	struct kr_frame frames[3];
	struct stage s;

	stage_start(&s);
	assert_int_equal(kr_queue_set_buffer_count(s.queue, 3), 0);
	for (int i = 0; i < 3; i++)
		stage_frame(&s);
	stage_take(&s, &frames[0]);
	stage_take(&s, &frames[1]);
	assert_int_equal(kr_consumer_acquire(s.consumer, &frames[2]), -EBUSY);
	assert_int_equal(kr_consumer_peek(s.consumer, &frames[2]), 0);
	assert_int_equal(kr_consumer_release(s.consumer, &frames[1], -1), 0);
	stage_take(&s, &frames[2]);
	assert_int_equal(frames[2].number, 3);
	stage_stop(&s);
}

static void
a_frame_is_released_once(void **state)
{
	struct kr_frame f, wrong;
	struct stage s;
	int fence;

	stage_start(&s);
	stage_frame(&s);
	stage_take(&s, &f);
	wrong = f;
	wrong.number++;
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(kr_consumer_release(s.consumer, &wrong, fence), -ESTALE);
	wrong = f;
	wrong.slot = KR_QUEUE_SLOTS;
	assert_int_equal(kr_consumer_release(s.consumer, &wrong, -1), -ESTALE);
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	/* The fence is closed in any case. */
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(kr_consumer_release(s.consumer, &f, fence), -ESTALE);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	stage_stop(&s);
}

static void
the_release_fence_is_the_producers(void **state)
{
	struct kr_queue_request request = {.deadline_ns = KR_FOREVER};
	int producer, fence, got = -1;
	struct kr_buffer *buffer;
	struct kr_frame f;
	struct stage s;
	uint32_t slot;

	stage_start(&s);
	stage_frame(&s);
	stage_take(&s, &f);
	slot = help_dequeue(s.queue);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(kr_consumer_release(s.consumer, &f, fence), 0);
	assert_int_equal(kr_queue_queue(s.queue, slot, &help_input, -1, NULL), 0);
	assert_int_equal(kr_queue_dequeue(s.queue, &request, &slot, &buffer, &got), 0);
	assert_int_equal(slot, f.slot);
	assert_int_equal(kr_fence_status(got), KR_FENCE_ACTIVE);
	kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_status(got), KR_FENCE_SIGNALLED);
	close(got);
	stage_stop(&s);
}

static void
a_droppable_frame_is_replaced_and_its_damage_kept(void **state)
{
	struct kr_queue_input input = help_input;
	struct kr_queue_request request = {.deadline_ns = KR_FOREVER};
	struct kr_buffer *buffer;
	uint32_t slot, first;
	int producer, fence, got = -1;
	struct kr_frame f;
	struct stage s;

	stage_start(&s);
	assert_int_equal(kr_queue_set_async(s.queue, true), 0);
	input.presentation.mode = KR_PRESENT_MAILBOX;
	input.damage_count = 1;
	input.damage[0] = (android_native_rect_t){0, 0, 4, 4};
	first = help_dequeue(s.queue);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(kr_queue_queue(s.queue, first, &input, fence, NULL), 0);
	input.damage[0] = (android_native_rect_t){8, 8, 12, 12};
	assert_int_equal(kr_queue_queue(s.queue, help_dequeue(s.queue), &input, -1, NULL), 0);
	assert_int_equal(stage_pump(&s), 0);
	assert_int_equal(s.seen.replaced, 1);
	/* The first is back, with its own acquire fence, since nobody has read it. */
	assert_true(kr_queue_alive(s.queue));
	assert_int_equal(kr_queue_dequeue(s.queue, &request, &slot, &buffer, &got), 0);
	assert_int_equal(slot, first);
	assert_int_equal(kr_fence_status(got), KR_FENCE_ACTIVE);
	kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_status(got), KR_FENCE_SIGNALLED);
	close(got);
	assert_int_equal(kr_consumer_acquire(s.consumer, &f), 0);
	assert_int_equal(f.number, 2);
	assert_int_equal(f.damage_count, 2);
	assert_int_equal(f.damage[1].right, 4);
	assert_int_equal(kr_consumer_acquire(s.consumer, &f), -EAGAIN);
	stage_stop(&s);
}

static void
an_acquired_frame_is_not_replaced(void **state)
{
	struct kr_frame f;
	struct stage s;

	stage_start(&s);
	assert_int_equal(kr_queue_set_async(s.queue, true), 0);
	help_input.presentation.mode = KR_PRESENT_MAILBOX;
	stage_frame(&s);
	stage_take(&s, &f);
	stage_frame(&s);
	assert_int_equal(s.seen.replaced, 0);
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	stage_take(&s, &f);
	assert_int_equal(f.number, 2);
	stage_stop(&s);
}

static void
frames_outlive_their_producer(void **state)
{
	struct kr_frame f, next;
	struct stage s;
	void *pixels;
	int fence;

	stage_start(&s);
	stage_frame(&s);
	stage_frame(&s);
	stage_take(&s, &f);
	kr_queue_unref(s.queue);
	s.queue = NULL;
	(void)stage_pump(&s);
	assert_int_equal(s.seen.disconnected, 1);
	assert_int_equal(kr_consumer_dispatch(s.consumer), -EPIPE);
	assert_int_equal(s.seen.disconnected, 1);
	assert_int_equal(kr_buffer_map(f.buffer, &pixels), 0);
	memset(pixels, 1, kr_buffer_get_info(f.buffer)->size);
	/* Nobody hears of it, and the frame is given up all the same. */
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(kr_consumer_release(s.consumer, &f, fence), -EPIPE);
	assert_int_equal(kr_consumer_release(s.consumer, &f, -1), -ESTALE);
	/* What was queued is still there; then there is nothing more. */
	stage_take(&s, &next);
	assert_int_equal(next.number, 2);
	assert_int_equal(kr_consumer_acquire(s.consumer, &f), -EPIPE);
	/* One is held: dropped here. */
	stage_stop(&s);
}

static void
a_consumer_that_goes_is_missed(void **state)
{
	struct kr_frame f;
	struct stage s;
	uint32_t slot;
	int fence;

	stage_start(&s);
	assert_int_equal(kr_queue_set_buffer_count(s.queue, 3), 0);
	stage_frame(&s);
	stage_frame(&s);
	stage_take(&s, &f);
	slot = help_dequeue(s.queue);
	kr_consumer_destroy(s.consumer);
	s.consumer = NULL;
	assert_false(kr_queue_alive(s.queue));
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(kr_queue_queue(s.queue, slot, &help_input, fence, NULL), -ENODEV);
	assert_int_equal(s.seen.disconnected, 0); /* it is gone: nobody is told */
	/* Destroying nothing is nothing. */
	stage_stop(&s);
}

static void
what_renders_is_told(void **state)
{
	struct stage s;

	stage_start(&s);
	kr_queue_describe(s.queue, "a device");
	assert_int_equal(stage_pump(&s), 0);
	assert_string_equal(s.seen.device, "a device");
	stage_stop(&s);
}

/* Until it is said, all; then from the number that was said on. */
static void
what_is_wanted_is_told(void **state)
{
	const struct kr_wants none = {.from = 2}, third = {.from = 3, .every = 3};
	struct kr_frame f;
	struct stage s;
	bool wanted[7] = {0};

	stage_start(&s);
	for (uint32_t i = 1; i < KR_ARRAY_LEN(wanted); i++) {
		if (i == 1)
			assert_int_equal(kr_consumer_set_wants(s.consumer, &none), 0);
		if (i == 2)
			assert_int_equal(kr_consumer_set_wants(s.consumer, &third), 0);
		assert_true(kr_queue_alive(s.queue)); /* it listens */
		wanted[i] = kr_queue_next_wanted(s.queue);
		stage_frame(&s);
		stage_take(&s, &f);
		assert_int_equal(f.number, i);
		assert_int_equal(kr_consumer_release(s.consumer, &f, -1), 0);
	}
	assert_true(wanted[1] && wanted[3] && wanted[6]);
	assert_false(wanted[2] || wanted[4] || wanted[5]);
	stage_stop(&s);
}

/* The remote one's connection keeps memory. */
#define KEEPS KR_TEST_KEEPS_MEMORY
static const struct kr_test tests[] = {
	KR_TEST_FLAGS(it_says_who_it_is, KEEPS),
	KR_TEST_FLAGS(no_other_consumer_passes_for_it, KEEPS | KR_TEST_EXPECT_ABORT),
	KR_TEST_FLAGS(frames_come_in_order_with_their_fences, KEEPS),
	KR_TEST_FLAGS(one_frame_more_than_agreed_is_held, KEEPS),
	KR_TEST_FLAGS(a_frame_is_released_once, KEEPS),
	KR_TEST_FLAGS(the_release_fence_is_the_producers, KEEPS),
	KR_TEST_FLAGS(a_droppable_frame_is_replaced_and_its_damage_kept, KEEPS),
	KR_TEST_FLAGS(an_acquired_frame_is_not_replaced, KEEPS),
	KR_TEST_FLAGS(frames_outlive_their_producer, KEEPS),
	KR_TEST_FLAGS(a_consumer_that_goes_is_missed, KEEPS),
	KR_TEST_FLAGS(what_renders_is_told, KEEPS),
	KR_TEST_FLAGS(what_is_wanted_is_told, KEEPS),
};

KR_TEST_MAIN(tests)
