/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue's state machine, limits and errors (window/queue/queue.h), with a sink under control.
 */
#include "help.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/log.h"

#define MS KR_NSEC_PER_MSEC

static void
config_is_checked_and_the_sink_taken(void **state)
{
	struct kr_queue_config bad[4] = {help_config, help_config, help_config, help_config};
	struct kr_queue *queue = NULL;

	bad[0].default_width = 0;
	bad[1].default_format = AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM;
	bad[2].max_acquired = 0;
	bad[3].max_acquired = 63;
	for (size_t i = 0; i < 4; i++) {
		struct fake_sink sink;

		fake_sink_init(&sink, false);
		assert_int_equal(kr_queue_create(&bad[i], &sink.base, &queue), -EINVAL);
		fake_sink_finish(&sink, NULL); /* destroyed once */
	}
	assert_null(queue);
}

/* B-14 */
static void
a_far_end_without_a_size_has_one_pixel(void **state)
{
	struct kr_queue_config config = help_config;
	const struct kr_queue_request whole = {0};
	struct kr_buffer *buffer;
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;
	int fence;

	config.default_width = config.default_height = 0;
	fake_sink_init(&sink, false);
	assert_int_equal(kr_queue_create(&config, &sink.base, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_dequeue(queue, &whole, &slot, &buffer, &fence), 0);
	assert_int_equal(kr_buffer_get_info(buffer)->desc.width, 1);
	assert_int_equal(kr_buffer_get_info(buffer)->desc.height, 1);
	fake_sink_finish(&sink, queue);
}

/* B-45, B-46: a flag says so, each time until it was asked for; all are never to be forgotten. */
static void
a_new_buffer_has_to_be_asked_for(void **state)
{
	const struct kr_queue_request whole = {.deadline_ns = 0};
	struct kr_queue_dequeued dequeued;
	struct kr_buffer *buffer;
	struct fake_sink sink;
	struct kr_queue *queue = fake_sink_queue(&sink, false);

	for (int i = 0; i < 2; i++) {
		assert_int_equal(kr_queue_dequeue_slot(queue, &whole, &dequeued), 0);
		assert_int_equal(dequeued.flags, KR_QUEUE_NEEDS_REALLOCATION);
		assert_int_equal(
			kr_queue_queue(queue, dequeued.slot, &help_input, -1, NULL), -EINVAL);
		assert_int_equal(kr_queue_detach(queue, dequeued.slot, &buffer), -EINVAL);
		assert_int_equal(kr_queue_cancel(queue, dequeued.slot, -1), 0);
	}
	assert_int_equal(kr_queue_request_buffer(queue, dequeued.slot, &buffer), -EINVAL);
	assert_int_equal(kr_queue_dequeue_slot(queue, &whole, &dequeued), 0);
	assert_int_equal(kr_queue_request_buffer(queue, dequeued.slot, &buffer), 0);
	assert_int_equal(kr_queue_queue(queue, dequeued.slot, &help_input, -1, NULL), 0);
	fake_sink_release(&sink, -1);
	assert_int_equal(kr_queue_dequeue_slot(queue, &whole, &dequeued), 0);
	assert_int_equal(dequeued.flags, 0);
	assert_int_equal(KR_QUEUE_NEEDS_REALLOCATION, 1);
	assert_int_equal(KR_QUEUE_RELEASE_ALL, 2);
	fake_sink_finish(&sink, queue);
}

static void
one_producer_at_a_time(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	fake_sink_init(&sink, false);
	assert_int_equal(kr_queue_create(&help_config, &sink.base, &queue), 0);
	assert_int_equal(help_try_dequeue(queue, 0), -ENODEV);
	assert_int_equal(kr_queue_connect(queue, 0), -EINVAL);
	assert_int_equal(kr_queue_connect(queue, 5), -EINVAL);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), -EINVAL);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_CPU), -EINVAL);
	assert_int_equal(kr_queue_disconnect(queue, 0), -EINVAL);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), -ENODEV);
	assert_int_equal(kr_queue_disconnect(queue, KR_API_CURRENT), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(kr_queue_disconnect(queue, KR_API_CURRENT), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(kr_queue_disconnect_local(queue), 0);
	assert_int_equal(kr_queue_disconnect_local(queue), 0);
	assert_int_equal(help_try_dequeue(queue, 0), -ENODEV);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	fake_sink_finish(&sink, queue);
}

static void
a_slot_goes_round(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	slot = help_dequeue(queue);
	assert_int_equal(sink.added, 1);
	assert_int_equal(kr_queue_next_frame(queue), 1);
	assert_int_equal(help_queue_frame(queue, slot), 1);
	assert_int_equal(sink.frame_count, 1);
	assert_int_equal(sink.frames[0].slot, slot);
	assert_int_equal(sink.frames[0].format, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	assert_true(sink.frames[0].queued_ns > 0);
	assert_false(sink.frames[0].droppable);
	fake_sink_release(&sink, -1);
	/* Two buffers in all: one for the far end, one for the producer. The oldest comes first. */
	assert_int_equal(help_frame(queue), slot);
	assert_int_equal(help_frame(queue), 1);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(sink.added, 2);
	fake_sink_finish(&sink, queue);
}

/* B-21 */
static void
wrong_states_are_einval(void **state)
{
	struct kr_queue_input input = help_input;
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	/* The fence is closed on each of these paths: the harness counts. */
	assert_int_equal(kr_queue_queue(queue, 0, &input, eventfd(0, 0), NULL), -EINVAL);
	assert_int_equal(kr_queue_queue(queue, 64, &input, eventfd(0, 0), NULL), -EINVAL);
	assert_int_equal(kr_queue_cancel(queue, 0, eventfd(0, 0)), -EINVAL);
	assert_int_equal(kr_queue_release(queue, 0, 1, eventfd(0, 0)), -ESTALE);
	assert_int_equal(kr_queue_release(queue, 64, 1, eventfd(0, 0)), -ESTALE);
	slot = help_dequeue(queue);
	input.crop = (android_native_rect_t){0, 0, 65, 32};
	assert_int_equal(kr_queue_queue(queue, slot, &input, eventfd(0, 0), NULL), -EINVAL);
	input.crop = (android_native_rect_t){8, 8, 8, 16};
	assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), -EINVAL);
	input.crop = (android_native_rect_t){8, 8, 16, 16};
	input.scaling_mode = 4;
	assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), -EINVAL);
	input.scaling_mode = 1;
	input.damage_count = 17;
	assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), -EINVAL);
	input.damage_count = 0;
	assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), 0);
	assert_int_equal(sink.frames[0].crop.right, 16);
	assert_int_equal(kr_queue_queue(queue, slot, &input, -1, NULL), -EINVAL);
	assert_int_equal(kr_queue_release(queue, slot, 2, -1), -ESTALE);
	fake_sink_finish(&sink, queue);
}

/* B-48 */
static void
the_release_fence_comes_with_the_next_dequeue(void **state)
{
	struct kr_queue_request request = {.deadline_ns = 0};
	int fence = eventfd(7, EFD_CLOEXEC), got = -1;
	struct fake_sink sink;
	struct kr_queue *queue;
	struct kr_buffer *buffer;
	eventfd_t value;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	help_frame(queue);
	fake_sink_release(&sink, fence);
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &got), 0);
	assert_int_equal(got, fence);
	assert_int_equal(eventfd_read(got, &value), 0);
	assert_int_equal(value, 7);
	/* Cancelled with its fence, it comes back with it. */
	assert_int_equal(kr_queue_cancel(queue, slot, got), 0);
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &got), 0);
	assert_int_equal(got, fence);
	close(got);
	fake_sink_finish(&sink, queue);
}

/* What has signalled is asked once, by the queue; a failure is for whoever dequeues. */
static void
a_fence_that_has_signalled_stays_behind(void **state)
{
	struct kr_queue_request request = {.deadline_ns = 0};
	struct fake_sink sink;
	struct kr_queue *queue = fake_sink_queue(&sink, false);

	for (int status = 1; status >= -EIO; status -= 1 + EIO) {
		struct kr_buffer *buffer;
		uint32_t slot;
		int fence;

		help_frame(queue);
		assert_int_equal(kr_fence_create_done(NULL, status, &fence), 0);
		fake_sink_release(&sink, fence);
		assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
		if (status == 1)
			assert_int_equal(fence, -1);
		else
			assert_int_equal(kr_fence_status(fence), status);
		assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
		if (fence >= 0)
			close(fence);
	}
	fake_sink_finish(&sink, queue);
}

/* B-26: a release fence that never signals costs its buffer, not all of them. */
static void
ready_buffers_come_first(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = fake_sink_queue(&sink, false);
	int producers[2], fences[2];
	uint32_t first = help_frame(queue), second = help_frame(queue);

	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_fence_create(NULL, &producers[i], &fences[i]), 0);
	fake_sink_release(&sink, fences[0]);
	fake_sink_release(&sink, -1);
	assert_int_equal(help_frame(queue), second);
	/* Both late: the one that came back first; once one is done, that one. */
	fake_sink_release(&sink, fences[1]);
	assert_int_equal(help_dequeue(queue), first);
	assert_int_equal(kr_queue_cancel(queue, first, -1), 0);
	assert_int_equal(help_frame(queue), first);
	fake_sink_finish(&sink, queue);
	close(producers[0]);
	close(producers[1]);
}

/* Before a buffer is given whose fence is late, what the far end has sent is looked at. */
static void
late_fences_make_the_queue_listen(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = fake_sink_queue(&sink, true);
	int producer, fence;
	uint32_t first = help_frame(queue), second = help_frame(queue);

	assert_int_not_equal(first, second);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	fake_sink_release(&sink, fence);
	assert_int_equal(write(sink.wake[1], "r", 1), 1);
	assert_int_equal(help_dequeue(queue), second);
	assert_int_equal(sink.waits, 0);
	fake_sink_finish(&sink, queue);
	close(producer);
}

static void
age_counts_frames(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	slot = help_dequeue(queue);
	assert_int_equal(kr_queue_buffer_age(queue, slot), 0);
	help_queue_frame(queue, slot);
	help_frame(queue);
	fake_sink_release(&sink, -1);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(kr_queue_buffer_age(queue, slot), 2);
	/* Drawn into and given back: what it holds is undefined. */
	assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(kr_queue_buffer_age(queue, slot), 0);
	assert_int_equal(kr_queue_buffer_age(queue, 64), 0);
	fake_sink_finish(&sink, queue);
}

/* B-15, B-16, B-17 */
static void
counts_follow_androids_rules(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_max_buffers(queue), 64);
	assert_int_equal(kr_queue_min_undequeued(queue), 1);
	assert_int_equal(kr_queue_set_buffer_count(queue, 1), -EINVAL);
	assert_int_equal(kr_queue_set_buffer_count(queue, 65), -EINVAL);
	assert_int_equal(kr_queue_set_buffer_count(queue, 64), 0);
	assert_int_equal(kr_queue_set_async(queue, true), -EINVAL); /* would be 65 */
	assert_int_equal(kr_queue_set_buffer_count(queue, 0), 0);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	assert_int_equal(kr_queue_min_undequeued(queue), 2);
	assert_int_equal(kr_queue_set_buffer_count(queue, 2), -EINVAL);
	assert_int_equal(kr_queue_set_buffer_count(queue, 4), 0);
	for (int i = 0; i < 4; i++)
		help_frame(queue);
	assert_false(sink.frames[3].droppable); /* that is its mode's */
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_true(kr_queue_running_behind(queue));
	fake_sink_finish(&sink, queue);
}

static void
too_many_dequeued_is_enosys_once_a_frame_was_queued(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	slot = help_dequeue(queue);
	help_dequeue(queue);
	help_dequeue(queue); /* all three: nothing was queued yet */
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	help_queue_frame(queue, slot);
	assert_int_equal(help_try_dequeue(queue, 0), -ENOSYS);
	assert_int_equal(kr_queue_set_buffer_count(queue, 2), -EINVAL); /* two are out */
	fake_sink_finish(&sink, queue);
}

/* B-14 */
static void
sixty_four_slots_can_be_used(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_buffer_count(queue, 64), 0);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(help_frame(queue), i);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	for (uint32_t i = 0; i < 64; i++) {
		fake_sink_release(&sink, -1);
		assert_int_equal(help_frame(queue), i);
	}
	/* Fewer buffers: what is free goes at once, the rest as it comes back. */
	assert_int_equal(kr_queue_set_buffer_count(queue, 0), 0);
	while (sink.frame_count)
		fake_sink_release(&sink, -1);
	help_frame(queue);
	help_frame(queue);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(sink.removed, 62);
	fake_sink_finish(&sink, queue);
}

/* B-26 */
static void
the_buffer_that_came_back_first_is_next(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	help_frame(queue);
	help_frame(queue);
	assert_int_equal(kr_queue_release(queue, 1, 2, -1), 0);
	assert_int_equal(kr_queue_release(queue, 0, 1, -1), 0);
	assert_int_equal(help_frame(queue), 1);
	assert_int_equal(help_frame(queue), 0);
	fake_sink_finish(&sink, queue);
}

static void
a_lower_count_takes_only_what_is_too_many(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_buffer_count(queue, 5), 0);
	for (int i = 0; i < 5; i++)
		help_frame(queue);
	while (sink.frame_count)
		fake_sink_release(&sink, -1);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	for (int i = 0; i < 3; i++)
		help_frame(queue);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(sink.removed, 2);
	assert_int_equal(sink.added, 5);
	fake_sink_finish(&sink, queue);
}

/* W-03: what the consumer asks for is in each buffer. */
static void
another_size_or_usage_makes_another_buffer(void **state)
{
	struct kr_queue_request request = {.width = 16, .height = 8, .deadline_ns = 0};
	struct fake_sink sink;
	struct kr_queue *queue;
	struct kr_buffer *buffer;
	uint32_t slot;
	int fence;

	queue = fake_sink_queue(&sink, false);
	help_frame(queue);
	fake_sink_release(&sink, eventfd(0, 0));
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
	assert_int_equal(fence, -1); /* the old buffer's fence went with it */
	assert_int_equal(kr_buffer_get_info(buffer)->desc.width, 16);
	assert_int_equal(sink.added, 2);
	assert_int_equal(sink.removed, 1);
	assert_int_equal(kr_queue_buffer_age(queue, slot), 0);
	assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
	request.usage = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER;
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
	assert_true(kr_buffer_get_info(buffer)->desc.usage ==
		(request.usage | help_config.consumer_usage));
	assert_int_equal(sink.added, 3);
	assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
	request.usage = 0; /* less is in there */
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
	assert_int_equal(sink.added, 3);
	assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
	request.height = 0;
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), -EINVAL);
	request.height = 8;
	request.format = AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM;
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), -EOPNOTSUPP);
	fake_sink_finish(&sink, queue);
}

static void
a_new_default_size_takes_effect(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	kr_queue_configure(queue, 128, 128, 0);
	kr_queue_configure(queue, 0, 5, 0); /* nothing */
	help_frame(queue);
	assert_int_equal(kr_buffer_get_info(sink.frames[0].buffer)->desc.width, 128);
	fake_sink_finish(&sink, queue);
}

static void
damage_is_clipped(void **state)
{
	struct kr_queue_input input = help_input;
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	input.damage_count = 3;
	input.damage[0] = (android_native_rect_t){-5, -5, 10, 1000};
	input.damage[1] = (android_native_rect_t){100, 0, 200, 10};
	input.damage[2] = (android_native_rect_t){9, 9, 3, 3};
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &input, -1, NULL), 0);
	assert_int_equal(sink.frames[0].damage_count, 1);
	assert_int_equal(sink.frames[0].damage[0].left, 0);
	assert_int_equal(sink.frames[0].damage[0].bottom, 32);
	/* Damage that comes to nothing isn't "everything". */
	input.damage[0] = input.damage[1];
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &input, -1, NULL), 0);
	assert_int_equal(sink.frames[1].damage_count, 1);
	assert_int_equal(sink.frames[1].damage[0].right, 0);
	fake_sink_finish(&sink, queue);
}

static void
waiting_ends_at_the_deadline(void **state)
{
	for (int polls = 0; polls < 2; polls++) {
		struct fake_sink sink;
		struct kr_queue *queue;
		int64_t start, took;

		queue = fake_sink_queue(&sink, polls);
		help_frame(queue);
		help_frame(queue);
		start = kr_clock_now();
		assert_int_equal(help_try_dequeue(queue, 30 * MS), -ETIMEDOUT);
		took = kr_clock_now() - start;
		assert_true(took >= 30 * MS && took < 5000 * MS);
		assert_int_equal(sink.waits, 1); /* told once until something changes */
		assert_int_equal(help_try_dequeue(queue, -1), -ETIMEDOUT);
		assert_int_equal(help_try_dequeue(queue, -kr_clock_now() - 5), -ETIMEDOUT);
		assert_int_equal(sink.waits, 1);
		fake_sink_finish(&sink, queue);
	}
}

/* What anybody may wait for, and never what is waited for here. */
static void
change_something(struct fake_sink *sink)
{
	kr_queue_vblank(sink->queue, 1, 0);
}

static void
waiting_ends_at_the_deadline_whatever_comes(void **state)
{
	const struct kr_abilities before = help_config.abilities;
	struct fake_sink sink;
	struct kr_queue *queue;
	uint64_t count;
	int64_t time;

	help_config.abilities.modes = KR_ABILITY(KR_PRESENT_FIFO);
	help_config.abilities.counters = KR_ABILITY_VBLANK;
	queue = fake_sink_queue(&sink, true);
	help_frame(queue);
	help_frame(queue);
	sink.hearing = change_something;
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(help_try_dequeue(queue, 20 * MS), -ETIMEDOUT);
	assert_int_equal(
		kr_queue_wait_shown(queue, UINT64_MAX, kr_clock_now() + 20 * MS), -ETIMEDOUT);
	assert_int_equal(
		kr_queue_wait_vblank(queue, &count, &time, kr_clock_now() + 20 * MS), -ETIMEDOUT);
	sink.hearing = NULL;
	fake_sink_finish(&sink, queue);
	help_config.abilities = before;
}

static void
a_waiting_producer_lets_the_sink_dispatch(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, true);
	help_frame(queue);
	help_frame(queue);
	assert_int_equal(write(sink.wake[1], "r", 1), 1);
	assert_int_equal(help_try_dequeue(queue, 0), 0); /* without waiting, even */
	fake_sink_finish(&sink, queue);
}

static void
disconnect_frees_what_isnt_with_the_consumer(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_buffer_count(queue, 4), 0);
	help_frame(queue);
	help_frame(queue);
	slot = help_dequeue(queue);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(sink.removed, 1);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, eventfd(0, 0), NULL), -ENODEV);
	assert_int_equal(kr_queue_cancel(queue, slot, eventfd(0, 0)), -ENODEV);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EINVAL);
	/* What the consumer shows is none of the new connection's, and goes when it comes back. */
	assert_int_equal(help_try_dequeue(queue, 0), 0);
	assert_int_equal(sink.removed, 1);
	assert_int_equal(sink.added, 4);
	fake_sink_release(&sink, eventfd(0, 0));
	help_dequeue(queue);
	assert_int_equal(sink.removed, 2);
	assert_int_equal(sink.added, 5);
	fake_sink_finish(&sink, queue);
}

static void
an_abandoned_queue_is_enodev(void **state)
{
	struct kr_queue_input input = help_input;
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	slot = help_dequeue(queue);
	assert_true(kr_queue_alive(queue));
	kr_queue_abandon(queue);
	assert_false(kr_queue_alive(queue));
	assert_int_equal(help_try_dequeue(queue, 0), -ENODEV);
	assert_int_equal(kr_queue_queue(queue, slot, &input, eventfd(0, 0), NULL), -ENODEV);
	assert_int_equal(kr_queue_cancel(queue, slot, eventfd(0, 0)), -ENODEV);
	assert_int_equal(kr_queue_set_async(queue, true), -ENODEV);
	assert_int_equal(kr_queue_set_buffer_count(queue, 0), -ENODEV);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), -ENODEV);
	fake_sink_finish(&sink, queue);
}

static void
a_sink_that_fails_is_believed(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;
	uint32_t slot;

	queue = fake_sink_queue(&sink, true);
	sink.add_err = -ENOMEM;
	assert_int_equal(help_try_dequeue(queue, 0), -ENOMEM);
	sink.add_err = 0;
	slot = help_dequeue(queue);
	assert_int_equal(sink.added, 1);
	assert_int_equal(sink.removed, 0); /* what wasn't taken in isn't taken away */
	/* One frame can't be had: the slot is free again, the queue lives. */
	sink.submit_err = -ENOMEM;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, eventfd(0, 0), NULL), -ENOMEM);
	sink.submit_err = 0;
	assert_int_equal(help_dequeue(queue), slot);
	sink.submit_err = -EPIPE;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, eventfd(0, 0), NULL), -ENODEV);
	assert_false(kr_queue_alive(queue));
	fake_sink_finish(&sink, queue);
	queue = fake_sink_queue(&sink, true);
	sink.add_err = -EPIPE;
	assert_int_equal(help_try_dequeue(queue, 0), -ENODEV);
	assert_false(kr_queue_alive(queue));
	fake_sink_finish(&sink, queue);
	queue = fake_sink_queue(&sink, true);
	sink.dispatch_err = -EPIPE;
	assert_false(kr_queue_alive(queue));
	fake_sink_finish(&sink, queue);
}

/* DESIGN rule 7. */
static void
a_silent_sink_is_pinged_then_abandoned(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;
	int64_t start, took;

	kr_sink_set_answer_ns(200 * MS);
	queue = fake_sink_queue(&sink, true);
	help_frame(queue);
	help_frame(queue);
	/* Alive but slow: every ping is answered, the wait lasts as long as asked for. */
	assert_int_equal(help_try_dequeue(queue, 600 * MS), -ETIMEDOUT);
	assert_true(sink.pings >= 2);
	sink.mute = true;
	start = kr_clock_now();
	assert_int_equal(help_try_dequeue(queue, 60000 * MS), -ENODEV);
	took = kr_clock_now() - start;
	assert_true(took >= 90 * MS && took < 5000 * MS);
	fake_sink_finish(&sink, queue);
}

static void
a_mute_sink_is_not_hurried(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	kr_sink_set_answer_ns(40 * MS);
	fake_sink_init(&sink, true);
	sink.mute = true;
	queue = help_queue(&sink.base);
	/* Nothing is with it: no answer is due. */
	assert_int_equal(help_dequeue(queue), 0);
	assert_int_equal(help_dequeue(queue), 1);
	assert_int_equal(help_try_dequeue(queue, 150 * MS), -ETIMEDOUT);
	assert_int_equal(sink.pings, 0);
	help_queue_frame(queue, 0);
	help_queue_frame(queue, 1);
	/* A producer that looks now and then is idle in between: the first look only asks. */
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	poll(NULL, 0, 100);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(sink.pings, 1);
	poll(NULL, 0, 100);
	assert_int_equal(help_try_dequeue(queue, 0), -ENODEV);
	fake_sink_finish(&sink, queue);
}

static struct kr_queue *told_queue;
static unsigned told;

/*
 * As a callback of the application may: it comes back for the very queue that the message is about.
 */
static void
hear_and_ask(void *data, uint32_t bits, const char *message)
{
	told += strstr(message, "no buffer has come back for 3 s: 2 are with the fake end") != NULL;
	assert_int_equal(help_try_dequeue(told_queue, 0), -ETIMEDOUT);
	assert_true(kr_queue_alive(told_queue));
}

/* DESIGN rule 7: who waits without a limit is told for what, while he waits. */
static void
a_long_wait_is_told(void **state)
{
	struct fake_sink sink;

	told_queue = fake_sink_queue(&sink, false);
	help_frame(told_queue);
	help_frame(told_queue);
	kr_log_set_sink(hear_and_ask, NULL);
	assert_int_equal(help_try_dequeue(told_queue, 2500 * MS), -ETIMEDOUT);
	assert_int_equal(told, 0);
	assert_int_equal(help_try_dequeue(told_queue, 3200 * MS), -ETIMEDOUT);
	assert_int_equal(told, 1);
	kr_log_set_sink(NULL, NULL);
	fake_sink_finish(&sink, told_queue);
}

/* The same when the display is given up: the message comes when the queue's lock is free. */
static void
hear_and_ask_the_dead(void *data, uint32_t bits, const char *message)
{
	told++;
	assert_int_equal(help_try_dequeue(told_queue, 0), -ENODEV);
	assert_false(kr_queue_alive(told_queue));
}

static void
a_callback_may_come_back(void **state)
{
	struct fake_sink sink;

	kr_sink_set_answer_ns(40 * MS);
	fake_sink_init(&sink, true);
	sink.mute = true;
	told_queue = help_queue(&sink.base);
	help_frame(told_queue);
	help_frame(told_queue);
	kr_log_set_sink(hear_and_ask_the_dead, NULL);
	assert_int_equal(help_try_dequeue(told_queue, 10000 * MS), -ENODEV);
	assert_int_equal(told, 1);
	kr_log_set_sink(NULL, NULL);
	fake_sink_finish(&sink, told_queue);
}

static void
the_null_sink_gives_frames_back_with_their_fence(void **state)
{
	struct kr_queue_request request = {.deadline_ns = 0};
	struct kr_queue *queue;
	struct kr_buffer *buffer;
	struct kr_sink *sink;
	uint32_t slot;
	int fence;

	assert_int_equal(kr_sink_null_create(&sink), 0);
	queue = help_queue(sink);
	for (int i = 0; i < 5; i++) {
		int acquire = eventfd(0, EFD_CLOEXEC);

		assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &fence), 0);
		assert_int_equal(kr_queue_queue(queue, slot, &help_input, acquire, NULL), 0);
		if (fence >= 0)
			close(fence);
		assert_int_equal(slot, 0);
		assert_true(i == 0 || fence >= 0);
	}
	kr_queue_unref(queue);
}

static void
no_allocation_in_a_steady_state(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue;

	queue = fake_sink_queue(&sink, false);
	for (int i = 0; i < 1000; i++) {
		help_frame(queue);
		fake_sink_release(&sink, -1);
	}
	assert_int_equal(sink.added, 1);
	assert_int_equal(kr_queue_next_frame(queue), 1001);
	fake_sink_finish(&sink, queue);
}

static const struct kr_test tests[] = {
	KR_TEST(config_is_checked_and_the_sink_taken),
	KR_TEST(a_far_end_without_a_size_has_one_pixel),
	KR_TEST(a_new_buffer_has_to_be_asked_for),
	KR_TEST(one_producer_at_a_time),
	KR_TEST(a_slot_goes_round),
	KR_TEST(wrong_states_are_einval),
	KR_TEST(the_release_fence_comes_with_the_next_dequeue),
	KR_TEST(a_fence_that_has_signalled_stays_behind),
	KR_TEST(ready_buffers_come_first),
	KR_TEST(late_fences_make_the_queue_listen),
	KR_TEST(age_counts_frames),
	KR_TEST(counts_follow_androids_rules),
	KR_TEST(too_many_dequeued_is_enosys_once_a_frame_was_queued),
	KR_TEST(sixty_four_slots_can_be_used),
	KR_TEST(the_buffer_that_came_back_first_is_next),
	KR_TEST(a_lower_count_takes_only_what_is_too_many),
	KR_TEST(another_size_or_usage_makes_another_buffer),
	KR_TEST(a_new_default_size_takes_effect),
	KR_TEST(damage_is_clipped),
	KR_TEST(waiting_ends_at_the_deadline),
	KR_TEST(waiting_ends_at_the_deadline_whatever_comes),
	KR_TEST(a_waiting_producer_lets_the_sink_dispatch),
	KR_TEST(disconnect_frees_what_isnt_with_the_consumer),
	KR_TEST(an_abandoned_queue_is_enodev),
	KR_TEST(a_sink_that_fails_is_believed),
	KR_TEST(a_silent_sink_is_pinged_then_abandoned),
	KR_TEST(a_mute_sink_is_not_hurried),
	KR_TEST(a_long_wait_is_told),
	KR_TEST(a_callback_may_come_back),
	KR_TEST(the_null_sink_gives_frames_back_with_their_fence),
	KR_TEST(no_allocation_in_a_steady_state),
};

KR_TEST_MAIN(tests)
