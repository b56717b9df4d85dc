/* SPDX-License-Identifier: Apache-2.0 */
/* The ANativeWindow face: every pointer, query and operation. */
#include "help.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "window/consumer/consumer.h"
#include "window/window.h"

static struct fake_sink sink;

static ANativeWindow *
open_window(void)
{
	struct kr_queue_config config = help_config;
	struct kr_queue *queue;
	ANativeWindow *window;

	config.refresh_ns = 8000000;
	config.transform_hint = NATIVE_WINDOW_TRANSFORM_ROT_90;
	fake_sink_init(&sink, false);
	assert_int_equal(kr_queue_create(&config, &sink.base, &queue), 0);
	assert_int_equal(kr_window_create(queue, &window), 0);
	assert_ptr_equal(kr_window_queue(window), queue);
	kr_queue_unref(queue); /* the window has its own */
	return window;
}

static void
close_window(ANativeWindow *window)
{
	ANativeWindow_release(window);
	fake_sink_finish(&sink, NULL);
}

static ANativeWindow *
open_connected(void)
{
	ANativeWindow *window = open_window();

	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_DEQUEUE_TIMEOUT, INT64_C(0)), 0);
	return window;
}

static int
query(ANativeWindow *window, int what)
{
	int value = -12345;
	int err = window->query(window, what, &value);

	return err ? err : value;
}

/* B-01, B-02 */
static void
the_layout_is_androids(void **state)
{
	ANativeWindow *window = open_window();

	assert_int_equal(sizeof(*window), 192);
	assert_int_equal(window->common.magic, 0x5F776E64);
	assert_int_equal(window->common.version, 192);
	assert_int_equal(offsetof(ANativeWindow, minSwapInterval), 60);
	assert_int_equal(offsetof(ANativeWindow, dequeueBuffer_DEPRECATED), 120);
	assert_int_equal(offsetof(ANativeWindow, lockBuffer_DEPRECATED), 128);
	assert_int_equal(offsetof(ANativeWindow, queueBuffer_DEPRECATED), 136);
	assert_int_equal(offsetof(ANativeWindow, cancelBuffer_DEPRECATED), 160);
	assert_int_equal(offsetof(ANativeWindow, queueBuffer), 176);
	assert_int_equal(window->minSwapInterval, 0);
	assert_int_equal(window->maxSwapInterval, 1);
	assert_int_equal(sizeof(ANativeWindowBuffer), 168);
	assert_int_equal(offsetof(ANativeWindowBuffer, width), 56);
	assert_int_equal(offsetof(ANativeWindowBuffer, format), 68);
	assert_int_equal(offsetof(ANativeWindowBuffer, layerCount), 80);
	assert_int_equal(offsetof(ANativeWindowBuffer, handle), 96);
	assert_int_equal(offsetof(ANativeWindowBuffer, usage), 104);
	assert_int_equal(offsetof(ANativeWindowBuffer, reserved_proc), 112);
	for (size_t at = offsetof(ANativeWindow, setSwapInterval); at < sizeof(*window); at += 8)
		assert_non_null(*(void **)((char *)window + at));
	for (int i = 0; i < 4; i++)
		window->oem[i] = i + 1; /* theirs to use */
	close_window(window);
}

static void
references_keep_it_alive(void **state)
{
	ANativeWindow *window = open_window();

	ANativeWindow_acquire(window);
	ANativeWindow_release(window);
	assert_int_equal(window->common.magic, 0x5F776E64);
	assert_int_equal(sink.destroyed, 0);
	close_window(window);
	ANativeWindow_acquire(NULL);
	ANativeWindow_release(NULL);
	assert_null(kr_window_queue(NULL));
}

/* B-04 */
static void
queries_answer_what_is_true(void **state)
{
	ANativeWindow *window = open_window();

	assert_int_equal(query(window, NATIVE_WINDOW_WIDTH), 64);
	assert_int_equal(query(window, NATIVE_WINDOW_HEIGHT), 32);
	assert_int_equal(query(window, NATIVE_WINDOW_FORMAT), 1);
	assert_int_equal(query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 1);
	assert_int_equal(query(window, NATIVE_WINDOW_QUEUES_TO_WINDOW_COMPOSER), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_CONCRETE_TYPE), NATIVE_WINDOW_SURFACE);
	assert_int_equal(query(window, NATIVE_WINDOW_DEFAULT_WIDTH), 64);
	assert_int_equal(query(window, NATIVE_WINDOW_DEFAULT_HEIGHT), 32);
	assert_int_equal(query(window, NATIVE_WINDOW_TRANSFORM_HINT), 4);
	assert_int_equal(query(window, NATIVE_WINDOW_CONSUMER_RUNNING_BEHIND), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_CONSUMER_USAGE_BITS), 3);
	assert_int_equal(query(window, NATIVE_WINDOW_STICKY_TRANSFORM), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_DEFAULT_DATASPACE), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_BUFFER_AGE), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_LAYER_COUNT), 1);
	assert_int_equal(query(window, NATIVE_WINDOW_IS_VALID), 1);
	assert_int_equal(query(window, NATIVE_WINDOW_FRAME_TIMESTAMPS_SUPPORTS_PRESENT), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_CONSUMER_IS_PROTECTED), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_DATASPACE), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_MAX_BUFFER_COUNT), 64);
	assert_int_equal(query(window, 22), -EINVAL);
	assert_int_equal(query(window, NATIVE_WINDOW_XDPI), -EINVAL);
	assert_int_equal(window->query(window, 0, NULL), -EINVAL);
	kr_queue_abandon(kr_window_queue(window));
	assert_int_equal(query(window, NATIVE_WINDOW_IS_VALID), 0);
	close_window(window);
}

static void
the_public_functions_ask_the_window(void **state)
{
	ANativeWindow *window = open_window();
	float dpi = -1;
	int value = -1;

	assert_int_equal(ANativeWindow_getWidth(window), 64);
	assert_int_equal(ANativeWindow_getHeight(window), 32);
	assert_int_equal(ANativeWindow_getFormat(window), 1);
	assert_int_equal(ANativeWindow_setBuffersGeometry(window, 20, 10, 4), 0);
	assert_int_equal(ANativeWindow_getWidth(window), 20);
	assert_int_equal(ANativeWindow_getFormat(window), 4);
	assert_int_equal(ANativeWindow_setBuffersGeometry(window, 0, 0, 0), 0);
	assert_int_equal(ANativeWindow_getWidth(window), 64);
	assert_int_equal(ANativeWindow_setBuffersGeometry(window, -1, 1, 0), -EINVAL);
	assert_int_equal(ANativeWindow_setBuffersTransform(window, 4), 0);
	assert_int_equal(ANativeWindow_setBuffersTransform(window, 16), -EINVAL);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, HAL_DATASPACE_V0_SRGB), 0);
	assert_int_equal(ANativeWindow_getBuffersDataSpace(window), HAL_DATASPACE_V0_SRGB);
	assert_int_equal(ANativeWindow_query(window, NATIVE_WINDOW_MAX_SWAP_INTERVAL, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(
		ANativeWindow_query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(ANativeWindow_query(window, NATIVE_WINDOW_WIDTH, &value), -EINVAL);
	assert_int_equal(ANativeWindow_queryf(window, NATIVE_WINDOW_XDPI, &dpi), 0);
	/* No display says how large its pixels are. */
	assert_true(dpi == 0);
	assert_int_equal(ANativeWindow_getWidth(NULL), -EINVAL);
	assert_int_equal(ANativeWindow_queueBuffer(NULL, NULL, eventfd(0, 0)), -EINVAL);
	assert_int_equal(ANativeWindow_cancelBuffer(NULL, NULL, eventfd(0, 0)), -EINVAL);
	close_window(window);
}

static void
buffers_go_through_with_what_was_set(void **state)
{
	android_native_rect_t crop = {1, 1, 9, 9}, damage = {2, 3, 4, 5};
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer;
	int fence = 5;

	assert_int_equal(ANativeWindow_setUsage(window, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER), 0);
	assert_int_equal(ANativeWindow_setBuffersDimensions(window, 40, 20), 0);
	assert_int_equal(ANativeWindow_setBuffersFormat(window, 5), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_CROP, &crop), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_SCALING_MODE, 1), 0);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_SURFACE_DAMAGE, &damage, (size_t)1), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(buffer->width, 40);
	assert_int_equal(buffer->format, 5);
	assert_true(buffer->usage == (AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER | 3));
	assert_int_equal(ANativeWindow_queueBuffer(window, buffer, -1), 0);
	assert_true(sink.frames[0].timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO);
	assert_int_equal(sink.frames[0].crop.right, 9);
	assert_int_equal(sink.frames[0].scaling_mode, 1);
	assert_int_equal(sink.frames[0].damage_count, 1);
	assert_int_equal(sink.frames[0].damage[0].bottom, 5);
	assert_ptr_equal(kr_buffer_native(sink.frames[0].buffer), buffer);
	/* Damage is said once; the rest stays, until it is taken back. */
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_CROP, NULL), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(ANativeWindow_queueBuffer(window, buffer, -1), 0);
	assert_int_equal(sink.frames[1].damage_count, 0);
	assert_int_equal(sink.frames[1].crop.right, 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), -ETIMEDOUT);
	assert_int_equal(window->dequeueBuffer(window, NULL, &fence), -EINVAL);
	close_window(window);
}

static int
done_fence(void)
{
	int fence;

	assert_int_equal(kr_fence_create_done(NULL, -EIO, &fence), 0);
	return fence;
}

/* B-03, S-06, S-10 */
static void
fences_are_owned_on_every_path(void **state)
{
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer, stranger = {0};
	int fence;

	assert_int_equal(window->queueBuffer(window, NULL, eventfd(0, 0)), -EINVAL);
	assert_int_equal(window->queueBuffer(window, &stranger, eventfd(0, 0)), -EINVAL);
	assert_int_equal(window->cancelBuffer(window, &stranger, eventfd(0, 0)), -EINVAL);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(window->cancelBuffer(window, buffer, done_fence()), 0);
	assert_int_equal(window->cancelBuffer(window, buffer, done_fence()), -EINVAL);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_true(fence >= 0);
	close(fence);
	assert_int_equal(window->queueBuffer(window, buffer, done_fence()), 0);
	assert_int_equal(window->queueBuffer(window, buffer, done_fence()), -EINVAL);
	close_window(window);
}

/* Nobody downstream gets to see what is no fence; the fd is closed all the same. */
static void
what_is_no_fence_is_refused(void **state)
{
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer;
	int fence;

	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(window->queueBuffer(window, buffer, eventfd(0, 0)), -EINVAL);
	assert_int_equal(window->queueBuffer(window, buffer, INT_MAX - 1), -EINVAL);
	assert_int_equal(window->cancelBuffer(window, buffer, eventfd(0, 0)), 0);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
	close_window(window);
}

/* S-10 */
static void
the_functions_without_fences_wait_themselves(void **state)
{
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer, *again;
	int producer, fence;

	assert_int_equal(window->lockBuffer_DEPRECATED(window, NULL), -EINVAL);
	assert_int_equal(window->dequeueBuffer_DEPRECATED(window, NULL), -EINVAL);
	assert_int_equal(window->dequeueBuffer_DEPRECATED(window, &buffer), 0);
	assert_int_equal(window->lockBuffer_DEPRECATED(window, buffer), 0);
	assert_int_equal(window->cancelBuffer_DEPRECATED(window, buffer), 0);
	assert_int_equal(window->dequeueBuffer_DEPRECATED(window, &buffer), 0);
	assert_int_equal(window->queueBuffer_DEPRECATED(window, buffer), 0);
	assert_int_equal(window->queueBuffer_DEPRECATED(window, buffer), -EINVAL);
	assert_int_equal(sink.frames[0].acquire_fence, -1);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	fake_sink_release(&sink, fence);
	/* The release fence is pending and the timeout 0: nothing is lost by trying. */
	assert_int_equal(window->dequeueBuffer_DEPRECATED(window, &again), -ETIMEDOUT);
	kr_fence_signal(producer, 1);
	assert_int_equal(window->dequeueBuffer_DEPRECATED(window, &again), 0);
	assert_ptr_equal(again, buffer);
	close_window(window);
}

/* B-15, B-55 */
static void
swap_interval_zero_is_async(void **state)
{
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer;
	int fence;

	assert_int_equal(ANativeWindow_setSwapInterval(window, 0), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 2);
	assert_int_equal(ANativeWindow_dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(ANativeWindow_queueBuffer(window, buffer, -1), 0);
	assert_true(sink.frames[0].droppable);
	assert_int_equal(ANativeWindow_setSwapInterval(window, 7), 0); /* clamped to 1 */
	assert_int_equal(query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 1);
	assert_int_equal(ANativeWindow_setSwapInterval(window, -1), 0); /* clamped to 0 */
	assert_int_equal(query(window, NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS), 2);
	close_window(window);
}

static void
counts_connections_and_ages_show(void **state)
{
	ANativeWindow *window = open_window();
	ANativeWindowBuffer *buffer;
	uint64_t id = 0;
	int fence;

	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), -ENODEV);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_CONNECT, 1), 0);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), -ENODEV);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_API_CONNECT, 1), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_API_CONNECT, 2), -EINVAL);
	assert_int_equal(ANativeWindow_setBufferCount(window, 1), -EINVAL);
	assert_int_equal(ANativeWindow_setBufferCount(window, SIZE_MAX), -EINVAL);
	assert_int_equal(ANativeWindow_setBufferCount(window, (size_t)1 << 32 | 3), -EINVAL);
	assert_int_equal(ANativeWindow_setBufferCount(window, 3), 0);
	assert_int_equal(ANativeWindow_setDequeueTimeout(window, 0), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
		assert_int_equal(query(window, NATIVE_WINDOW_BUFFER_AGE), 0);
		assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
	}
	fake_sink_release(&sink, -1);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_BUFFER_AGE), 3);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_GET_NEXT_FRAME_ID, &id), 0);
	assert_int_equal(id, 4);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_API_DISCONNECT, 1), 0);
	assert_int_equal(window->cancelBuffer(window, buffer, -1), -EINVAL);
	close_window(window);
}

/* B-36 */
static void
a_connection_forgets_the_one_before(void **state)
{
	ANativeWindow *window = open_connected();

	assert_int_equal(ANativeWindow_setBuffersGeometry(window, 8, 8, 4), 0);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, HAL_DATASPACE_V0_SRGB), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_API_DISCONNECT, 1), 0);
	assert_int_equal(query(window, NATIVE_WINDOW_WIDTH), 64);
	assert_int_equal(query(window, NATIVE_WINDOW_FORMAT), 1);
	assert_int_equal(query(window, NATIVE_WINDOW_DATASPACE), 0);
	close_window(window);
}

static void
what_can_be_got_is_got(void **state)
{
	static const int gets[] = {NATIVE_WINDOW_GET_NEXT_FRAME_ID,
		NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION, NATIVE_WINDOW_GET_CONSUMER_USAGE64,
		NATIVE_WINDOW_GET_LAST_DEQUEUE_START, NATIVE_WINDOW_GET_LAST_DEQUEUE_DURATION,
		NATIVE_WINDOW_GET_LAST_QUEUE_DURATION};
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer;
	int64_t before = kr_clock_now(), value;
	uint64_t usage;
	int fence;

	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_GET_REFRESH_CYCLE_DURATION, &value), 0);
	assert_int_equal(value, 8000000);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_GET_CONSUMER_USAGE64, &usage), 0);
	assert_int_equal(usage, 3);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_GET_LAST_DEQUEUE_START, &value), 0);
	assert_true(value >= before && value <= kr_clock_now());
	assert_int_equal(window->perform(window, NATIVE_WINDOW_GET_LAST_QUEUE_DURATION, &value), 0);
	assert_true(value > 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(gets); i++)
		assert_int_equal(window->perform(window, gets[i], NULL), -EINVAL);
	close_window(window);
}

static void
frames_can_go_without_pixels(void **state)
{
	const struct kr_wants none = {0};
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer;
	bool wanted = false;
	int fence;

	assert_int_equal(window->perform(window, KR_WINDOW_NEXT_WANTED, NULL), -EINVAL);
	assert_int_equal(window->perform(window, KR_WINDOW_NEXT_WANTED, &wanted), 0);
	assert_true(wanted);
	kr_queue_set_wants(kr_window_queue(window), &none);
	assert_int_equal(window->perform(window, KR_WINDOW_NEXT_WANTED, &wanted), 0);
	assert_false(wanted);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
		/* It holds for one frame. */
		if (i == 0)
			assert_int_equal(window->perform(window, KR_WINDOW_NO_PIXELS), 0);
		assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
		assert_int_equal(sink.frames[0].no_pixels, i == 0);
		fake_sink_release(&sink, -1);
	}
	/* For one that wasn't taken, too. */
	assert_int_equal(window->perform(window, KR_WINDOW_NO_PIXELS), 0);
	assert_int_equal(window->queueBuffer(window, buffer, -1), -EINVAL);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
	assert_false(sink.frames[0].no_pixels);
	close_window(window);
}

struct taker {
	struct kr_consumer *consumer;
	unsigned taken;
};

/* As another thread may, once the frame is there. */
static void
take_away(void *data)
{
	struct taker *taker = data;
	struct kr_buffer *buffer;
	struct kr_frame frame;

	assert_int_equal(kr_consumer_acquire(taker->consumer, &frame), 0);
	assert_int_equal(kr_consumer_detach(taker->consumer, &frame, &buffer), 0);
	kr_buffer_unref(buffer);
	taker->taken++;
}

/* Whoever has taken the frame may have freed its buffer by the time that queueBuffer returns. */
static void
a_buffer_that_was_queued_is_not_looked_at(void **state)
{
	static const struct kr_consumer_events events = {.frame_available = take_away};
	struct kr_queue_config config = help_config;
	struct taker taker = {0};
	ANativeWindowBuffer *buffer;
	ANativeWindow *window;
	struct kr_queue *queue;
	struct kr_sink *local;
	int fence;

	config.abilities.modes = KR_ABILITY_ALL(KR_PRESENT_MODE_COUNT);
	assert_int_equal(kr_consumer_local_create(&events, &taker, &local, &taker.consumer), 0);
	assert_int_equal(kr_queue_create(&config, local, &queue), 0);
	assert_int_equal(kr_window_create(queue, &window), 0);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_EGL), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_AUTO_REFRESH, 1), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
		assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
		assert_int_equal(taker.taken, i + 1);
	}
	ANativeWindow_release(window);
	kr_queue_unref(queue);
	kr_consumer_destroy(taker.consumer);
}

/* B-05 */
static void
nothing_succeeds_without_effect(void **state)
{
	static const int missing[] = {NATIVE_WINDOW_SET_POST_TRANSFORM_CROP,
		NATIVE_WINDOW_SET_FRAME_TIMELINE_INFO,
		NATIVE_WINDOW_SET_BUFFERS_ADDITIONAL_OPTIONS};
	static const int switches[] = {
		NATIVE_WINDOW_SET_SHARED_BUFFER_MODE, NATIVE_WINDOW_SET_AUTO_REFRESH};
	static const int unknown[] = {51, 1000, -1};
	ANativeWindow *window = open_connected();

	for (size_t i = 0; i < KR_ARRAY_LEN(missing); i++)
		assert_int_equal(window->perform(window, missing[i], NULL), -ENOSYS);
	for (size_t i = 0; i < KR_ARRAY_LEN(switches); i++) {
		assert_int_equal(window->perform(window, switches[i], 1), -ENOSYS);
		assert_int_equal(window->perform(window, switches[i], 0), 0);
	}
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_SIDEBAND_STREAM, window), -ENOSYS);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_SIDEBAND_STREAM, NULL), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_BUFFERS_HDR10_PLUS_METADATA,
				 (size_t)4, "meta"),
		-ENOSYS);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_FRAME_RATE, 60.0, 0, 0), -ENOSYS);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_FRAME_RATE, 0.0, 0, 0), -ENOSYS);
	for (size_t i = 0; i < KR_ARRAY_LEN(unknown); i++)
		assert_int_equal(window->perform(window, unknown[i], 0), -ENOENT);
	close_window(window);
}

/*
 * This far end shows sRGB alone: who asks for more is told, and what was so before stays.
 */
static void
colours_that_nobody_shows_are_refused(void **state)
{
	/* Display P3, BT.2020 PQ, linear scRGB, BT.601 in video range. */
	static const int32_t spaces[] = {0x088a0000, 0x09c60000, 0x18410000, 0x10c40000};
	ANativeWindow *window = open_connected();
	ANativeWindowBuffer *buffer;
	int fence;

	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, HAL_DATASPACE_V0_SRGB), 0);
	for (size_t i = 0; i < KR_ARRAY_LEN(spaces); i++) {
		assert_int_equal(ANativeWindow_setBuffersDataSpace(window, spaces[i]), -ENOSYS);
		assert_int_equal(
			window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DATASPACE, spaces[i]),
			-ENOSYS);
	}
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, -1), -EINVAL);
	assert_int_equal(ANativeWindow_getBuffersDataSpace(window), HAL_DATASPACE_V0_SRGB);
	assert_int_equal(window->dequeueBuffer(window, &buffer, &fence), 0);
	assert_int_equal(window->queueBuffer(window, buffer, -1), 0);
	assert_true(sink.frames[0].timestamp_ns == NATIVE_WINDOW_TIMESTAMP_AUTO);
	assert_int_equal(sink.frames[0].dataspace, HAL_DATASPACE_V0_SRGB);
	/* What asks for the state that is there, a swapchain's settings among it. */
	assert_int_equal(
		ANativeWindow_setBuffersTimestamp(window, NATIVE_WINDOW_TIMESTAMP_AUTO), 0);
	assert_int_equal(ANativeWindow_setBuffersDataSpace(window, HAL_DATASPACE_UNKNOWN), 0);
	close_window(window);
}

static void
bad_settings_are_einval(void **state)
{
	ANativeWindow *window = open_connected();

	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, 0, 5), -EINVAL);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, -1, 5), -EINVAL);
	assert_int_equal(
		window->perform(window, NATIVE_WINDOW_SET_BUFFERS_DIMENSIONS, 1 << 30, 5), -EINVAL);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_BUFFERS_FORMAT, -1), -EINVAL);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_BUFFERS_TRANSFORM, 16), -EINVAL);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_SCALING_MODE, 4), -EINVAL);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_BUFFERS_GEOMETRY, 8, 8, 4), 0);
	assert_int_equal(window->perform(window, NATIVE_WINDOW_SET_USAGE, 0x100u), 0);
	close_window(window);
}

static const struct kr_test tests[] = {
	KR_TEST(the_layout_is_androids),
	KR_TEST(references_keep_it_alive),
	KR_TEST(queries_answer_what_is_true),
	KR_TEST(the_public_functions_ask_the_window),
	KR_TEST(buffers_go_through_with_what_was_set),
	KR_TEST(fences_are_owned_on_every_path),
	KR_TEST(what_is_no_fence_is_refused),
	KR_TEST(the_functions_without_fences_wait_themselves),
	KR_TEST(swap_interval_zero_is_async),
	KR_TEST(counts_connections_and_ages_show),
	KR_TEST(a_connection_forgets_the_one_before),
	KR_TEST(what_can_be_got_is_got),
	KR_TEST(frames_can_go_without_pixels),
	KR_TEST(a_buffer_that_was_queued_is_not_looked_at),
	KR_TEST(nothing_succeeds_without_effect),
	KR_TEST(colours_that_nobody_shows_are_refused),
	KR_TEST(bad_settings_are_einval),
};

KR_TEST_MAIN(tests)
