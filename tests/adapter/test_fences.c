/* SPDX-License-Identifier: Apache-2.0 */
/* Acquiring and releasing on lavapipe, which has no SYNC_FD and a single queue. */
#include "gpu.h"

#include <fcntl.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/device.h"
#include "adapter/tuning.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/fd.h"

struct fixture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	VkSemaphore semaphore;
	VkFence fence;
};

static void
set_up(struct fixture *f)
{
	gpu_init(&f->gpu, NULL);
	f->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 32, 32);
	f->image = gpu_image(&f->gpu, f->buffer, VK_FORMAT_R8G8B8A8_UNORM);
	f->semaphore = gpu_semaphore(&f->gpu);
	f->fence = gpu_fence(&f->gpu);
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DeviceWaitIdle(f->gpu.device);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->semaphore, NULL);
	f->gpu.d.DestroyFence(f->gpu.device, f->fence, NULL);
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	kr_buffer_unref(f->buffer);
	gpu_finish(&f->gpu);
}

static bool
is_closed(int fd)
{
	return fcntl(fd, F_GETFD) < 0;
}

/* Both objects were signalled: the fence says so, the semaphore lets a submit through. */
static void
assert_signalled(struct fixture *f, bool semaphore, bool fence)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo wait = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &f->semaphore,
		.pWaitDstStageMask = &stage,
	};
	VkFence done;

	if (fence)
		gpu_wait_fence(&f->gpu, f->fence);
	if (!semaphore)
		return;
	done = gpu_fence(&f->gpu);
	assert_int_equal(f->gpu.d.QueueSubmit(f->gpu.queue, 1, &wait, done), VK_SUCCESS);
	gpu_wait_fence(&f->gpu, done);
	f->gpu.d.DestroyFence(f->gpu.device, done, NULL);
}

/* W-07: -1 is signalled; each object may be left out. */
static void
acquire_without_fence_signals(void **state)
{
	struct fixture f;

	set_up(&f);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, -1, f.semaphore, f.fence), VK_SUCCESS);
	assert_signalled(&f, true, true);
	assert_int_equal(f.gpu.d.ResetFences(f.gpu.device, 1, &f.fence), VK_SUCCESS);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, NULL, f.fence), VK_SUCCESS);
	assert_signalled(&f, false, true);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, f.semaphore, NULL), VK_SUCCESS);
	assert_signalled(&f, true, false);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, NULL, NULL), VK_SUCCESS);
	tear_down(&f);
}

static void *
signal_later(void *data)
{
	const struct timespec pause = {.tv_nsec = 30 * 1000 * 1000};

	nanosleep(&pause, NULL);
	kr_fence_signal(*(int *)data, 1);
	return NULL;
}

/* W-07: nothing signals before the native fence does. */
static void
acquire_waits_for_its_fence(void **state)
{
	struct fixture f;
	pthread_t thread;
	int producer, fence, watched;

	set_up(&f);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(kr_fd_dup(fence, &watched), 0);
	assert_int_equal(pthread_create(&thread, NULL, signal_later, &producer), 0);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, fence, f.semaphore, f.fence), VK_SUCCESS);
	assert_int_equal(kr_fence_status(watched), KR_FENCE_SIGNALLED);
	assert_true(is_closed(fence));
	assert_signalled(&f, true, true);
	pthread_join(thread, NULL);
	close(watched);
	tear_down(&f);
}

/* W-07, S-06 */
static void
acquire_closes_the_fence_always(void **state)
{
	struct fixture f;
	int fence, pipes[2];

	set_up(&f);
	/* Neither object. */
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, fence, NULL, NULL), VK_SUCCESS);
	assert_true(is_closed(fence));
	/* No fence at all. */
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, pipes[0], f.semaphore, NULL),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_true(is_closed(pipes[0]));
	close(pipes[1]);
	/* A fence that has failed: its holder is gone, the buffer is free. */
	assert_int_equal(kr_fence_create_done(NULL, -EOWNERDEAD, &fence), 0);
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, fence, f.semaphore, NULL), VK_SUCCESS);
	assert_true(is_closed(fence));
	assert_signalled(&f, true, false);
	tear_down(&f);
}

/* Blocking inside an acquire is bounded: the window system has waited before. */
static void
acquire_gives_up_on_a_stuck_fence(void **state)
{
	struct fixture f;
	int64_t start, took;
	int producer, fence;

	set_up(&f);
	kr_adapter_tuning.acquire_limit_ns = 30 * KR_NSEC_PER_MSEC;
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	start = kr_clock_now();
	assert_int_equal(
		f.gpu.acquire(f.gpu.device, f.image, fence, f.semaphore, f.fence), VK_TIMEOUT);
	took = kr_clock_now() - start;
	assert_true(took >= 30 * KR_NSEC_PER_MSEC);
	assert_true(took < 5 * KR_NSEC_PER_SEC);
	assert_true(is_closed(fence));
	assert_int_equal(f.gpu.d.GetFenceStatus(f.gpu.device, f.fence), VK_NOT_READY);
	kr_fence_signal(producer, 1);
	tear_down(&f);
}

/* W-08: with nothing to wait for, and twice without an acquire (W-09), in order (S-01). */
static void
release_works_without_waits_and_twice(void **state)
{
	struct fixture f;
	int fences[2];

	set_up(&f);
	gpu_release(&f.gpu, f.gpu.queue, 0, NULL, f.image);
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fences[0]), VK_SUCCESS);
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, f.image, &fences[1]), VK_SUCCESS);
	assert_int_equal(gpu_land(fences[1]), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_status(fences[0]), KR_FENCE_SIGNALLED);
	close(fences[0]);
	tear_down(&f);
}

/* What the window system may ask beyond VK_ANDROID_native_buffer. */
static void
release_says_whether_there_are_pixels(void **state)
{
	VkBool32 has_pixels = VK_FALSE;
	struct fixture f;
	int fence = 77;

	set_up(&f);
	assert_int_equal(
		f.gpu.release_wanted(f.gpu.queue, 0, NULL, f.image, VK_TRUE, &fence, &has_pixels),
		VK_SUCCESS);
	assert_int_equal(has_pixels, VK_TRUE);
	assert_int_equal(gpu_land(fence), KR_FENCE_SIGNALLED);
	has_pixels = 77;
	assert_int_equal(f.gpu.release_wanted(f.gpu.queue, 0, NULL, VK_NULL_HANDLE, VK_TRUE, &fence,
				 &has_pixels),
		VK_ERROR_UNKNOWN);
	assert_int_equal(has_pixels, 77);
	tear_down(&f);
}

/* More waits than a release has room for without memory. */
static void
release_consumes_many_semaphores(void **state)
{
	VkSemaphore waits[40];
	struct fixture f;

	set_up(&f);
	for (size_t i = 0; i < KR_ARRAY_LEN(waits); i++) {
		waits[i] = gpu_semaphore(&f.gpu);
		assert_int_equal(
			f.gpu.acquire(f.gpu.device, f.image, -1, waits[i], NULL), VK_SUCCESS);
	}
	gpu_release(&f.gpu, f.gpu.queue, KR_ARRAY_LEN(waits), waits, f.image);
	/* They are unsignalled again: signalling them once more is allowed. */
	for (size_t i = 0; i < KR_ARRAY_LEN(waits); i++) {
		assert_int_equal(
			f.gpu.acquire(f.gpu.device, f.image, -1, waits[i], NULL), VK_SUCCESS);
		f.gpu.d.DeviceWaitIdle(f.gpu.device);
		f.gpu.d.DestroySemaphore(f.gpu.device, waits[i], NULL);
	}
	tear_down(&f);
}

static void
release_of_other_images_fails(void **state)
{
	struct fixture f;
	VkImageCreateInfo info = gpu_image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8, NULL);
	VkImage other;
	int fence = 77;

	set_up(&f);
	assert_int_equal(f.gpu.d.CreateImage(f.gpu.device, &info, NULL, &other), VK_SUCCESS);
	assert_int_equal(f.gpu.release(f.gpu.queue, 0, NULL, other, &fence), VK_ERROR_UNKNOWN);
	assert_int_equal(fence, 77);
	f.gpu.d.DestroyImage(f.gpu.device, other, NULL);
	tear_down(&f);
}

/* Work that stands in the queue until its timeline reaches 1. */
static VkSemaphore
block_queue(struct fixture *f)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const uint64_t one = 1;
	VkSemaphore timeline = gpu_timeline(&f->gpu);
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = 1,
		.pWaitSemaphoreValues = &one,
	};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &timeline,
		.pWaitDstStageMask = &stage,
	};

	assert_int_equal(
		f->gpu.d.QueueSubmit(f->gpu.queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	return timeline;
}

static void
unblock_queue(struct fixture *f, VkSemaphore timeline)
{
	const VkSemaphoreSignalInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.semaphore = timeline,
		.value = 1,
	};

	assert_int_equal(f->gpu.d.SignalSemaphore(f->gpu.device, &info), VK_SUCCESS);
}

static void
set_up_timeline(struct fixture *f)
{
	VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
		.timelineSemaphore = VK_TRUE,
	};
	const struct gpu_options options = {
		.api_version = VK_API_VERSION_1_2,
		.device_chain = &timeline,
	};

	gpu_init(&f->gpu, &options);
	assert_true(kr_adapter_device_from_handle(f->gpu.device)->helper_shared);
	f->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 32, 32);
	f->image = gpu_image(&f->gpu, f->buffer, VK_FORMAT_R8G8B8A8_UNORM);
	f->semaphore = gpu_semaphore(&f->gpu);
	f->fence = gpu_fence(&f->gpu);
}

/* The limit of a shared queue, as it is documented: the acquire returns, but signals later. */
static void
shared_queue_signals_behind_a_timeline(void **state)
{
	VkSemaphore timeline;
	struct fixture f;

	set_up_timeline(&f);
	timeline = block_queue(&f);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, NULL, f.fence), VK_SUCCESS);
	assert_true(gpu_fence_stays_unsignalled(&f.gpu, f.fence));
	unblock_queue(&f, timeline);
	gpu_wait_fence(&f.gpu, f.fence);
	f.gpu.d.DeviceWaitIdle(f.gpu.device);
	f.gpu.d.DestroySemaphore(f.gpu.device, timeline, NULL);
	tear_down(&f);
}

struct idler {
	struct fixture *fixture;
	bool device;
	_Atomic(VkResult) result;
};

static void *
wait_idle(void *data)
{
	struct idler *idler = data;
	struct gpu *gpu = &idler->fixture->gpu;

	idler->result = idler->device ? gpu->d.DeviceWaitIdle(gpu->device)
				      : gpu->d.QueueWaitIdle(gpu->queue);
	return NULL;
}

/* The trap: with the lock held while waiting, the acquire below would never return. */
static void
check_wait_idle(bool device)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
	struct fixture f;
	struct idler idler = {.fixture = &f, .device = device, .result = VK_NOT_READY};
	VkSemaphore timeline;
	pthread_t thread;

	set_up_timeline(&f);
	timeline = block_queue(&f);
	assert_int_equal(pthread_create(&thread, NULL, wait_idle, &idler), 0);
	nanosleep(&pause, NULL); /* It is waiting by now; if not, the case passes for nothing. */
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, -1, NULL, f.fence), VK_SUCCESS);
	assert_int_equal(idler.result, VK_NOT_READY);
	unblock_queue(&f, timeline);
	pthread_join(thread, NULL);
	assert_int_equal(idler.result, VK_SUCCESS);
	gpu_wait_fence(&f.gpu, f.fence);
	f.gpu.d.DestroySemaphore(f.gpu.device, timeline, NULL);
	tear_down(&f);
}

static void
queue_wait_idle_leaves_acquires_through(void **state)
{
	check_wait_idle(false);
}

static void
device_wait_idle_leaves_acquires_through(void **state)
{
	check_wait_idle(true);
}

static void *
acquire_many(void *data)
{
	struct fixture *f = data;
	VkFence fence = gpu_fence(&f->gpu);

	for (int i = 0; i < 500; i++) {
		assert_int_equal(
			f->gpu.acquire(f->gpu.device, f->image, -1, NULL, fence), VK_SUCCESS);
		gpu_wait_fence(&f->gpu, fence);
		assert_int_equal(f->gpu.d.ResetFences(f->gpu.device, 1, &fence), VK_SUCCESS);
	}
	f->gpu.d.DestroyFence(f->gpu.device, fence, NULL);
	return NULL;
}

/* One thread acquires while another submits to the queue that is shared. */
static void
shared_queue_serves_two_threads(void **state)
{
	struct fixture f;
	pthread_t thread;

	set_up(&f);
	assert_int_equal(pthread_create(&thread, NULL, acquire_many, &f), 0);
	for (int i = 0; i < 500; i++) {
		assert_int_equal(f.gpu.d.QueueSubmit(f.gpu.queue, 0, NULL, f.fence), VK_SUCCESS);
		gpu_wait_fence(&f.gpu, f.fence);
		assert_int_equal(f.gpu.d.ResetFences(f.gpu.device, 1, &f.fence), VK_SUCCESS);
		assert_int_equal(f.gpu.d.QueueWaitIdle(f.gpu.queue), VK_SUCCESS);
	}
	pthread_join(thread, NULL);
	tear_down(&f);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(acquire_without_fence_signals, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(acquire_waits_for_its_fence, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(acquire_closes_the_fence_always, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(acquire_gives_up_on_a_stuck_fence, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(release_works_without_waits_and_twice, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(release_says_whether_there_are_pixels, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(release_consumes_many_semaphores, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(release_of_other_images_fails, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(shared_queue_signals_behind_a_timeline, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(queue_wait_idle_leaves_acquires_through, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(device_wait_idle_leaves_acquires_through, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(shared_queue_serves_two_threads, KR_TEST_KEEPS_MEMORY),
};
KR_TEST_MAIN(tests)
