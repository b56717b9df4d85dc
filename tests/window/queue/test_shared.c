/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffer mode: one slot, the producer's and the far end's at the same time. */
#include "help.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <string.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

static struct fake_sink sink;

static struct kr_queue *
open_sharing(void)
{
	struct kr_queue *queue;

	help_config.abilities.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT);
	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	return queue;
}

static int
dequeue(struct kr_queue *queue, uint32_t width, uint32_t height, uint32_t *slot)
{
	struct kr_queue_request request = {
		.width = width, .height = height, .deadline_ns = kr_clock_now()};
	struct kr_buffer *buffer;
	int fence = -1, err = kr_queue_dequeue(queue, &request, slot, &buffer, &fence);

	kr_fd_close(&fence);
	return err;
}

/* B-41, B-69 */
static void
one_slot_is_dequeued_again_and_again(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_frame(queue);

	for (uint64_t i = 2; i <= 100; i++) {
		assert_int_equal(help_dequeue(queue), slot);
		/* While it is dequeued it can't be once more. */
		assert_int_equal(help_try_dequeue(queue, 0), -ENOSYS);
		assert_int_equal(help_queue_frame(queue, slot), i);
		assert_int_equal(sink.frame_count, 2);
		assert_int_equal(sink.frames[1].slot, slot);
		assert_int_equal(sink.frames[1].number, i);
		assert_ptr_equal(sink.frames[1].buffer, sink.frames[0].buffer);
		assert_int_equal(sink.frames[1].presentation.mode, KR_PRESENT_SHARED_DEMAND);
		assert_false(sink.frames[1].droppable);
		sink.frame_count = 1;
	}
	assert_int_equal(sink.added, 1);
	fake_sink_finish(&sink, queue);
}

/* B-25 */
static void
it_is_released_once_when_the_mode_has_ended(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_frame(queue), other;

	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	help_frame(queue);
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	other = help_frame(queue);
	assert_int_not_equal(other, slot);
	assert_int_equal(sink.frames[2].presentation.mode, KR_PRESENT_FIFO);
	assert_int_equal(kr_queue_release(queue, slot, 3, -1), -ESTALE);
	assert_int_equal(kr_queue_release(queue, slot, 2, -1), 0);
	assert_int_equal(kr_queue_release(queue, slot, 2, -1), -ESTALE);
	/* An ordinary one again. */
	assert_int_equal(kr_queue_release(queue, other, 3, -1), 0);
	assert_int_equal(help_frame(queue), slot);
	assert_int_equal(sink.frames[3].presentation.mode, KR_PRESENT_FIFO);
	fake_sink_finish(&sink, queue);
}

/* The far end had the first one alone, and could do nothing with it. */
static void
a_release_may_cross_the_next_frame(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_frame(queue);

	help_frame(queue);
	assert_int_equal(kr_queue_release(queue, slot, 1, -1), 0);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(kr_queue_release(queue, slot, 2, -1), 0);
	assert_int_equal(kr_queue_release(queue, slot, 1, -1), -ESTALE);
	fake_sink_finish(&sink, queue);
}

/* The mode ends while the producer has the slot: it may be queued on until something else was. */
static void
a_slot_that_is_passed_can_only_be_cancelled(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_frame(queue), other;

	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	other = help_dequeue(queue);
	assert_int_not_equal(other, slot);
	assert_int_equal(help_queue_frame(queue, slot), 2);
	assert_int_equal(sink.frames[1].presentation.mode, KR_PRESENT_SHARED_DEMAND);
	/* And goes on, if the mode does. */
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(help_queue_frame(queue, other), 3);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EINVAL);
	assert_int_equal(kr_queue_release(queue, slot, 2, -1), 0);
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
	fake_sink_finish(&sink, queue);
}

/* B-61 */
static void
nothing_is_cancelled_in_the_mode(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_dequeue(queue), again;

	assert_int_equal(kr_queue_cancel(queue, slot, eventfd(0, 0)), -EINVAL);
	help_queue_frame(queue, slot);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(kr_queue_cancel(queue, slot, eventfd(0, 0)), -EINVAL);
	/* After it that leaves it with the far end. */
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	assert_int_equal(kr_queue_cancel(queue, slot, -1), 0);
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	assert_int_equal(dequeue(queue, 0, 0, &again), 0);
	assert_int_equal(again, slot);
	assert_int_equal(help_queue_frame(queue, slot), 2);
	assert_int_equal(kr_queue_release(queue, slot, 2, -1), 0);
	fake_sink_finish(&sink, queue);
}

/*
 * B-69: it is switched on with buffers in the producer's hands: the first that is queued is the
 * one.
 */
static void
what_is_queued_first_is_shared(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t first, second;

	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	first = help_dequeue(queue);
	second = help_dequeue(queue);
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	help_queue_frame(queue, second);
	assert_int_equal(sink.frames[0].presentation.mode, KR_PRESENT_SHARED_DEMAND);
	assert_int_equal(help_dequeue(queue), second);
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	help_queue_frame(queue, first);
	assert_int_equal(sink.frames[1].presentation.mode, KR_PRESENT_FIFO);
	fake_sink_finish(&sink, queue);
}

static void
it_keeps_its_buffer(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_frame(queue);

	assert_int_equal(dequeue(queue, 128, 128, &slot), -EINVAL);
	assert_int_equal(dequeue(queue, 64, 32, &slot), 0);
	fake_sink_finish(&sink, queue);
}

/* B-70 */
static void
auto_refresh_is_continuous(void **state)
{
	struct kr_queue *queue = open_sharing();

	assert_int_equal(kr_queue_set_auto_refresh(queue, true), 0);
	help_frame(queue);
	assert_int_equal(sink.frames[0].presentation.mode, KR_PRESENT_SHARED_CONTINUOUS);
	help_input.presentation.mode = KR_PRESENT_SHARED_DEMAND;
	help_frame(queue);
	assert_int_equal(sink.frames[1].presentation.mode, KR_PRESENT_SHARED_DEMAND);
	fake_sink_finish(&sink, queue);
}

/* Nothing of it is left for who connects next. */
static void
a_disconnect_ends_it(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_frame(queue), next;

	assert_int_equal(kr_queue_set_auto_refresh(queue, true), 0);
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(kr_queue_disconnect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_connect(queue, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	next = help_frame(queue);
	assert_int_not_equal(next, slot);
	assert_int_not_equal(help_frame(queue), next);
	assert_int_equal(sink.frames[1].presentation.mode, KR_PRESENT_FIFO);
	assert_int_equal(sink.removed, 0);
	assert_int_equal(kr_queue_release(queue, slot, 1, -1), 0);
	assert_int_equal(help_try_dequeue(queue, 0), 0);
	assert_int_equal(sink.removed, 1);
	assert_int_equal(kr_queue_release(queue, next, 2, -1), 0);
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	help_frame(queue);
	assert_int_equal(sink.frames[3].presentation.mode, KR_PRESENT_SHARED_DEMAND);
	fake_sink_finish(&sink, queue);
}

static void
a_frame_that_is_not_taken_costs_no_more(void **state)
{
	struct kr_queue *queue = open_sharing();
	uint32_t slot = help_dequeue(queue);

	sink.submit_err = -ENOMEM;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -ENOMEM);
	sink.submit_err = 0;
	assert_int_equal(help_frame(queue), slot);
	assert_int_equal(help_dequeue(queue), slot);
	sink.submit_err = -ENOMEM;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -ENOMEM);
	sink.submit_err = 0;
	/* The far end shows what it has. */
	assert_int_equal(help_dequeue(queue), slot);
	assert_int_equal(help_queue_frame(queue, slot), 4);
	assert_int_equal(kr_queue_release(queue, slot, 4, -1), 0);
	fake_sink_finish(&sink, queue);
}

static void
who_cannot_share_is_never_asked_to(void **state)
{
	struct kr_queue *queue = fake_sink_queue(&sink, false);
	uint32_t slot;

	assert_int_equal(kr_queue_set_shared(queue, true), -EOPNOTSUPP);
	assert_int_equal(kr_queue_set_auto_refresh(queue, true), -EOPNOTSUPP);
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	assert_int_equal(kr_queue_set_auto_refresh(queue, false), 0);
	fake_sink_finish(&sink, queue);
	help_config.abilities.modes = KR_ABILITY(KR_PRESENT_SHARED_DEMAND);
	queue = fake_sink_queue(&sink, false);
	assert_int_equal(kr_queue_set_auto_refresh(queue, true), -EOPNOTSUPP);
	/* Frames of the mode are of the slot of the mode. */
	slot = help_dequeue(queue);
	help_input.presentation.mode = KR_PRESENT_SHARED_DEMAND;
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), -EINVAL);
	fake_sink_finish(&sink, queue);
}

static void
the_null_sink_keeps_it(void **state)
{
	struct kr_queue *queue;
	struct kr_sink *null;
	uint32_t slot;

	help_config.abilities.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT);
	assert_int_equal(kr_sink_null_create(&null), 0);
	queue = help_queue(null);
	assert_int_equal(kr_queue_set_buffer_count(queue, 2), 0);
	assert_int_equal(kr_queue_set_shared(queue, true), 0);
	slot = help_frame(queue);
	for (int i = 0; i < 10; i++)
		assert_int_equal(help_frame(queue), slot);
	assert_int_equal(kr_queue_release(queue, slot, 12, -1), -ESTALE);
	assert_int_equal(kr_queue_set_shared(queue, false), 0);
	assert_int_not_equal(help_frame(queue), slot);
	assert_int_equal(kr_queue_release(queue, slot, 11, -1), -ESTALE);
	assert_int_equal(help_frame(queue), slot);
	kr_queue_unref(queue);
}

static const struct kr_test tests[] = {
	KR_TEST(one_slot_is_dequeued_again_and_again),
	KR_TEST(a_release_may_cross_the_next_frame),
	KR_TEST(it_is_released_once_when_the_mode_has_ended),
	KR_TEST(a_slot_that_is_passed_can_only_be_cancelled),
	KR_TEST(nothing_is_cancelled_in_the_mode),
	KR_TEST(what_is_queued_first_is_shared),
	KR_TEST(it_keeps_its_buffer),
	KR_TEST(auto_refresh_is_continuous),
	KR_TEST(a_disconnect_ends_it),
	KR_TEST(a_frame_that_is_not_taken_costs_no_more),
	KR_TEST(who_cannot_share_is_never_asked_to),
	KR_TEST(the_null_sink_keeps_it),
};

int
main(int argc, char **argv)
{
	return kr_test_main(argc, argv, tests, KR_ARRAY_LEN(tests));
}
