/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The adapter over a driver that takes and gives sync_files (lavapipe of Debian's backports),
 * with fences of the kernel: what tests/adapter/test_sync_fd.c asks of a fake driver, and
 * what that one can't show.
 */
#include "../adapter/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "adapter/device.h"
#include "adapter/tuning.h"
#include "rig.h"
#include "sync/fence/fence.h"
#include "util/clock.h"
#include "util/fd.h"

#define SIDE   64
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define PAUSE  (100 * 1000 * 1000)
#define ROUNDS 100

struct fixture {
	struct gpu gpu;
	struct kr_buffer *buffer;
	VkImage image;
	VkSemaphore semaphore;
	VkFence fence, done;
	int timeline;
};

static void
set_up(struct fixture *f)
{
	gpu_init(&f->gpu, NULL);
	f->buffer = gpu_buffer(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE);
	f->image = gpu_image(&f->gpu, f->buffer, FORMAT);
	f->semaphore = gpu_semaphore(&f->gpu);
	f->fence = gpu_fence(&f->gpu);
	f->done = gpu_fence(&f->gpu);
	f->timeline = rig_timeline();
}

static void
tear_down(struct fixture *f)
{
	f->gpu.d.DeviceWaitIdle(f->gpu.device);
	f->gpu.d.DestroySemaphore(f->gpu.device, f->semaphore, NULL);
	f->gpu.d.DestroyFence(f->gpu.device, f->fence, NULL);
	f->gpu.d.DestroyFence(f->gpu.device, f->done, NULL);
	f->gpu.d.DestroyImage(f->gpu.device, f->image, NULL);
	kr_buffer_unref(f->buffer);
	gpu_finish(&f->gpu);
	close(f->timeline);
}

static bool
is_closed(int fd)
{
	return fcntl(fd, F_GETFD) < 0;
}

static void
acquire(struct fixture *f, int fd, VkSemaphore semaphore, VkFence fence)
{
	assert_int_equal(f->gpu.acquire(f->gpu.device, f->image, fd, semaphore, fence), VK_SUCCESS);
	if (fd >= 0)
		assert_true(is_closed(fd));
}

/* Work that waits for the semaphore and then signals `done`. */
static void
submit_waiting(struct fixture *f)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &f->semaphore,
		.pWaitDstStageMask = &stage,
	};

	assert_int_equal(f->gpu.d.QueueSubmit(f->gpu.queue, 1, &info, f->done), VK_SUCCESS);
}

/* Moves the timeline once the main thread may be in a call that waits for it. */
struct mover {
	pthread_t thread;
	int timeline;
	int error;
};

static void *
move_later(void *data)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	struct mover *mover = data;

	nanosleep(&pause, NULL);
	assert_int_equal(rig_move(mover->timeline, 1, mover->error), 0);
	return NULL;
}

static void
start(struct mover *mover, int timeline, int error)
{
	*mover = (struct mover){.timeline = timeline, .error = error};
	assert_int_equal(pthread_create(&mover->thread, NULL, move_later, mover), 0);
}

static void
driver_offers_sync_fd(void **state)
{
	struct kr_adapter_device *device;
	VkPhysicalDeviceProperties properties;
	VkBool32 semaphores, fences;
	struct fixture f;

	set_up(&f);
	device = kr_adapter_device_from_handle(f.gpu.device);
	f.gpu.i.GetPhysicalDeviceProperties(f.gpu.physical_device, &properties);
	printf("# %s\n", properties.deviceName);
	assert_true(device->sync_fd_semaphore);
	assert_true(device->sync_fd_fence);
	f.gpu.acquire_imports(f.gpu.device, &semaphores, &fences);
	assert_true(semaphores && fences);
	/* An acquire needs no queue, but for images that others look at. */
	tear_down(&f);
}

/* W-07: nothing waits on the CPU; semaphore and fence signal when the kernel's fence does. */
static void
acquire_returns_before_its_fence_signals(void **state)
{
	struct fixture f;

	set_up(&f);
	acquire(&f, rig_fence(f.timeline, 1), f.semaphore, f.fence);
	assert_true(gpu_fence_stays_unsignalled(&f.gpu, f.fence));
	assert_int_equal(rig_info(f.timeline).open, 1); /* this thread alone can end it */
	assert_int_equal(rig_move(f.timeline, 1, 0), 0);
	gpu_wait_fence(&f.gpu, f.fence);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	tear_down(&f);
}

/* W-07: what is submitted with the semaphore waits. A driver may wait within the submit. */
static void
submits_wait_for_the_acquired_fence(void **state)
{
	struct fixture f;
	struct mover mover;
	int watched;

	set_up(&f);
	watched = rig_fence(f.timeline, 1);
	acquire(&f, dup(watched), f.semaphore, VK_NULL_HANDLE);
	start(&mover, f.timeline, 0);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	assert_int_equal(rig_status(watched), 1);
	pthread_join(mover.thread, NULL);
	close(watched);
	tear_down(&f);
}

static void
acquire_takes_signalled_fences_and_none(void **state)
{
	struct fixture f;

	set_up(&f);
	assert_int_equal(rig_move(f.timeline, 1, 0), 0);
	acquire(&f, rig_fence(f.timeline, 1), f.semaphore, f.fence);
	gpu_wait_fence(&f.gpu, f.fence);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	assert_int_equal(f.gpu.d.ResetFences(f.gpu.device, 1, &f.fence), VK_SUCCESS);
	assert_int_equal(f.gpu.d.ResetFences(f.gpu.device, 1, &f.done), VK_SUCCESS);
	acquire(&f, -1, f.semaphore, f.fence);
	gpu_wait_fence(&f.gpu, f.fence);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	tear_down(&f);
}

/* Whoever held the buffer and failed holds it no more: the work goes on. */
static void
failing_fence_lets_the_work_go_on(void **state)
{
	struct fixture f;
	struct mover mover;

	set_up(&f);
	acquire(&f, rig_fence(f.timeline, 1), f.semaphore, f.fence);
	start(&mover, f.timeline, -EIO);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	gpu_wait_fence(&f.gpu, f.fence);
	pthread_join(mover.thread, NULL);
	tear_down(&f);
}

/* The owner dies with the fence open: the kernel fails it, and nothing hangs. */
static void
dead_owner_lets_the_work_go_on(void **state)
{
	struct fixture f;

	set_up(&f);
	acquire(&f, rig_fence(f.timeline, 1), f.semaphore, f.fence);
	close(f.timeline);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	gpu_wait_fence(&f.gpu, f.fence);
	f.timeline = rig_timeline();
	tear_down(&f);
}

/* S-05: a fence of a user-space process isn't handed to the driver. */
static void
user_fence_is_waited_for(void **state)
{
	struct fixture f;
	int producer, fence;

	set_up(&f);
	kr_adapter_tuning.acquire_limit_ns = 20 * KR_NSEC_PER_MSEC;
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	assert_int_equal(f.gpu.acquire(f.gpu.device, f.image, fence, f.semaphore, VK_NULL_HANDLE),
		VK_TIMEOUT);
	assert_true(is_closed(fence));
	kr_fence_signal(producer, 1);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	acquire(&f, fence, f.semaphore, VK_NULL_HANDLE);
	submit_waiting(&f);
	gpu_wait_fence(&f.gpu, f.done);
	tear_down(&f);
}

/* W-08: a sync_file of the kernel, signalled when the picture is there and not before. */
static void
release_gives_a_sync_file_of_the_work(void **state)
{
	struct drawing *drawing;
	struct mover mover;
	struct fixture f;
	VkSemaphore drawn;
	int acquired, fence = -2;

	set_up(&f);
	drawn = gpu_semaphore(&f.gpu);
	acquired = rig_fence(f.timeline, 1);
	acquire(&f, dup(acquired), f.semaphore, VK_NULL_HANDLE);
	start(&mover, f.timeline, 0);
	drawing = gpu_draw(&f.gpu, f.image, FORMAT, SIDE, SIDE, f.semaphore, drawn);
	assert_int_equal(f.gpu.release(f.gpu.queue, 1, &drawn, f.image, &fence), VK_SUCCESS);
	printf("# when the release returned, the acquired fence was %s\n",
		rig_status(acquired) ? "signalled: this driver waits in it" : "pending");
	assert_true(fence >= 0);
	assert_true(rig_status(fence) >= 0);
	assert_int_equal(rig_ended(fence), 1);
	assert_int_equal(rig_status(acquired), 1);
	gpu_assert_picture(&f.gpu, f.buffer, FORMAT);
	pthread_join(mover.thread, NULL);
	close(acquired);
	close(fence);
	f.gpu.d.DeviceWaitIdle(f.gpu.device);
	gpu_drawing_finish(&f.gpu, drawing);
	f.gpu.d.DestroySemaphore(f.gpu.device, drawn, NULL);
	tear_down(&f);
}

/*
 * What a release gives an acquire takes, and the kernel merges: frame after frame,
 * and no descriptor more.
 */
static void
released_fences_are_acquired_again(void **state)
{
	struct fixture f;
	int fence = -1, before = 0;

	set_up(&f);
	for (unsigned i = 1; i <= ROUNDS; i++) {
		int consumer = rig_fence(f.timeline, i);
		int both = fence >= 0 ? rig_merge(fence, consumer) : dup(consumer);

		acquire(&f, both, f.semaphore, VK_NULL_HANDLE);
		assert_int_equal(rig_move(f.timeline, i, 0), 0);
		kr_fd_close(&fence);
		close(consumer);
		assert_int_equal(
			f.gpu.release(f.gpu.queue, 1, &f.semaphore, f.image, &fence), VK_SUCCESS);
		before = i == ROUNDS / 2 ? kr_test_count_fds() : before;
	}
	assert_int_equal(rig_ended(fence), 1);
	close(fence);
	assert_true(kr_test_count_fds() < before + 2);
	tear_down(&f);
}

/* lavapipe and LLVM keep memory until the process ends. */
#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(driver_offers_sync_fd),
	CASE(acquire_returns_before_its_fence_signals),
	CASE(submits_wait_for_the_acquired_fence),
	CASE(acquire_takes_signalled_fences_and_none),
	CASE(failing_fence_lets_the_work_go_on),
	CASE(dead_owner_lets_the_work_go_on),
	CASE(user_fence_is_waited_for),
	CASE(release_gives_a_sync_file_of_the_work),
	CASE(released_fences_are_acquired_again),
};
KR_TEST_MAIN(tests)
