/* SPDX-License-Identifier: Apache-2.0 */
/* A fence that passes through a queue is renamed to window and slot. */
#include "help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sync/wait/describe.h"
#include "sync/fence/fence.h"
#include "util/clock.h"

static const char *
name_of(int fence)
{
	static struct kr_fence_description d;

	assert_int_equal(kr_fence_describe(fence, &d), 0);
	return d.name;
}

static void
make_fence(int *producer, int *fence)
{
	const struct kr_fence_label label = {.timeline = "gpu", .seqno = 1, .name = "unnamed"};

	assert_int_equal(kr_fence_create(&label, producer, fence), 0);
}

static int
dequeue(struct kr_queue *queue, uint32_t *slot)
{
	const struct kr_queue_request request = {.deadline_ns = KR_FOREVER};
	struct kr_buffer *buffer;
	int fence = -2;

	assert_int_equal(kr_queue_dequeue(queue, &request, slot, &buffer, &fence), 0);
	return fence;
}

static struct kr_queue *
labelled_queue(struct fake_sink *sink, const char *label)
{
	struct kr_queue *queue = fake_sink_queue(sink, false);

	kr_queue_set_label(queue, label);
	return queue;
}

/* S-07 */
static void
an_acquire_fence_is_named_when_queued(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "SurfaceView");
	int producers[2], fences[2];
	char expected[40];
	uint32_t slot;

	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	for (unsigned i = 0; i < 2; i++) {
		make_fence(&producers[i], &fences[i]);
		assert_int_equal(dequeue(queue, &slot), -1);
		assert_int_equal(kr_queue_queue(queue, slot, &help_input, fences[i], NULL), 0);
		snprintf(expected, sizeof(expected), "SurfaceView:%u", slot);
		assert_string_equal(name_of(sink.frames[i].acquire_fence), expected);
		/* A user-space fence keeps its descriptor: nothing was duplicated. */
		assert_int_equal(sink.frames[i].acquire_fence, fences[i]);
		kr_fence_signal(producers[i], 1);
	}
	assert_int_equal(slot, 1);
	fake_sink_finish(&sink, queue);
}

/* S-07 */
static void
a_release_fence_is_named_when_dequeued(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "SurfaceView");
	int producer, fence, got;
	uint32_t slot = help_frame(queue);
	char expected[40];

	make_fence(&producer, &fence);
	fake_sink_release(&sink, fence);
	got = dequeue(queue, &slot);
	assert_int_equal(got, fence);
	snprintf(expected, sizeof(expected), "SurfaceView:%u", slot);
	assert_string_equal(name_of(got), expected);
	kr_fence_signal(producer, 1);
	close(got);
	fake_sink_finish(&sink, queue);
}

/* S-07: what comes back with a cancelled buffer is named on its way out. */
static void
a_cancelled_fence_is_named_when_dequeued(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "cube");
	int producer, fence, got;
	uint32_t slot, again;

	assert_int_equal(dequeue(queue, &slot), -1);
	make_fence(&producer, &fence);
	assert_int_equal(kr_queue_cancel(queue, slot, fence), 0);
	got = dequeue(queue, &again);
	assert_int_equal(again, slot);
	assert_string_equal(name_of(got), "cube:0");
	kr_fence_signal(producer, 1);
	close(got);
	fake_sink_finish(&sink, queue);
}

/* A done fence waits for nobody any more: it costs no name. */
static void
a_done_fence_keeps_its_name(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "cube");
	int producer, fence;
	uint32_t slot;

	make_fence(&producer, &fence);
	kr_fence_signal(producer, 1);
	assert_int_equal(dequeue(queue, &slot), -1);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, fence, NULL), 0);
	assert_string_equal(name_of(sink.frames[0].acquire_fence), "unnamed");
	fake_sink_finish(&sink, queue);
}

/* What is no fence goes through as it came. */
static void
what_is_no_fence_is_left_alone(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "cube");
	int event = eventfd(0, EFD_CLOEXEC);
	uint32_t slot;

	assert_int_equal(dequeue(queue, &slot), -1);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, event, NULL), 0);
	assert_int_equal(sink.frames[0].acquire_fence, event);
	fake_sink_finish(&sink, queue);
}

/* The longest label leaves room for the slot; without one it is the program's name. */
static void
labels_are_cut_and_have_a_default(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "A title that is much longer than a name");
	int producers[2], fences[2];
	char expected[64];
	uint32_t slot;

	make_fence(&producers[0], &fences[0]);
	assert_int_equal(dequeue(queue, &slot), -1);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, fences[0], NULL), 0);
	assert_string_equal(
		name_of(sink.frames[0].acquire_fence), "A title that is much longer :0");
	kr_queue_set_label(queue, NULL);
	make_fence(&producers[1], &fences[1]);
	assert_int_equal(kr_queue_set_buffer_count(queue, 3), 0);
	assert_int_equal(dequeue(queue, &slot), -1);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, fences[1], NULL), 0);
	snprintf(expected, sizeof(expected), "%.28s:%u", program_invocation_short_name, slot);
	assert_string_equal(name_of(sink.frames[1].acquire_fence), expected);
	kr_fence_signal(producers[0], 1);
	kr_fence_signal(producers[1], 1);
	fake_sink_finish(&sink, queue);
}

/* S-07: all 64 slots are told apart. */
static void
every_slot_has_its_number(void **state)
{
	struct fake_sink sink;
	struct kr_queue *queue = labelled_queue(&sink, "w");
	uint32_t slot = 0;

	assert_int_equal(kr_queue_set_buffer_count(queue, KR_QUEUE_SLOTS), 0);
	for (unsigned i = 0; i < KR_QUEUE_SLOTS; i++) {
		int fence = dequeue(queue, &slot), producer;
		char expected[16];

		assert_int_equal(fence, -1);
		make_fence(&producer, &fence);
		assert_int_equal(kr_queue_cancel(queue, slot, fence), 0);
		/* Held back below, so that the next turn gets another slot. */
		fence = dequeue(queue, &slot);
		snprintf(expected, sizeof(expected), "w:%u", slot);
		assert_string_equal(name_of(fence), expected);
		kr_fence_signal(producer, 1);
		close(fence);
	}
	assert_int_equal(slot, KR_QUEUE_SLOTS - 1);
	fake_sink_finish(&sink, queue);
}

static const struct kr_test tests[] = {
	KR_TEST(an_acquire_fence_is_named_when_queued),
	KR_TEST(a_release_fence_is_named_when_dequeued),
	KR_TEST(a_cancelled_fence_is_named_when_dequeued),
	KR_TEST(a_done_fence_keeps_its_name),
	KR_TEST(what_is_no_fence_is_left_alone),
	KR_TEST(labels_are_cut_and_have_a_default),
	KR_TEST(every_slot_has_its_number),
};
KR_TEST_MAIN(tests)
