/* SPDX-License-Identifier: Apache-2.0 */
/* What ANativeWindow has beside buffers: docs/buffer-queue.md. */
#include "contract/contract.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "sync/fence/fence.h"
#include "util/fd.h"
#include "util/macros.h"

/* ---- interceptors ---- */

struct calls {
	int cancelled, dequeued, performed, queued, queried;
	int operation, what;
	int answer; /* if not 0, nothing is done */
};

static int
on_cancel(ANativeWindow *window, ANativeWindow_cancelBufferFn cancel, void *data,
	ANativeWindowBuffer *buffer, int fence)
{
	struct calls *calls = data;

	calls->cancelled++;
	return calls->answer ? calls->answer : cancel(window, buffer, fence);
}

static int
on_dequeue(ANativeWindow *window, ANativeWindow_dequeueBufferFn dequeue, void *data,
	ANativeWindowBuffer **buffer, int *fence)
{
	struct calls *calls = data;

	calls->dequeued++;
	return calls->answer ? calls->answer : dequeue(window, buffer, fence);
}

static int
on_perform(ANativeWindow *window, ANativeWindow_performFn perform, void *data, int operation,
	va_list args)
{
	struct calls *calls = data;

	calls->performed++;
	calls->operation = operation;
	return calls->answer ? calls->answer : perform(window, operation, args);
}

static int
on_queue(ANativeWindow *window, ANativeWindow_queueBufferFn queue, void *data,
	ANativeWindowBuffer *buffer, int fence)
{
	struct calls *calls = data;

	calls->queued++;
	if (!calls->answer)
		return queue(window, buffer, fence);
	kr_fd_close(&fence);
	return calls->answer;
}

static int
on_query(const ANativeWindow *window, ANativeWindow_queryFn query, void *data, int what, int *value)
{
	struct calls *calls = data;

	calls->queried++;
	calls->what = what;
	return calls->answer ? calls->answer : query(window, what, value);
}

static void
interceptors_stand_before_the_window(void **state)
{
	struct calls calls = {0};
	ANativeWindowBuffer *buffer = NULL;
	struct krafla_image image;
	struct contract c;
	int fence, value;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setCancelBufferInterceptor(c.window, on_cancel, &calls), 0);
	assert_int_equal(
		ANativeWindow_setDequeueBufferInterceptor(c.window, on_dequeue, &calls), 0);
	assert_int_equal(ANativeWindow_setQueueBufferInterceptor(c.window, on_queue, &calls), 0);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_QUERY_INTERCEPTOR,
				 (ANativeWindow_queryInterceptor)on_query, (void *)&calls),
		0);
	assert_int_equal(ANativeWindow_setPerformInterceptor(c.window, on_perform, &calls), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, fence), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, fence), 0);
	assert_int_equal(ANativeWindow_getWidth(c.window), 64);
	assert_int_equal(ANativeWindow_setUsage(c.window, 0x33), 0);
	assert_int_equal(calls.cancelled, 1);
	assert_int_equal(calls.dequeued, 2);
	assert_int_equal(calls.queued, 1);
	assert_int_equal(calls.queried, 1);
	assert_int_equal(calls.what, NATIVE_WINDOW_WIDTH);
	assert_int_equal(calls.performed, 1);
	assert_int_equal(calls.operation, NATIVE_WINDOW_SET_USAGE64);
	/* The window did what it was let do. */
	contract_acquire(&c, &image);
	contract_release(&c, &image);
	contract_settle(&c);
	buffer = contract_dequeue(&c);
	assert_true(buffer->usage == 0x33);
	/* Whoever answers himself is the one who answers. */
	calls.answer = -EBUSY;
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, -1), -EBUSY);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, -1), -EBUSY);
	assert_int_equal(c.window->query(c.window, NATIVE_WINDOW_WIDTH, &value), -EBUSY);
	assert_int_equal(ANativeWindow_setUsage(c.window, 0x33), -EBUSY);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 2), -EBUSY);
	/* What sets them isn't intercepted; NULL takes one back. */
	assert_int_equal(ANativeWindow_setPerformInterceptor(c.window, NULL, NULL), 0);
	assert_int_equal(ANativeWindow_setQueueBufferInterceptor(c.window, NULL, NULL), 0);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, -1), 0);
	assert_int_equal(ANativeWindow_setUsage(c.window, 0x33), 0);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_QUERY_INTERCEPTOR,
				 (ANativeWindow_queryInterceptor)NULL, NULL),
		0);
	assert_int_equal(ANativeWindow_getWidth(c.window), 64);
	assert_int_equal(
		ANativeWindow_setDequeueBufferInterceptor(NULL, on_dequeue, NULL), -EINVAL);
	contract_close(&c);
}

/* Drawing by the CPU goes past them. */
static void
lock_is_not_intercepted(void **state)
{
	struct calls calls = {.answer = -EBUSY};
	ANativeWindow_Buffer pixels;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(
		ANativeWindow_setDequeueBufferInterceptor(c.window, on_dequeue, &calls), 0);
	assert_int_equal(ANativeWindow_setQueueBufferInterceptor(c.window, on_queue, &calls), 0);
	assert_int_equal(ANativeWindow_lock(c.window, &pixels, NULL), 0);
	assert_int_equal(ANativeWindow_unlockAndPost(c.window), 0);
	assert_int_equal(calls.dequeued + calls.queued, 0);
	contract_consume(&c);
	contract_close(&c);
}

/* ---- transforms ---- */

static int
shown_transform(struct contract *c)
{
	struct krafla_image image;

	contract_frame(c);
	contract_acquire(c, &image);
	contract_release(c, &image);
	contract_settle(c);
	return image.transform;
}

/* B-83 */
static void
a_sticky_transform_is_beside_each_frames_own(void **state)
{
	struct contract c;

	contract_open(&c, contract_turned);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_STICKY_TRANSFORM), 0);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_TRANSFORM_HINT), 4);
	for (int sticky = 0; sticky < 8; sticky++) {
		assert_int_equal(c.window->perform(c.window,
					 NATIVE_WINDOW_SET_BUFFERS_STICKY_TRANSFORM, sticky),
			0);
		assert_int_equal(contract_query(&c, NATIVE_WINDOW_STICKY_TRANSFORM), sticky);
		/* Whoever turns against the display is told of no turn. */
		assert_int_equal(contract_query(&c, NATIVE_WINDOW_TRANSFORM_HINT), sticky ? 0 : 4);
		for (int own = 0; own < 8; own++) {
			assert_int_equal(ANativeWindow_setBuffersTransform(c.window, own), 0);
			assert_int_equal(shown_transform(&c), own ^ sticky);
		}
	}
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_SET_BUFFERS_STICKY_TRANSFORM, 16),
		-EINVAL);
	contract_close(&c);
}

/* B-83 */
static void
against_the_display_there_is_no_hint(void **state)
{
	struct contract c;

	contract_open(&c, contract_turned);
	assert_int_equal(ANativeWindow_setBuffersTransform(
				 c.window, NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY),
		0);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_TRANSFORM_HINT), 0);
	assert_int_equal(shown_transform(&c), NATIVE_WINDOW_TRANSFORM_INVERSE_DISPLAY);
	assert_int_equal(ANativeWindow_setBuffersTransform(c.window, 0), 0);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_TRANSFORM_HINT), 4);
	contract_close(&c);
}

/* ---- the last buffer ---- */

/* Where a point of the picture, origin bottom left, lies in the buffer's memory, 0 to 1. */
static void
assert_maps(const float m[16], float x, float y, float to_x, float to_y)
{
	assert_true(fabsf(m[0] * x + m[4] * y + m[12] - to_x) < 1e-5f);
	assert_true(fabsf(m[1] * x + m[5] * y + m[13] - to_y) < 1e-5f);
}

static void
the_last_buffer_can_be_had(void **state)
{
	const android_native_rect_t crop = {16, 8, 48, 24};
	AHardwareBuffer *last = contract_buffer(), *made = last;
	uint32_t transform = 99;
	int fence = 99, signal, producer;
	struct krafla_image image;
	ANativeWindowBuffer *buffer;
	struct contract c;
	float m[16];
	ARect rect;

	contract_open(&c, NULL);
	AHardwareBuffer_release(made);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER, &last, &fence, m),
		0);
	assert_null(last);
	assert_int_equal(fence, -1);
	assert_maps(m, 0.25f, 0.75f, 0.25f, 0.75f);
	buffer = contract_dequeue(&c);
	assert_int_equal(kr_fence_create(NULL, &producer, &signal), 0);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, buffer, signal), 0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER, &last, &fence, m),
		0);
	assert_true(contract_id(last) == contract_window_id(buffer));
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	kr_fd_close(&fence);
	AHardwareBuffer_release(last);
	/* The memory begins with the top row. */
	assert_maps(m, 0, 0, 0, 1);
	assert_maps(m, 1, 1, 1, 0);
	contract_acquire(&c, &image);
	contract_release(&c, &image);
	contract_settle(&c);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, &crop), 0);
	assert_int_equal(
		ANativeWindow_setBuffersTransform(c.window, NATIVE_WINDOW_TRANSFORM_FLIP_H), 0);
	contract_frame(&c);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER2, &last,
				 &fence, &rect, &transform),
		0);
	assert_int_equal(rect.left, 16);
	assert_int_equal(rect.bottom, 24);
	assert_int_equal(transform, NATIVE_WINDOW_TRANSFORM_FLIP_H);
	assert_int_equal(fence, -1);
	AHardwareBuffer_release(last);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER, &last, &fence, m),
		0);
	AHardwareBuffer_release(last);
	/* What is left is the right edge of the crop, half a texel inside. */
	assert_maps(m, 0, 0, 47.5f / 64, 23.5f / 32);
	assert_maps(m, 1, 1, 16.5f / 64, 8.5f / 32);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_SET_CROP, NULL), 0);
	contract_consume(&c);
	contract_settle(&c);
	assert_int_equal(
		ANativeWindow_setBuffersTransform(c.window, NATIVE_WINDOW_TRANSFORM_ROT_90), 0);
	contract_frame(&c);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER, &last, &fence, m),
		0);
	AHardwareBuffer_release(last);
	/* Turned clockwise: the top left of what is seen was the bottom left. */
	assert_maps(m, 0, 1, 0, 1);
	assert_maps(m, 0, 0, 1, 1);
	assert_maps(m, 1, 1, 0, 0);
	/* A window that is over has none. */
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU),
		0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER, &last, &fence, m),
		0);
	assert_null(last);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_LAST_QUEUED_BUFFER, NULL, &fence, m),
		-EINVAL);
	contract_close(&c);
}

/* ---- rates ---- */

static void
rates_are_checked(void **state)
{
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setFrameRate(c.window, 60, 0), 0);
	assert_int_equal(ANativeWindow_setFrameRate(c.window, -1, 0), -EINVAL);
	assert_int_equal(ANativeWindow_setFrameRate(c.window, NAN, 0), -EINVAL);
	assert_int_equal(ANativeWindow_setFrameRate(c.window, INFINITY, 0), -EINVAL);
	assert_int_equal(ANativeWindow_setFrameRate(c.window, 60, 2), -EINVAL);
	assert_int_equal(ANativeWindow_setFrameRate(c.window, 60, -1), -EINVAL);
	assert_int_equal(ANativeWindow_setFrameRateWithChangeStrategy(c.window, 60, 0, 2), -EINVAL);
	assert_int_equal(ANativeWindow_setFrameRate(NULL, 60, 0), -EINVAL);
	contract_close(&c);
}

/* ---- numbers ---- */

/* B-04: each number of query() is answered, and no other. */
static void
every_query_is_answered(void **state)
{
	struct contract c;
	int value;

	contract_open(&c, NULL);
	for (int what = NATIVE_WINDOW_WIDTH; what <= NATIVE_WINDOW_MAX_BUFFER_COUNT; what++)
		assert_int_equal(c.window->query(c.window, what, &value), 0);
	for (int what = 0; what <= 21; what++)
		assert_int_equal(c.window->query(c.window, what, NULL), -EINVAL);
	assert_int_equal(c.window->query(c.window, 22, &value), -EINVAL);
	assert_int_equal(c.window->query(c.window, -1, &value), -EINVAL);
	assert_int_equal(c.window->query(c.window, NATIVE_WINDOW_XDPI, &value), -EINVAL);
	/* The fields of a window are asked for by function. */
	assert_int_equal(ANativeWindow_query(c.window, NATIVE_WINDOW_MIN_SWAP_INTERVAL, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(ANativeWindow_query(c.window, NATIVE_WINDOW_MAX_SWAP_INTERVAL, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(ANativeWindow_query(c.window, NATIVE_WINDOW_WIDTH, &value), -EINVAL);
	contract_close(&c);
}

static int
perform(struct contract *c, int operation, int64_t number)
{
	return c->window->perform(c->window, operation, number);
}

/*
 * B-05: each number of perform(), 0 to 50, and no other. Numbers go as 64 bits, of which a call
 * takes what it takes.
 */
static void
every_operation_is_answered(void **state)
{
	static const struct {
		int operation;
		int64_t number;
		int answer;
	} table[] = {{0, 0x33, 0}, {1, 2, 0}, {2, 2, 0}, {3, 0, 0}, {4, 3, 0}, {6, 3, 0}, {7, 5, 0},
		{9, 1, 0}, {10, 1, 0}, {13, 1, -EINVAL}, {14, 1, -EINVAL}, {16, 0, -ENOSYS},
		{17, 0, 0}, {18, 0, 0}, {19, 0, 0}, {21, 0, 0}, {22, 0, 0}, {23, 0, -EINVAL},
		{24, 0, -EINVAL}, {25, 1, 0}, {28, 0, -EINVAL}, {29, 0, -EINVAL}, {30, 0x33, 0},
		{31, 0, -EINVAL}, {32, 0, 0}, {33, 0, 0}, {34, 0, 0}, {35, 1, 0}, {36, 0, -EINVAL},
		{37, 0, 0}, {38, 0, -EINVAL}, {39, 0, -EINVAL}, {45, 0, 0}, {48, 0, -ENOSYS},
		{50, 0, -ENOSYS}, {51, 0, -ENOENT}, {-1, 0, -ENOENT}, {1000, 0, -ENOENT}};
	const android_native_rect_t damage = {0, 0, 1, 1};
	ANativeWindow_Buffer pixels;
	struct contract c;
	void *none = NULL;

	contract_open(&c, NULL);
	for (size_t i = 0; i < KR_ARRAY_LEN(table); i++) {
		int err = perform(&c, table[i].operation, table[i].number);

		if (err != table[i].answer)
			fail_msg("%d answers %d", table[i].operation, err);
	}
	/* And those that take more than a number. */
	assert_int_equal(c.window->perform(c.window, 5, 8, 8, 1), 0);
	assert_int_equal(c.window->perform(c.window, 8, 8, 8), 0);
	assert_int_equal(c.window->perform(c.window, 15, 8, 8), 0);
	assert_int_equal(c.window->perform(c.window, 20, &damage, (size_t)1), 0);
	assert_int_equal(c.window->perform(c.window, 26, none, none, none), 0);
	assert_int_equal(c.window->perform(c.window, 27, UINT64_C(99), none, none, none, none, none,
				 none, none, none, none),
		-ENOENT);
	assert_int_equal(c.window->perform(c.window, 40, 30.0, 0, 0), 0);
	for (int operation = 41; operation <= 44; operation++)
		assert_int_equal(c.window->perform(c.window, operation, none, none), 0);
	assert_int_equal(c.window->perform(c.window, 47, none, none), 0);
	assert_int_equal(c.window->perform(c.window, 46, none, none, none), -EINVAL);
	assert_int_equal(c.window->perform(c.window, 49, none, none, none, none), -EINVAL);
	assert_int_equal(c.window->perform(c.window, 11, &pixels, none), 0);
	assert_int_equal(c.window->perform(c.window, 12), 0);
	contract_close(&c);
}

static void
switches_have_two_positions(void **state)
{
	struct contract c;
	bool can = true;

	contract_open(&c, NULL);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_GET_WIDE_COLOR_SUPPORT, &can), 0);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_GET_HDR_SUPPORT, &can), 0);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_GET_HDR_SUPPORT, NULL), -EINVAL);
	/* What isn't there can't be switched on; that it is off is so. */
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_SET_SIDEBAND_STREAM, (void *)NULL), 0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_SET_SIDEBAND_STREAM, (void *)&can),
		-ENOSYS);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_SET_POST_TRANSFORM_CROP, NULL), -ENOSYS);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_SET_FRAME_TIMELINE_INFO), -ENOSYS);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_SET_BUFFERS_ADDITIONAL_OPTIONS), -ENOSYS);
	/* A reader that shares nothing isn't asked to. */
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), -ENOSYS);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, false), 0);
	assert_int_equal(ANativeWindow_setAutoRefresh(c.window, true), -ENOSYS);
	assert_int_equal(c.window->perform(c.window, 51), -ENOENT);
	assert_int_equal(c.window->perform(c.window, -1), -ENOENT);
	contract_close(&c);
}

static void
four_values_are_anybodys(void **state)
{
	intptr_t value = 0;
	struct contract c;

	contract_open(&c, NULL);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(ANativeWindow_OemStorageSet(c.window, i, 100 + i), 0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(ANativeWindow_OemStorageGet(c.window, i, &value), 0);
		assert_int_equal(value, 100 + i);
	}
	assert_int_equal(ANativeWindow_OemStorageSet(c.window, 4, 1), -EINVAL);
	assert_int_equal(ANativeWindow_OemStorageGet(c.window, 4, &value), -EINVAL);
	assert_int_equal(ANativeWindow_OemStorageGet(c.window, 0, NULL), -EINVAL);
	contract_close(&c);
}

static void
a_window_is_no_parcels_content(void **state)
{
	ANativeWindow *other = NULL;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_writeToParcel(c.window, NULL), -ENOSYS);
	assert_int_equal(ANativeWindow_readFromParcel(NULL, &other), -ENOSYS);
	assert_null(other);
	contract_close(&c);
}

/* B-10: the functions of Android's libnativewindow, by their names, in our library. */
static void
every_function_of_libnativewindow_is_there(void **state)
{
	static const char *const names[] = {"ANativeWindow_acquire", "ANativeWindow_release",
		"ANativeWindow_getWidth", "ANativeWindow_getHeight", "ANativeWindow_getFormat",
		"ANativeWindow_setBuffersGeometry", "ANativeWindow_setBuffersTransform",
		"ANativeWindow_setBuffersDataSpace", "ANativeWindow_getBuffersDataSpace",
		"ANativeWindow_getBuffersDefaultDataSpace", "ANativeWindow_lock",
		"ANativeWindow_unlockAndPost", "ANativeWindow_setFrameRate",
		"ANativeWindow_setFrameRateWithChangeStrategy", "ANativeWindow_tryAllocateBuffers",
		"ANativeWindow_readFromParcel", "ANativeWindow_writeToParcel",
		"ANativeWindow_dequeueBuffer", "ANativeWindow_queueBuffer",
		"ANativeWindow_cancelBuffer", "ANativeWindow_query", "ANativeWindow_queryf",
		"ANativeWindow_setUsage", "ANativeWindow_setBufferCount",
		"ANativeWindow_setBuffersDimensions", "ANativeWindow_setBuffersFormat",
		"ANativeWindow_setBuffersTimestamp", "ANativeWindow_setSharedBufferMode",
		"ANativeWindow_setAutoRefresh", "ANativeWindow_setSwapInterval",
		"ANativeWindow_setAutoPrerotation", "ANativeWindow_OemStorageGet",
		"ANativeWindow_OemStorageSet", "ANativeWindow_getLastDequeueDuration",
		"ANativeWindow_getLastQueueDuration", "ANativeWindow_getLastDequeueStartTime",
		"ANativeWindow_setDequeueTimeout", "ANativeWindow_setCancelBufferInterceptor",
		"ANativeWindow_setDequeueBufferInterceptor", "ANativeWindow_setPerformInterceptor",
		"ANativeWindow_setQueueBufferInterceptor", "ANativeWindowBuffer_getHardwareBuffer",
		"AHardwareBuffer_acquire", "AHardwareBuffer_release", "AHardwareBuffer_allocate",
		"AHardwareBuffer_describe", "AHardwareBuffer_lock",
		"AHardwareBuffer_lockAndGetInfo", "AHardwareBuffer_lockPlanes",
		"AHardwareBuffer_unlock", "AHardwareBuffer_isSupported", "AHardwareBuffer_getId",
		"AHardwareBuffer_sendHandleToUnixSocket",
		"AHardwareBuffer_recvHandleFromUnixSocket", "AHardwareBuffer_readFromParcel",
		"AHardwareBuffer_writeToParcel", "AHardwareBuffer_allocateWithOptions",
		"AHardwareBuffer_createFromHandle", "AHardwareBuffer_getNativeHandle",
		"AHardwareBuffer_getDataSpace", "AHardwareBuffer_setDataSpace"};
	void *library = dlopen(getenv("KRAFLA_TEST_LIBRARY"), RTLD_NOW | RTLD_LOCAL);

	assert_non_null(library);
	for (size_t i = 0; i < KR_ARRAY_LEN(names); i++) {
		if (!dlsym(library, names[i]))
			fail_msg("%s isn't exported", names[i]);
	}
}

static const struct kr_test tests[] = {
	KR_TEST(interceptors_stand_before_the_window),
	KR_TEST(lock_is_not_intercepted),
	KR_TEST(a_sticky_transform_is_beside_each_frames_own),
	KR_TEST(against_the_display_there_is_no_hint),
	KR_TEST(the_last_buffer_can_be_had),
	KR_TEST(rates_are_checked),
	KR_TEST(every_query_is_answered),
	KR_TEST(every_operation_is_answered),
	KR_TEST(switches_have_two_positions),
	KR_TEST(four_values_are_anybodys),
	KR_TEST(a_window_is_no_parcels_content),
	KR_TEST_FLAGS(every_function_of_libnativewindow_is_there,
		KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS),
};

KR_TEST_MAIN(tests)
