/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows whose buffers are dma-bufs: their fences, inside and beside (fake devices: buffer_rig.h).
 */
#include "help.h"

#include <errno.h>
#include <unistd.h>

#include "buffer_rig.h"
#include "gralloc/buffer.h"
#include "support.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"

#define MS 1000000

/* Whether a reader of the buffer would have to wait. */
static bool
is_being_written(const struct kr_buffer *buffer)
{
	int status, fence;

	assert_int_equal(
		kr_buffer_export_fence(kr_buffer_get_info(buffer), KR_DMA_BUF_READ, &fence), 0);
	status = kr_fence_status(fence);
	close(fence);
	return status == KR_FENCE_ACTIVE;
}

static struct kr_buffer *
dequeue(struct kr_queue *queue, uint32_t *slot)
{
	const struct kr_queue_request request = {.deadline_ns = SOON};
	struct kr_buffer *buffer;
	int fence;

	assert_int_equal(kr_queue_dequeue(queue, &request, slot, &buffer, &fence), 0);
	kr_fd_close(&fence);
	return buffer;
}

/* Who reads by the rules of other APIs finds the frame's fence inside its buffer. */
static void
a_frames_fence_goes_into_its_buffer(void **state)
{
	struct fake_sink sink;
	struct rig_fence fence;
	struct kr_buffer *buffer;
	struct kr_queue *queue;
	uint32_t slot;
	int given;

	rig_begin_with("dma-heap");
	queue = fake_sink_queue(&sink, false);
	buffer = dequeue(queue, &slot);
	assert_int_equal(kr_buffer_get_info(buffer)->backend, KR_BUFFER_DMA_HEAP);
	assert_false(is_being_written(buffer));
	fence = rig_fence_create();
	assert_int_equal(kr_fd_dup(fence.fence, &given), 0);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, given, NULL), 0);
	assert_true(is_being_written(buffer));
	rig_fence_signal(&fence);
	assert_false(is_being_written(buffer));
	rig_fence_finish(&fence);
	fake_sink_finish(&sink, queue);
	rig_end();
}

/* S-05 */
static void
a_fence_of_user_space_does_not(void **state)
{
	struct pair pair;
	struct fake_sink sink;
	struct kr_buffer *buffer;
	struct kr_queue *queue;
	uint32_t slot;

	rig_begin_with("dma-heap");
	queue = fake_sink_queue(&sink, false);
	buffer = dequeue(queue, &slot);
	pair = make_pair("user");
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, pair.fence, NULL), 0);
	assert_int_equal(sink.frame_count, 1);
	assert_false(is_being_written(buffer));
	close(pair.producer);
	fake_sink_finish(&sink, queue);
	rig_end();
}

/* What writes into the buffer is waited for as the frame's own fence is, also beside it. */
static void
a_display_waits_for_writers_inside(void **state)
{
	/* 0: alone; 1: the fence beside it ends first; 2: last. */
	for (int beside = 0; beside < 3; beside++) {
		struct pair pair = {-1, -1};
		struct kr_consumer *consumer;
		struct kr_frame frame;
		struct kr_buffer *buffer;
		struct rig_fence fence;
		struct kr_queue *queue;
		uint32_t slot;

		rig_begin_with("udmabuf");
		help_connect(&queue, &consumer, true, NULL, NULL);
		buffer = dequeue(queue, &slot);
		fence = rig_fence_create();
		assert_int_equal(kr_buffer_import_fence(
					 kr_buffer_get_info(buffer), KR_DMA_BUF_WRITE, fence.fence),
			0);
		if (beside)
			pair = make_pair("beside");
		assert_int_equal(kr_queue_queue(queue, slot, &help_input, pair.fence, NULL), 0);
		while (kr_consumer_peek(consumer, &frame))
			assert_int_equal(help_pump(consumer), 0);
		assert_int_equal(kr_fence_status(frame.acquire_fence), KR_FENCE_ACTIVE);
		if (beside == 1)
			kr_fence_signal(pair.producer, KR_FENCE_SIGNALLED);
		else if (beside == 2)
			rig_fence_signal(&fence);
		if (beside)
			assert_int_equal(
				kr_fence_wait(frame.acquire_fence, kr_deadline_in(20 * MS)),
				-ETIME);
		if (beside == 2)
			kr_fence_signal(pair.producer, KR_FENCE_SIGNALLED);
		else
			rig_fence_signal(&fence);
		assert_int_equal(kr_fence_wait(frame.acquire_fence, SOON), 0);
		rig_fence_finish(&fence);
		kr_consumer_destroy(consumer);
		kr_queue_unref(queue);
		settle();
		rig_end();
	}
}

/* An idle buffer costs no fence. */
static void
an_idle_buffer_adds_nothing(void **state)
{
	struct kr_consumer *consumer;
	struct kr_frame frame;
	struct kr_queue *queue;
	uint32_t slot;

	rig_begin_with("udmabuf");
	help_connect(&queue, &consumer, true, NULL, NULL);
	(void)dequeue(queue, &slot);
	assert_int_equal(kr_queue_queue(queue, slot, &help_input, -1, NULL), 0);
	while (kr_consumer_peek(consumer, &frame))
		assert_int_equal(help_pump(consumer), 0);
	assert_int_equal(frame.acquire_fence, -1);
	assert_true(frame.buffer && kr_buffer_get_info(frame.buffer)->backend == KR_BUFFER_UDMABUF);
	kr_consumer_destroy(consumer);
	kr_queue_unref(queue);
	rig_end();
}

static const struct kr_test tests[] = {
	KR_TEST(a_frames_fence_goes_into_its_buffer),
	KR_TEST(a_fence_of_user_space_does_not),
	/* The reactor's thread is joined by the next merge, or never. */
	KR_TEST_FLAGS(a_display_waits_for_writers_inside, KR_TEST_KEEPS_MEMORY),
	KR_TEST(an_idle_buffer_adds_nothing),
};

KR_TEST_MAIN(tests)
