/* SPDX-License-Identifier: Apache-2.0 */
/* Releases that return before their work is done: who waits for it, and what becomes of it. */
#include "gpu.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/flights.h"
#include "adapter/tuning.h"
#include "fake_icd.h"
#include "sync/wait/describe.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

struct fixture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	VkQueue second; /* of two */
};

/* A device with two queues and one image; the first queue is held. */
static void
set_up(struct fixture *f)
{
	const float priorities[2] = {1, 1};
	const VkDeviceQueueCreateInfo queues = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 2,
		.pQueuePriorities = priorities,
	};
	const struct gpu_options options = {.queues = &queues, .queue_count = 1};

	fake.families[0].queueCount = 2;
	gpu_init_fake(&f->gpu, &options);
	f->gpu.d.GetDeviceQueue(f->gpu.device, 0, 1, &f->second);
	f->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 16, 16);
	f->image = gpu_image(&f->gpu, f->buffer, VK_FORMAT_R8G8B8A8_UNORM);
	fake_hold(f->gpu.queue);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	gpu_finish_fake(&f->gpu);
	kr_buffer_unref(f->buffer);
	assert_int_equal(fake.pending_resets, 0);
	assert_int_equal(fake.pending_destroys, 0);
}

static int
release(struct fixture *f, VkQueue queue)
{
	int fence = -1;

	assert_int_equal(f->gpu.release(queue, 0, NULL, f->image, &fence), VK_SUCCESS);
	assert_true(fence >= 0);
	return fence;
}

/* W-08, S-01: it returns at once, with a fence that says whose work it is. */
static void
release_returns_while_the_queue_works(void **state)
{
	struct kr_fence_description description;
	struct fixture f;
	int fence;

	fake_reset();
	set_up(&f);
	fence = release(&f, f.gpu.queue);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_describe(fence, &description), 0);
	assert_string_equal(description.timeline, "test_adapter_flights queue 0");
	assert_int_equal(description.point, 1);
	fake_let_go(f.gpu.queue);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

/* Each queue has its own timeline, and nobody who waits for another. */
static void
fast_queue_does_not_wait_for_a_slow_one(void **state)
{
	struct fixture f;
	int slow;

	fake_reset();
	set_up(&f);
	slow = release(&f, f.gpu.queue);
	for (int i = 0; i < 100; i++)
		assert_int_equal(gpu_land(release(&f, f.second)), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_status(slow), KR_FENCE_ACTIVE);
	fake_let_go(f.gpu.queue);
	assert_int_equal(gpu_land(slow), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

static void *
let_go_later(void *data)
{
	const struct timespec pause = {.tv_nsec = 30 * KR_NSEC_PER_MSEC};

	nanosleep(&pause, NULL);
	fake_let_go(data);
	return NULL;
}

/* Fences and thread have room for so many; one more waits for the first. */
static void
releases_are_counted(void **state)
{
	int fences[KR_FLIGHTS_MAX], last;
	struct fixture f;
	pthread_t thread;

	fake_reset();
	set_up(&f);
	for (int i = 0; i < KR_FLIGHTS_MAX; i++)
		fences[i] = release(&f, f.gpu.queue);
	assert_int_equal(kr_fence_status(fences[0]), KR_FENCE_ACTIVE);
	assert_int_equal(pthread_create(&thread, NULL, let_go_later, f.gpu.queue), 0);
	last = release(&f, f.gpu.queue);
	assert_int_equal(kr_fence_status(fences[0]), KR_FENCE_SIGNALLED);
	assert_int_equal(gpu_land(last), KR_FENCE_SIGNALLED);
	pthread_join(thread, NULL);
	for (int i = 0; i < KR_FLIGHTS_MAX; i++)
		assert_int_equal(gpu_land(fences[i]), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

/* The CPU copies in the thread, when the GPU is done and before anybody is told. */
static void
cpu_copies_when_the_gpu_is_done(void **state)
{
	unsigned char *pixels;
	struct fixture f;
	int fence;

	fake_reset();
	fake.host_image_features = fake.host_buffer_features = 0;
	set_up(&f);
	assert_int_equal(kr_buffer_map(f.buffer, (void **)&pixels), 0);
	fence = release(&f, f.gpu.queue);
	assert_int_equal(gpu_land(release(&f, f.second)), KR_FENCE_SIGNALLED);
	memset(pixels, 0, 64);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	assert_int_equal(pixels[0], 0);
	fake_let_go(f.gpu.queue);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(pixels[0], 0x5a);
	tear_down(&f);
}

/* What a release of ours submitted, the application can't wait for. */
static void
destroying_an_image_waits_for_its_releases(void **state)
{
	struct fixture f;
	pthread_t thread;
	int fence;

	fake_reset();
	fake.host_image_features = fake.host_buffer_features = 0;
	set_up(&f);
	fence = release(&f, f.gpu.queue);
	assert_int_equal(pthread_create(&thread, NULL, let_go_later, f.gpu.queue), 0);
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_SIGNALLED);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	f.image = VK_NULL_HANDLE;
	pthread_join(thread, NULL);
	tear_down(&f);
}

/* ... but not for ever: then the device keeps it. */
static void
image_in_use_is_kept_until_the_device_goes(void **state)
{
	struct fixture f;
	int fence, objects;

	fake_reset();
	fake.host_image_features = fake.host_buffer_features = 0;
	set_up(&f);
	kr_adapter_tuning.landing_limit_ns = 1;
	fence = release(&f, f.gpu.queue);
	objects = fake.objects;
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	assert_int_equal(fake.objects, objects);
	f.image = VK_NULL_HANDLE;
	fake_let_go(f.gpu.queue);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

/* A device that goes with work it never ended: nobody waits for ever, and no fence succeeds. */
static void
device_that_goes_fails_its_fences(void **state)
{
	struct fixture f;
	int fence;

	fake_reset();
	set_up(&f);
	kr_adapter_tuning.landing_limit_ns = 1;
	fence = release(&f, f.gpu.queue);
	f.gpu.d.DestroyImage(f.gpu.device, f.image, NULL);
	gpu_finish_fake(&f.gpu);
	kr_buffer_unref(f.buffer);
	assert_true(gpu_land(fence) < 0);
}

/* W-12 */
static void
lost_device_fails_its_fences(void **state)
{
	int fences[3], fence = 77;
	struct fixture f;

	fake_reset();
	set_up(&f);
	fences[0] = release(&f, f.gpu.queue);
	fences[1] = release(&f, f.gpu.queue);
	fake_hold(f.second);
	fences[2] = release(&f, f.second);
	fake_lose();
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpu_land(fences[i]), -EIO);
	assert_int_equal(f.gpu.release(f.second, 0, NULL, f.image, &fence), VK_ERROR_DEVICE_LOST);
	assert_int_equal(fence, 77);
	fake_let_go(f.gpu.queue);
	fake_let_go(f.second);
	tear_down(&f);
}

/* Without a fence, a thread, or a value: -1, and it is true. */
static void
release_without_a_fence_waits(void **state)
{
	struct fixture f;
	int fence = 77;

	fake_reset();
	set_up(&f);
	fake_let_go(f.gpu.queue);
	kr_adapter_tuning.no_flights = true;
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	assert_int_equal(fence, -1);
	assert_int_equal(fake.fence_waits, 1);
	kr_adapter_tuning.no_flights = false;
	fence = release(&f, f.gpu.queue);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	kr_test_limit_fds(0);
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	kr_test_end_fd_limit();
	assert_int_equal(fence, -1);
	assert_int_equal(fake.fence_waits, 3);
	tear_down(&f);
}

static struct kr_flights *
flights_of(VkQueue queue)
{
	return atomic_load(&kr_adapter_queue_from_handle(queue)->flights);
}

static void
values_may_run_out(void **state)
{
	struct kr_flights *flights;
	struct fixture f;
	int fence = 77;

	fake_reset();
	set_up(&f);
	fake_let_go(f.gpu.queue);
	assert_int_equal(gpu_land(release(&f, f.gpu.queue)), KR_FENCE_SIGNALLED);
	flights = flights_of(f.gpu.queue);
	assert_true(kr_flights_wait(flights, 1, KR_FOREVER));
	kr_mutex_lock(&kr_flights_lock);
	flights->first = flights->next = UINT64_MAX - 1;
	kr_mutex_unlock(&kr_flights_lock);
	assert_int_equal(gpu_land(release(&f, f.gpu.queue)), KR_FENCE_SIGNALLED);
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence), VK_SUCCESS);
	assert_int_equal(fence, -1);
	tear_down(&f);
}

/* A release that the driver refuses leaves nothing in flight. */
static void
refused_releases_land(void **state)
{
	static const char *const calls[] = {"vkQueueSubmit", "vkCreateFence"};
	struct fixture f;
	int fence = 77;

	fake_reset();
	set_up(&f);
	fake_let_go(f.gpu.queue);
	fake.fail_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	for (int i = 0; i < 2 * KR_FLIGHTS_MAX; i++) {
		fake.fail = calls[i % 2];
		assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fence),
			VK_ERROR_OUT_OF_HOST_MEMORY);
		assert_int_equal(fence, 77);
		fake.fail = NULL;
		fence = release(&f, f.gpu.queue);
		assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
		fence = 77;
	}
	tear_down(&f);
}

/* What the driver can't say for lack of memory is asked again: neither done nor lost. */
static void
wait_that_fails_is_no_loss(void **state)
{
	struct fixture f;
	int fence;

	fake_reset();
	set_up(&f);
	fake.fail_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	fake.fail = "vkWaitForFences";
	fence = release(&f, f.gpu.queue);
	fake_let_go(f.gpu.queue);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	fake.fail = NULL;
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	/* A fence that can't be made unsignalled isn't used again. */
	fake.fail = "vkResetFences";
	for (int i = 0; i < 2 * KR_FLIGHTS_MAX; i++)
		assert_int_equal(gpu_land(release(&f, f.gpu.queue)), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

/* Neither hangs nor signals, whatever it does with its parent's device. */
static void
child(struct fixture *f, int fence)
{
	int other = 77;

	alarm(10);
	if (f->gpu.release(f->gpu.queue, 0, NULL, f->image, &other) != VK_ERROR_DEVICE_LOST ||
		other != 77)
		_exit(1);
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	gpu_finish(&f->gpu);
	_exit(kr_fence_status(fence) == KR_FENCE_ACTIVE ? 0 : 2);
}

static void
forked_child_neither_hangs_nor_signals(void **state)
{
	struct fixture f;
	int fence, status;
	pid_t pid;

	fake_reset();
	set_up(&f);
	fence = release(&f, f.gpu.queue);
	pid = fork();
	if (!pid)
		child(&f, fence);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(kr_fence_status(fence), KR_FENCE_ACTIVE);
	fake_let_go(f.gpu.queue);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

/* A driver that doesn't wait for as long as it is told is asked again, but not all the time. */
static void
impatient_driver_keeps_no_processor_busy(void **state)
{
	struct fixture f;
	int64_t since;
	unsigned asked;
	int fence;

	fake_reset();
	set_up(&f);
	fake.fail_result = VK_TIMEOUT;
	fake.fail = "vkWaitForFences";
	since = kr_clock_now();
	fence = release(&f, f.gpu.queue);
	assert_int_equal(kr_fence_wait(fence, kr_deadline_in(100 * KR_NSEC_PER_MSEC)), -ETIME);
	asked = fake.fence_waits;
	/* However late it is by now, once a millisecond at most. */
	assert_true(asked <= 1 + (unsigned)((kr_clock_now() - since) / KR_NSEC_PER_MSEC));
	fake_let_go(f.gpu.queue);
	fake.fail = NULL;
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	tear_down(&f);
}

static const struct kr_test tests[] = {
	KR_TEST(release_returns_while_the_queue_works),
	KR_TEST(fast_queue_does_not_wait_for_a_slow_one),
	KR_TEST(releases_are_counted),
	KR_TEST(cpu_copies_when_the_gpu_is_done),
	KR_TEST(destroying_an_image_waits_for_its_releases),
	KR_TEST(image_in_use_is_kept_until_the_device_goes),
	KR_TEST(device_that_goes_fails_its_fences),
	KR_TEST(lost_device_fails_its_fences),
	KR_TEST(release_without_a_fence_waits),
	KR_TEST(values_may_run_out),
	KR_TEST(refused_releases_land),
	KR_TEST(wait_that_fails_is_no_loss),
	KR_TEST(impatient_driver_keeps_no_processor_busy),
	KR_TEST(forked_child_neither_hangs_nor_signals),
};
KR_TEST_MAIN(tests)
