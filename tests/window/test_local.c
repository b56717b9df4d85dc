/* SPDX-License-Identifier: Apache-2.0 */
/* The consumer in the producer's process. */
#include "help.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gralloc/buffer.h"

static void
create(struct help_seen *seen, struct kr_queue **queue, struct kr_consumer **consumer)
{
	struct kr_sink *sink;

	memset(seen, 0, sizeof(*seen));
	assert_int_equal(kr_consumer_local_create(&help_events, seen, &sink, consumer), 0);
	*queue = help_queue(sink);
}

static void
frames_arrive_in_order_with_their_fences(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame, peeked;
	struct help_seen seen;
	int fence = eventfd(0, EFD_CLOEXEC);

	create(&seen, &queue, &consumer);
	assert_int_equal(kr_consumer_fd(consumer), -1);
	assert_int_equal(kr_consumer_pid(consumer), 0);
	assert_non_null(kr_consumer_label(consumer));
	assert_int_equal(kr_consumer_acquire(consumer, &frame), -EAGAIN);
	assert_int_equal(kr_consumer_peek(consumer, &frame), -EAGAIN);
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &help_input, fence, NULL), 0);
	help_frame(queue);
	assert_int_equal(seen.available, 2);
	assert_int_equal(help_try_dequeue(queue, 0), -ETIMEDOUT);
	assert_int_equal(seen.waiting, 1);
	kr_queue_describe(queue, "a device");
	assert_string_equal(seen.device, "a device");
	assert_int_equal(kr_consumer_peek(consumer, &peeked), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.number, 1);
	assert_int_equal(peeked.number, 1);
	assert_int_equal(frame.acquire_fence, fence);
	close(frame.acquire_fence);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	assert_int_equal(kr_consumer_release(consumer, &frame, eventfd(0, 0)), -ESTALE);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.number, 2);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	assert_int_equal(kr_consumer_dispatch(consumer), 0);
	kr_queue_unref(queue);
	assert_int_equal(seen.disconnected, 1);
	assert_int_equal(kr_consumer_dispatch(consumer), -EPIPE);
	kr_consumer_destroy(consumer);
}

static void
at_most_one_frame_more_than_agreed_is_held(void **state)
{
	struct kr_consumer *consumer;
	struct kr_frame frames[3];
	struct kr_queue *queue;
	struct help_seen seen;

	create(&seen, &queue, &consumer);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	for (int i = 0; i < 3; i++)
		help_frame(queue);
	assert_int_equal(kr_consumer_acquire(consumer, &frames[0]), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frames[1]), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frames[2]), -EBUSY);
	assert_int_equal(kr_consumer_release(consumer, &frames[1], -1), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frames[2]), 0);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
a_droppable_frame_is_replaced_and_its_damage_kept(void **state)
{
	struct kr_queue_input input = help_input;
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame;
	struct help_seen seen;
	int fence = eventfd(0, EFD_CLOEXEC);
	struct kr_queue_request request = {.deadline_ns = 0};
	struct kr_buffer *buffer;
	uint32_t slot, first;
	int got;

	create(&seen, &queue, &consumer);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	input.damage_count = 1;
	input.damage[0] = (android_native_rect_t){0, 0, 4, 4};
	first = help_dequeue(queue);
	assert_int_equal(kr_queue_queue(queue, first, &input, fence, NULL), 0);
	input.damage[0] = (android_native_rect_t){8, 8, 12, 12};
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &input, -1, NULL), 0);
	assert_int_equal(seen.replaced, 1);
	/* The first came back at once, with its own acquire fence. */
	assert_int_equal(kr_queue_dequeue(queue, &request, &slot, &buffer, &got), 0);
	assert_int_equal(slot, first);
	assert_int_equal(got, fence);
	close(got);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.number, 2);
	assert_int_equal(frame.damage_count, 2);
	assert_int_equal(frame.damage[1].right, 4);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), -EAGAIN);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
an_acquired_frame_is_not_replaced(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame;
	struct help_seen seen;

	create(&seen, &queue, &consumer);
	assert_int_equal(kr_queue_set_async(queue, true), 0);
	help_frame(queue);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	help_frame(queue);
	assert_int_equal(seen.replaced, 0);
	assert_int_equal(kr_consumer_release(consumer, &frame, -1), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	assert_int_equal(frame.number, 2);
	kr_queue_unref(queue);
	kr_consumer_destroy(consumer);
}

static void
frames_in_hand_outlive_the_queue(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_frame frame, next;
	struct help_seen seen;
	void *pixels;

	create(&seen, &queue, &consumer);
	help_frame(queue);
	assert_int_equal(kr_queue_queue(queue, help_dequeue(queue), &help_input,
				 eventfd(0, EFD_CLOEXEC), NULL),
		0);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), 0);
	kr_queue_unref(queue);
	assert_int_equal(kr_buffer_map(frame.buffer, &pixels), 0);
	memset(pixels, 1, kr_buffer_get_info(frame.buffer)->size);
	assert_int_equal(kr_consumer_release(consumer, &frame, eventfd(0, 0)), 0);
	assert_int_equal(kr_consumer_acquire(consumer, &next), 0);
	close(next.acquire_fence);
	assert_int_equal(kr_consumer_acquire(consumer, &frame), -EPIPE);
	/* One is held, nothing is queued; all is dropped here. */
	kr_consumer_destroy(consumer);
}

static void
a_consumer_that_goes_abandons_the_queue(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct help_seen seen;
	uint32_t slot;

	create(&seen, &queue, &consumer);
	assert_int_equal(
		kr_queue_queue(queue, help_dequeue(queue), &help_input, eventfd(0, 0), NULL), 0);
	slot = help_dequeue(queue);
	kr_consumer_destroy(consumer);
	assert_false(kr_queue_alive(queue));
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, eventfd(0, 0), NULL), -ENODEV);
	kr_queue_unref(queue);
	assert_int_equal(seen.disconnected, 0); /* it is gone: nobody is told */
}

static void
a_consumer_may_be_destroyed_by_its_own_event(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct help_seen seen;

	create(&seen, &queue, &consumer);
	help_frame(queue);
	seen.to_destroy = consumer;
	kr_queue_unref(queue);
	assert_int_equal(seen.disconnected, 1);
}

static void
a_consumer_without_a_queue_can_go(void **state)
{
	struct kr_consumer *consumer;
	struct kr_queue *queue;
	struct kr_sink *sink;

	assert_int_equal(kr_consumer_local_create(NULL, NULL, &sink, &consumer), 0);
	kr_consumer_destroy(consumer);
	assert_int_equal(kr_queue_create(&help_config, sink, &queue), 0);
	assert_int_equal(kr_queue_connect(queue, 1), -ENODEV);
	kr_queue_unref(queue);
	kr_consumer_destroy(NULL);
}

static const struct kr_test tests[] = {
	KR_TEST(frames_arrive_in_order_with_their_fences),
	KR_TEST(at_most_one_frame_more_than_agreed_is_held),
	KR_TEST(a_droppable_frame_is_replaced_and_its_damage_kept),
	KR_TEST(an_acquired_frame_is_not_replaced),
	KR_TEST(frames_in_hand_outlive_the_queue),
	KR_TEST(a_consumer_that_goes_abandons_the_queue),
	KR_TEST(a_consumer_may_be_destroyed_by_its_own_event),
	KR_TEST(a_consumer_without_a_queue_can_go),
};

KR_TEST_MAIN(tests)
