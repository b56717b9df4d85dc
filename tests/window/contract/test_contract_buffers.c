/* SPDX-License-Identifier: Apache-2.0 */
/* Which buffer is dequeued, of what kind, when, and with what fence: docs/buffer-queue.md. */
#include "contract/contract.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <krafla/sync.h>

#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define MS KR_NSEC_PER_MSEC

static void
turned(struct krafla_reader_config *config)
{
	config->transform_hint = NATIVE_WINDOW_TRANSFORM_ROT_270;
}

static void
cancel(struct contract *c, ANativeWindowBuffer *buffer)
{
	assert_int_equal(ANativeWindow_cancelBuffer(c->window, buffer, -1), 0);
}

static void
assert_size(ANativeWindowBuffer *buffer, int width, int height)
{
	assert_int_equal(buffer->width, width);
	assert_int_equal(buffer->height, height);
}

/* B-37 */
static void
no_size_is_the_windows_own(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;
	int fence;

	contract_open(&c, turned);
	buffer = contract_dequeue(&c);
	assert_size(buffer, 64, 32);
	cancel(&c, buffer);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 8, 0), -EINVAL);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 8, 16), 0);
	buffer = contract_dequeue(&c);
	assert_size(buffer, 8, 16);
	cancel(&c, buffer);
	/* Turned by a quarter where its producer turns what it draws. */
	assert_int_equal(ANativeWindow_setAutoPrerotation(c.window, true), 0);
	buffer = contract_dequeue(&c);
	assert_size(buffer, 8, 16);
	cancel(&c, buffer);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 0, 0), 0);
	buffer = contract_dequeue(&c);
	assert_size(buffer, 32, 64);
	cancel(&c, buffer);
	assert_int_equal(ANativeWindow_setAutoPrerotation(c.window, false), 0);
	buffer = contract_dequeue(&c);
	assert_size(buffer, 64, 32);
	cancel(&c, buffer);
	/* A sticky transform is one that was turned against: there is no hint to follow. */
	assert_int_equal(ANativeWindow_setAutoPrerotation(c.window, true), 0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU),
		0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
	assert_size(buffer, 64, 32);
	contract_close(&c);
}

/* B-38 */
static void
usage_is_what_both_ends_need(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setUsage(c.window, 0), 0);
	buffer = contract_dequeue(&c);
	assert_true(buffer->usage == AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN);
	cancel(&c, buffer);
	assert_int_equal(
		ANativeWindow_setUsage(c.window, AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY), 0);
	buffer = contract_dequeue(&c);
	assert_true(buffer->usage ==
		(AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY));
	contract_close(&c);
}

/* B-26, B-42, B-78: what has come back comes before what there never was, the oldest first. */
static void
what_came_back_first_comes_first(void **state)
{
	ANativeWindowBuffer *buffers[3], *buffer;
	struct krafla_image images[2];
	struct contract c;

	contract_open(&c, contract_two_images);
	contract_ahead(&c, 3);
	for (int i = 0; i < 3; i++)
		buffers[i] = contract_dequeue(&c);
	for (int i = 0; i < 3; i++)
		contract_queue(&c, buffers[i]);
	contract_acquire(&c, &images[0]);
	contract_acquire(&c, &images[1]);
	contract_release(&c, &images[1]);
	contract_release(&c, &images[0]);
	contract_settle(&c);
	/* There may be two more; but these are free. */
	assert_ptr_equal(contract_dequeue(&c), buffers[1]);
	assert_ptr_equal(contract_dequeue(&c), buffers[0]);
	buffer = contract_dequeue(&c);
	assert_true(buffer != buffers[2]);
	contract_close(&c);
}

/* B-26: a free buffer whose fence is done comes before one that is still read. */
static void
who_needn_t_wait_comes_first(void **state)
{
	ANativeWindowBuffer *first, *second;
	struct krafla_image image;
	struct contract c;
	int signal, fence;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	first = contract_dequeue(&c);
	second = contract_dequeue(&c);
	contract_queue(&c, first);
	contract_queue(&c, second);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	contract_acquire(&c, &image);
	rig_release(&c.rig, &image, fence);
	contract_consume(&c);
	contract_settle(&c);
	assert_ptr_equal(contract_dequeue(&c), second);
	assert_ptr_equal(contract_dequeue(&c), first);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	contract_close(&c);
}

/* B-42 */
static void
allocation_may_be_forbidden(void **state)
{
	ANativeWindowBuffer *buffer;
	struct krafla_event event;
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	assert_int_equal(krafla_window_allow_allocation(c.window, false), 0);
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	assert_int_equal(krafla_window_allow_allocation(c.window, true), 0);
	buffer = contract_dequeue(&c);
	cancel(&c, buffer);
	assert_int_equal(krafla_window_allow_allocation(c.window, false), 0);
	assert_ptr_equal(contract_dequeue(&c), buffer);
	cancel(&c, buffer);
	/* One that doesn't fit is no use. */
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCARDED), &fd), 0);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 8, 8), 0);
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	contract_hear(&c, KRAFLA_EVENT_DISCARDED, &event);
	contract_heard_all(&c);
	/* Each connection begins as it is. */
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_DISCONNECT, NATIVE_WINDOW_API_CPU),
		0);
	assert_int_equal(
		c.window->perform(c.window, NATIVE_WINDOW_API_CONNECT, NATIVE_WINDOW_API_CPU), 0);
	contract_dequeue(&c);
	contract_close(&c);
}

static void
sleep_ms(int ms)
{
	const struct timespec time = {.tv_nsec = ms * MS};

	nanosleep(&time, NULL);
}

struct waiter {
	struct contract *c;
	int64_t end;
	int err;
};

static void *
wait_for_buffer(void *data)
{
	struct waiter *waiter = data;
	ANativeWindowBuffer *buffer;
	int fence = -1;

	waiter->err = ANativeWindow_dequeueBuffer(waiter->c->window, &buffer, &fence);
	waiter->end = kr_clock_now();
	kr_fd_close(&fence);
	return NULL;
}

/* B-44: what comes back and doesn't do wakes who waits, and he begins anew. */
static void
a_timeout_counts_from_each_wake(void **state)
{
	ANativeWindowBuffer *small;
	struct waiter waiter;
	int64_t woken;
	pthread_t thread;
	struct contract c;

	contract_open(&c, NULL);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 8, 8), 0);
	small = contract_dequeue(&c);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 0, 0), 0);
	assert_int_equal(krafla_window_allow_allocation(c.window, false), 0);
	contract_timeout(&c, 200 * MS);
	waiter = (struct waiter){.c = &c};
	assert_int_equal(pthread_create(&thread, NULL, wait_for_buffer, &waiter), 0);
	sleep_ms(100);
	woken = kr_clock_now();
	cancel(&c, small);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(waiter.err, -ETIMEDOUT);
	assert_true(waiter.end - woken >= 200 * MS);
	contract_close(&c);
}

/* B-44 */
static void
a_timeout_of_nothing_never_waits(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;

	contract_open(&c, NULL);
	contract_dequeue(&c);
	contract_dequeue(&c);
	for (int i = 0; i < 100; i++)
		assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	contract_close(&c);
}

static void *
release_late(void *data)
{
	struct contract *c = data;

	sleep_ms(50);
	contract_consume(c);
	return NULL;
}

/* B-44: without a limit it waits as long as it takes. */
static void
a_negative_timeout_has_no_limit(void **state)
{
	ANativeWindowBuffer *buffer = NULL;
	pthread_t thread;
	struct contract c;
	int fence;

	contract_open(&c, NULL);
	contract_frame(&c);
	contract_frame(&c);
	contract_timeout(&c, -1);
	assert_int_equal(pthread_create(&thread, NULL, release_late, &c), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &fence), 0);
	kr_fd_close(&fence);
	assert_int_equal(pthread_join(thread, NULL), 0);
	contract_close(&c);
}

/* B-45: as soon as the buffer doesn't do; more usage than is asked for does. */
static void
another_buffer_comes_where_one_doesn_t_do(void **state)
{
	ANativeWindowBuffer *buffer;
	struct contract c;
	uint64_t id;

	contract_open(&c, NULL);
	buffer = contract_dequeue(&c);
	id = contract_window_id(buffer);
	cancel(&c, buffer);
	assert_int_equal(ANativeWindow_setUsage(c.window, 0), 0);
	buffer = contract_dequeue(&c);
	assert_true(contract_window_id(buffer) == id);
	cancel(&c, buffer);
	assert_int_equal(
		ANativeWindow_setUsage(c.window, AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER), 0);
	buffer = contract_dequeue(&c);
	assert_true(contract_window_id(buffer) != id);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_BUFFER_AGE), 0);
	id = contract_window_id(buffer);
	cancel(&c, buffer);
	assert_int_equal(ANativeWindow_setBuffersFormat(c.window, 4), 0);
	buffer = contract_dequeue(&c);
	assert_true(contract_window_id(buffer) != id);
	id = contract_window_id(buffer);
	cancel(&c, buffer);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 64, 33), 0);
	buffer = contract_dequeue(&c);
	assert_true(contract_window_id(buffer) != id);
	contract_close(&c);
}

/* B-48: the fence of who had it last, a consumer or the producer himself. */
static void
a_buffer_comes_with_its_fence(void **state)
{
	struct krafla_image image;
	ANativeWindowBuffer *buffer;
	int signal, fence, got = -1;
	struct contract c;

	contract_open(&c, NULL);
	contract_frame(&c);
	contract_acquire(&c, &image);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	rig_release(&c.rig, &image, fence);
	contract_timeout(&c, 1000 * MS);
	contract_settle(&c);
	assert_int_equal(ANativeWindow_setBufferCount(c.window, 2), 0);
	krafla_window_allow_allocation(c.window, false);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &got), 0);
	assert_int_equal(kr_fence_status(got), KR_FENCE_ACTIVE);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	assert_int_equal(sync_wait(got, 10000), 0);
	kr_fd_close(&got);
	assert_int_equal(kr_fence_create(NULL, &signal, &fence), 0);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, fence), 0);
	assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &buffer, &got), 0);
	assert_int_equal(kr_fence_status(got), KR_FENCE_ACTIVE);
	kr_fence_signal(signal, KR_FENCE_SIGNALLED);
	assert_int_equal(sync_wait(got, 10000), 0);
	kr_fd_close(&got);
	contract_close(&c);
}

/* B-41, B-49, B-69: the first one, at once, and nobody is waited for. */
static void
a_shared_buffer_comes_again_and_again(void **state)
{
	ANativeWindowBuffer *buffer, *again;
	struct krafla_image image;
	struct contract c;
	int fence;

	contract_open(&c, contract_shared);
	contract_ahead(&c, 4);
	assert_int_equal(ANativeWindow_setSharedBufferMode(c.window, true), 0);
	buffer = contract_dequeue(&c);
	assert_int_equal(contract_try(&c, &again), -ENOSYS);
	contract_queue(&c, buffer);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ANativeWindow_dequeueBuffer(c.window, &again, &fence), 0);
		assert_ptr_equal(again, buffer);
		assert_int_equal(fence, -1);
		contract_queue(&c, buffer);
		contract_acquire(&c, &image);
		assert_int_equal(image.number, i + 2);
		if (i)
			assert_int_equal(contract_query(&c, NATIVE_WINDOW_BUFFER_AGE), 1);
	}
	/* It is as it is: one that is shown isn't exchanged. */
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 8, 8), 0);
	assert_int_equal(contract_try(&c, &again), -EINVAL);
	assert_int_equal(ANativeWindow_setBuffersDimensions(c.window, 0, 0), 0);
	/* B-61, B-63 */
	buffer = contract_dequeue(&c);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, buffer, -1), -EINVAL);
	contract_queue(&c, buffer);
	contract_release(&c, &image);
	contract_close(&c);
}

/* B-50 */
static void
ages_count_frames(void **state)
{
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 2);
	for (int i = 0; i < 3; i++) {
		contract_queue(&c, contract_dequeue(&c));
		assert_int_equal(contract_query(&c, NATIVE_WINDOW_BUFFER_AGE), 0);
	}
	contract_consume(&c);
	contract_settle(&c);
	cancel(&c, contract_dequeue(&c));
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_BUFFER_AGE), 3);
	/* What a cancelled buffer holds is nobody's frame. */
	contract_dequeue(&c);
	assert_int_equal(contract_query(&c, NATIVE_WINDOW_BUFFER_AGE), 0);
	contract_close(&c);
}

/* B-22, B-62: behind what is free already. */
static void
a_cancelled_buffer_comes_last(void **state)
{
	ANativeWindowBuffer *first, *second;
	struct contract c;

	contract_open(&c, NULL);
	contract_ahead(&c, 1);
	first = contract_dequeue(&c);
	second = contract_dequeue(&c);
	cancel(&c, second);
	cancel(&c, first);
	assert_ptr_equal(contract_dequeue(&c), second);
	assert_ptr_equal(contract_dequeue(&c), first);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, first, -1), 0);
	assert_int_equal(ANativeWindow_cancelBuffer(c.window, first, -1), -EINVAL);
	assert_int_equal(ANativeWindow_queueBuffer(c.window, first, -1), -EINVAL);
	contract_close(&c);
}

/* B-68: all that there may be, before those that have been used. */
static void
buffers_are_allocated_ahead(void **state)
{
	ANativeWindowBuffer *used, *buffers[3];
	struct contract c;
	uint64_t last = 0;

	contract_open(&c, NULL);
	contract_ahead(&c, 3);
	used = contract_dequeue(&c);
	cancel(&c, used);
	ANativeWindow_tryAllocateBuffers(c.window);
	krafla_window_allow_allocation(c.window, false);
	for (int i = 0; i < 3; i++) {
		buffers[i] = contract_dequeue(&c);
		assert_true(buffers[i] != used);
		/* The one that was allocated last is the first. */
		if (i)
			assert_true(contract_window_id(buffers[i]) < last);
		last = contract_window_id(buffers[i]);
	}
	assert_ptr_equal(contract_dequeue(&c), used);
	/* There is no room for more, and allocation isn't allowed. */
	ANativeWindow_tryAllocateBuffers(c.window);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_ALLOCATE_BUFFERS), -ENOSYS);
	krafla_window_allow_allocation(c.window, true);
	assert_int_equal(c.window->perform(c.window, NATIVE_WINDOW_ALLOCATE_BUFFERS), 0);
	contract_close(&c);
}

/* B-66: a lower count takes what is free, the rest when it comes back. */
static void
a_lower_count_takes_what_is_too_many(void **state)
{
	ANativeWindowBuffer *buffers[4], *buffer;
	struct krafla_event event;
	struct contract c;
	int fd;

	contract_open(&c, NULL);
	contract_ahead(&c, 4);
	for (int i = 0; i < 4; i++)
		buffers[i] = contract_dequeue(&c);
	assert_int_equal(
		krafla_window_watch(c.window, KRAFLA_EVENT_BIT(KRAFLA_EVENT_DISCARDED), &fd), 0);
	cancel(&c, buffers[0]);
	cancel(&c, buffers[1]);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 1), -EINVAL);
	assert_int_equal(krafla_window_set_max_dequeued(c.window, 2), 0);
	contract_hear(&c, KRAFLA_EVENT_DISCARDED, &event);
	assert_true(event.buffer_id == contract_window_id(buffers[3]) - 2);
	contract_heard_all(&c);
	assert_ptr_equal(contract_dequeue(&c), buffers[0]);
	assert_int_equal(contract_try(&c, &buffer), -ETIMEDOUT);
	contract_close(&c);
}

static const struct kr_test tests[] = {
	KR_TEST(no_size_is_the_windows_own),
	KR_TEST(usage_is_what_both_ends_need),
	KR_TEST(what_came_back_first_comes_first),
	KR_TEST(who_needn_t_wait_comes_first),
	KR_TEST(allocation_may_be_forbidden),
	KR_TEST(a_timeout_counts_from_each_wake),
	KR_TEST(a_timeout_of_nothing_never_waits),
	KR_TEST(a_negative_timeout_has_no_limit),
	KR_TEST(another_buffer_comes_where_one_doesn_t_do),
	KR_TEST(a_buffer_comes_with_its_fence),
	KR_TEST(a_shared_buffer_comes_again_and_again),
	KR_TEST(ages_count_frames),
	KR_TEST(a_cancelled_buffer_comes_last),
	KR_TEST(buffers_are_allocated_ahead),
	KR_TEST(a_lower_count_takes_what_is_too_many),
};

KR_TEST_MAIN(tests)
