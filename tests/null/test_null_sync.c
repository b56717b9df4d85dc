/* SPDX-License-Identifier: Apache-2.0 */
/* The null driver's synchronisation: fences, semaphores, queues, and the native buffer's fences. */
#include "support.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "null/null_control.h"
#include "sync/wait/describe.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"

#define SECOND UINT64_C(1000000000)

static VkFence
create_fence(struct null_driver *driver, VkFenceCreateFlags flags)
{
	VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, flags};
	VkFence fence;

	assert_int_equal(
		DEVICE_FN(driver, vkCreateFence)(driver->device, &info, NULL, &fence), VK_SUCCESS);
	return fence;
}

static void
destroy(struct null_driver *driver, VkFence fence, VkSemaphore semaphore)
{
	DEVICE_FN(driver, vkDestroyFence)(driver->device, fence, NULL);
	DEVICE_FN(driver, vkDestroySemaphore)(driver->device, semaphore, NULL);
}

static VkResult
status(struct null_driver *driver, VkFence fence)
{
	return DEVICE_FN(driver, vkGetFenceStatus)(driver->device, fence);
}

static VkResult
wait_for(struct null_driver *driver, VkFence fence, uint64_t timeout)
{
	return DEVICE_FN(driver, vkWaitForFences)(driver->device, 1, &fence, VK_TRUE, timeout);
}

/* One batch: waits for and signals one semaphore each, either may be null; values for timelines. */
static void
submit(struct null_driver *driver, VkQueue queue, VkSemaphore wait, uint64_t wait_value,
	VkSemaphore signal, uint64_t signal_value, VkFence fence)
{
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		NULL, 1, &wait_value, 1, &signal_value};
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.signalSemaphoreCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &signal,
	};

	assert_int_equal(DEVICE_FN(driver, vkQueueSubmit)(queue, 1, &info, fence), VK_SUCCESS);
}

static uint64_t
counter(struct null_driver *driver, VkSemaphore semaphore)
{
	uint64_t value = 0;

	DEVICE_FN(driver, vkGetSemaphoreCounterValue)(driver->device, semaphore, &value);
	return value;
}

static void
fences(void **state)
{
	struct null_driver driver;
	VkFence fence, signalled, both[2];

	open_icd(&driver);
	fence = create_fence(&driver, 0);
	signalled = create_fence(&driver, VK_FENCE_CREATE_SIGNALED_BIT);
	both[0] = fence;
	both[1] = signalled;
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	assert_int_equal(status(&driver, signalled), VK_SUCCESS);
	assert_int_equal(wait_for(&driver, fence, 0), VK_TIMEOUT);
	assert_int_equal(wait_for(&driver, fence, 2000000), VK_TIMEOUT);
	assert_int_equal(DEVICE_FN(&driver, vkWaitForFences)(driver.device, 2, both, VK_FALSE, 0),
		VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&driver, vkWaitForFences)(driver.device, 2, both, VK_TRUE, 0),
		VK_TIMEOUT);
	submit(&driver, driver.queue, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, fence);
	assert_int_equal(status(&driver, fence), VK_SUCCESS);
	DEVICE_FN(&driver, vkResetFences)(driver.device, 2, both);
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	assert_int_equal(
		DEVICE_FN(&driver, vkQueueSubmit)(driver.queue, 0, NULL, fence), VK_SUCCESS);
	assert_int_equal(wait_for(&driver, fence, UINT64_MAX), VK_SUCCESS);
	destroy(&driver, fence, VK_NULL_HANDLE);
	destroy(&driver, signalled, VK_NULL_HANDLE);
	close_driver(&driver);
}

/* A batch waits for a value that comes later, and whatever is behind it on the queue waits too. */
static void
timeline_holds_a_queue(void **state)
{
	struct null_driver driver;
	VkSemaphore timeline;
	VkFence first, second;

	open_icd(&driver);
	timeline = create_semaphore(&driver, 3);
	first = create_fence(&driver, 0);
	second = create_fence(&driver, 0);
	assert_true(counter(&driver, timeline) == 3);
	submit(&driver, driver.queue, timeline, 5, timeline, 9, first);
	submit(&driver, driver.queue, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, second);
	assert_int_equal(status(&driver, first), VK_NOT_READY);
	assert_int_equal(status(&driver, second), VK_NOT_READY);
	signal_host(&driver, timeline, 4);
	assert_int_equal(status(&driver, first), VK_NOT_READY);
	signal_host(&driver, timeline, 5);
	assert_int_equal(status(&driver, first), VK_SUCCESS);
	assert_int_equal(status(&driver, second), VK_SUCCESS);
	assert_true(counter(&driver, timeline) == 9);
	assert_int_equal(DEVICE_FN(&driver, vkDeviceWaitIdle)(driver.device), VK_SUCCESS);
	destroy(&driver, first, timeline);
	destroy(&driver, second, VK_NULL_HANDLE);
	close_driver(&driver);
}

/* vkQueueSubmit2 on one queue frees what waits on another; binary semaphores are used up. */
static void
queues_wait_for_each_other(void **state)
{
	struct null_driver driver;
	VkSemaphore binary, timeline;
	VkSemaphoreSubmitInfo signals[2] = {{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO},
		{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO}};
	VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.signalSemaphoreInfoCount = 2,
		.pSignalSemaphoreInfos = signals,
	};
	VkFence fence;
	VkQueue other;

	open_icd(&driver);
	DEVICE_FN(&driver, vkGetDeviceQueue)(driver.device, 0, 1, &other);
	binary = create_semaphore(&driver, UINT64_MAX);
	timeline = create_semaphore(&driver, 0);
	fence = create_fence(&driver, 0);
	submit(&driver, other, timeline, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
	submit(&driver, other, binary, 0, VK_NULL_HANDLE, 0, fence);
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	signals[0].semaphore = timeline;
	signals[0].value = 1;
	signals[1].semaphore = binary;
	assert_int_equal(DEVICE_FN(&driver, vkQueueSubmit2)(driver.queue, 1, &info, VK_NULL_HANDLE),
		VK_SUCCESS);
	assert_int_equal(status(&driver, fence), VK_SUCCESS);
	DEVICE_FN(&driver, vkResetFences)(driver.device, 1, &fence);
	submit(&driver, other, binary, 0, VK_NULL_HANDLE, 0, fence);
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	submit(&driver, driver.queue, VK_NULL_HANDLE, 0, binary, 0, VK_NULL_HANDLE);
	assert_int_equal(status(&driver, fence), VK_SUCCESS);
	destroy(&driver, fence, timeline);
	destroy(&driver, VK_NULL_HANDLE, binary);
	close_driver(&driver);
}

struct signaller {
	struct null_driver *driver;
	VkSemaphore semaphore;
};

/* Signals a little later, so that the other thread is most likely asleep by then. */
static void *
signal_later(void *data)
{
	struct signaller *signaller = data;

	poll(NULL, 0, 30);
	signal_host(signaller->driver, signaller->semaphore, 3);
	poll(NULL, 0, 10);
	signal_host(signaller->driver, signaller->semaphore, 8);
	return NULL;
}

static void
waits_are_woken(void **state)
{
	struct null_driver driver;
	struct signaller signaller = {.driver = &driver};
	VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, NULL, 0, 1,
		&signaller.semaphore, &(uint64_t){7}};
	int64_t start;
	pthread_t thread;

	open_icd(&driver);
	signaller.semaphore = create_semaphore(&driver, 0);
	assert_int_equal(
		DEVICE_FN(&driver, vkWaitSemaphores)(driver.device, &info, 1000000), VK_TIMEOUT);
	start = kr_clock_now();
	assert_int_equal(pthread_create(&thread, NULL, signal_later, &signaller), 0);
	assert_int_equal(DEVICE_FN(&driver, vkWaitSemaphores)(driver.device, &info, 10 * SECOND),
		VK_SUCCESS);
	assert_true(kr_clock_now() - start < (int64_t)(9 * SECOND));
	pthread_join(thread, NULL);
	destroy(&driver, VK_NULL_HANDLE, signaller.semaphore);
	close_driver(&driver);
}

static VkResult
acquire(struct null_driver *driver, int take_fd, VkSemaphore semaphore, VkFence fence)
{
	return DEVICE_FN(driver, vkAcquireImageANDROID)(
		driver->device, VK_NULL_HANDLE, take_fd, semaphore, fence);
}

/* W-07: -1 and a signalled fence mean signalled at return. */
static void
acquire_of_a_free_buffer(void **state)
{
	struct null_driver driver;
	VkSemaphore semaphore;
	VkFence fence, other;
	int fd;

	open_hal(&driver);
	semaphore = create_semaphore(&driver, UINT64_MAX);
	fence = create_fence(&driver, 0);
	other = create_fence(&driver, 0);
	assert_int_equal(acquire(&driver, -1, semaphore, fence), VK_SUCCESS);
	assert_int_equal(status(&driver, fence), VK_SUCCESS);
	submit(&driver, driver.queue, semaphore, 0, VK_NULL_HANDLE, 0, other);
	assert_int_equal(status(&driver, other), VK_SUCCESS);
	assert_int_equal(kr_fence_create_done(NULL, KR_FENCE_SIGNALLED, &fd), 0);
	DEVICE_FN(&driver, vkResetFences)(driver.device, 1, &fence);
	assert_int_equal(acquire(&driver, fd, VK_NULL_HANDLE, fence), VK_SUCCESS);
	assert_int_equal(status(&driver, fence), VK_SUCCESS);
	destroy(&driver, fence, semaphore);
	destroy(&driver, other, VK_NULL_HANDLE);
	close_driver(&driver);
}

/* W-07: both objects signal when the native fence does, and work waits for that. */
static void
acquire_of_a_busy_buffer(void **state)
{
	struct null_driver driver;
	struct kr_fence_label label = {NULL, 1, "busy"};
	VkSemaphore semaphore;
	VkFence fence, work;
	int producer, fd;

	open_hal(&driver);
	semaphore = create_semaphore(&driver, UINT64_MAX);
	fence = create_fence(&driver, 0);
	work = create_fence(&driver, 0);
	assert_int_equal(kr_fence_create(&label, &producer, &fd), 0);
	assert_int_equal(acquire(&driver, fd, semaphore, fence), VK_SUCCESS);
	submit(&driver, driver.queue, semaphore, 0, VK_NULL_HANDLE, 0, work);
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	assert_int_equal(wait_for(&driver, work, 20 * 1000 * 1000), VK_TIMEOUT);
	kr_fence_signal(producer, KR_FENCE_SIGNALLED);
	assert_int_equal(wait_for(&driver, work, 10 * SECOND), VK_SUCCESS);
	assert_int_equal(wait_for(&driver, fence, 10 * SECOND), VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&driver, vkQueueWaitIdle)(driver.queue), VK_SUCCESS);
	destroy(&driver, fence, semaphore);
	destroy(&driver, work, VK_NULL_HANDLE);
	close_driver(&driver);
}

/* A producer that dies doesn't hang anyone. */
static void
acquire_when_the_fence_fails(void **state)
{
	struct null_driver driver;
	VkFence fence;
	int producer, fd;

	open_hal(&driver);
	fence = create_fence(&driver, 0);
	assert_int_equal(kr_fence_create(NULL, &producer, &fd), 0);
	assert_int_equal(acquire(&driver, fd, VK_NULL_HANDLE, fence), VK_SUCCESS);
	close(producer);
	assert_int_equal(wait_for(&driver, fence, 10 * SECOND), VK_SUCCESS);
	destroy(&driver, fence, VK_NULL_HANDLE);
	close_driver(&driver);
}

/* W-07: the fd is closed with neither object, on failure, and when the device goes first. The
 * harness counts descriptors. */
static void
acquire_owns_the_fd(void **state)
{
	struct null_driver driver;
	VkFence fence;
	int producers[3], fd, pipes[2];

	open_hal(&driver);
	fence = create_fence(&driver, 0);
	assert_int_equal(kr_fence_create(NULL, &producers[0], &fd), 0);
	assert_int_equal(acquire(&driver, fd, VK_NULL_HANDLE, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(acquire(&driver, pipes[0], VK_NULL_HANDLE, fence),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	close(pipes[1]);
	assert_int_equal(kr_fence_create(NULL, &producers[1], &fd), 0);
	assert_int_equal(acquire(&driver, fd, VK_NULL_HANDLE, fence), VK_SUCCESS);
	destroy(&driver, fence, VK_NULL_HANDLE);
	CONTROL_FN(&driver, kr_null_lose_devices)();
	assert_int_equal(kr_fence_create(NULL, &producers[2], &fd), 0);
	assert_int_equal(
		acquire(&driver, fd, VK_NULL_HANDLE, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
	kr_fence_signal(producers[1], KR_FENCE_SIGNALLED);
	close_driver(&driver);
	close(producers[0]);
	close(producers[2]);
}

static _Alignas(16) char one_place[256];

static VKAPI_ATTR void *VKAPI_CALL
allocate_in_one_place(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	assert_true(size <= sizeof(one_place));
	return one_place;
}

static VKAPI_ATTR void VKAPI_CALL
free_nothing(void *data, void *memory)
{
}

/* A native fence that comes too late leaves alone what now lies where its fence did. */
static void
acquire_forgets_the_destroyed(void **state)
{
	static const VkAllocationCallbacks place = {
		.pfnAllocation = allocate_in_one_place, .pfnFree = free_nothing};
	VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	struct null_driver driver;
	VkFence gone, next, last;
	int producers[2], fds[2];

	open_hal(&driver);
	last = create_fence(&driver, 0);
	DEVICE_FN(&driver, vkCreateFence)(driver.device, &info, &place, &gone);
	for (int i = 0; i < 2; i++)
		assert_int_equal(kr_fence_create(NULL, &producers[i], &fds[i]), 0);
	assert_int_equal(acquire(&driver, fds[0], VK_NULL_HANDLE, gone), VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyFence)(driver.device, gone, &place);
	DEVICE_FN(&driver, vkCreateFence)(driver.device, &info, &place, &next);
	assert_true(next == gone);
	assert_int_equal(acquire(&driver, fds[1], VK_NULL_HANDLE, last), VK_SUCCESS);
	/* They are looked at in order, so the first is over when the second is. */
	kr_fence_signal(producers[0], KR_FENCE_SIGNALLED);
	kr_fence_signal(producers[1], KR_FENCE_SIGNALLED);
	assert_int_equal(wait_for(&driver, last, 10 * SECOND), VK_SUCCESS);
	assert_int_equal(status(&driver, next), VK_NOT_READY);
	DEVICE_FN(&driver, vkDestroyFence)(driver.device, next, &place);
	destroy(&driver, last, VK_NULL_HANDLE);
	close_driver(&driver);
}

static VkResult
release(struct null_driver *driver, VkSemaphore wait, int *fd)
{
	*fd = -2;
	return DEVICE_FN(driver, vkQueueSignalReleaseImageANDROID)(
		driver->queue, wait != VK_NULL_HANDLE, &wait, VK_NULL_HANDLE, fd);
}

/* W-08: -1 when nothing is left to wait for. The semaphore is used up. */
static void
release_of_an_idle_queue(void **state)
{
	struct null_driver driver;
	VkSemaphore semaphore;
	VkQueue other;
	VkFence fence;
	int fd;

	open_hal(&driver);
	semaphore = create_semaphore(&driver, UINT64_MAX);
	fence = create_fence(&driver, 0);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fd), VK_SUCCESS);
	assert_int_equal(fd, -1);
	submit(&driver, driver.queue, VK_NULL_HANDLE, 0, semaphore, 0, VK_NULL_HANDLE);
	assert_int_equal(release(&driver, semaphore, &fd), VK_SUCCESS);
	assert_int_equal(fd, -1);
	DEVICE_FN(&driver, vkGetDeviceQueue)(driver.device, 0, 1, &other);
	submit(&driver, other, semaphore, 0, VK_NULL_HANDLE, 0, fence);
	assert_int_equal(status(&driver, fence), VK_NOT_READY);
	submit(&driver, driver.queue, VK_NULL_HANDLE, 0, semaphore, 0, VK_NULL_HANDLE);
	assert_int_equal(status(&driver, fence), VK_SUCCESS);
	destroy(&driver, fence, semaphore);
	close_driver(&driver);
}

/* W-08: the fence waits for the semaphore and for the queue. */
static void
release_waits(void **state)
{
	struct null_driver driver;
	VkSemaphore timeline, semaphore;
	int fd;

	open_hal(&driver);
	timeline = create_semaphore(&driver, 0);
	semaphore = create_semaphore(&driver, UINT64_MAX);
	submit(&driver, driver.queue, timeline, 1, semaphore, 0, VK_NULL_HANDLE);
	assert_int_equal(release(&driver, semaphore, &fd), VK_SUCCESS);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	assert_int_equal(CONTROL_FN(&driver, kr_null_signal_releases)(1), 0);
	signal_host(&driver, timeline, 1);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_SIGNALLED);
	close(fd);
	destroy(&driver, VK_NULL_HANDLE, timeline);
	destroy(&driver, VK_NULL_HANDLE, semaphore);
	close_driver(&driver);
}

static void
expect_point(int fd, int status, uint64_t point)
{
	struct kr_fence_description description;

	assert_int_equal(kr_fence_describe(fd, &description), 0);
	assert_int_equal(description.status, status);
	assert_string_equal(description.timeline, "null-release");
	if (!status)
		assert_int_equal(description.point, point);
}

/* S-01: the releases of a queue are points of its timeline, which goes with the device. */
static void
releases_are_points(void **state)
{
	struct null_driver driver;
	VkSemaphore timeline;
	int fds[3];

	open_hal(&driver);
	timeline = create_semaphore(&driver, 0);
	for (unsigned i = 0; i < 3; i++) {
		submit(&driver, driver.queue, timeline, i + 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
		assert_int_equal(release(&driver, VK_NULL_HANDLE, &fds[i]), VK_SUCCESS);
		expect_point(fds[i], KR_FENCE_ACTIVE, i + 1);
	}
	signal_host(&driver, timeline, 2);
	assert_int_equal(kr_fence_status(fds[0]), KR_FENCE_SIGNALLED);
	expect_point(fds[1], KR_FENCE_SIGNALLED, 2);
	expect_point(fds[2], KR_FENCE_ACTIVE, 3);
	assert_true(kr_fence_signal_time(fds[0]) <= kr_fence_signal_time(fds[1]));
	destroy(&driver, VK_NULL_HANDLE, timeline);
	close_driver(&driver);
	assert_int_equal(kr_fence_status(fds[2]), -ENOENT);
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
}

static void
releases_stay_pending(void **state)
{
	struct null_driver driver;
	int fds[2];

	setenv("KRAFLA_NULL_RELEASE", "pending", 1);
	open_hal(&driver);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fds[0]), VK_SUCCESS);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fds[1]), VK_SUCCESS);
	assert_int_equal(kr_fence_status(fds[0]), KR_FENCE_ACTIVE);
	assert_int_equal(DEVICE_FN(&driver, vkDeviceWaitIdle)(driver.device), VK_SUCCESS);
	assert_int_equal(CONTROL_FN(&driver, kr_null_count_releases)(), 2);
	assert_int_equal(CONTROL_FN(&driver, kr_null_signal_releases)(1), 2);
	assert_int_equal(CONTROL_FN(&driver, kr_null_count_releases)(), 0);
	assert_int_equal(kr_fence_status(fds[0]), KR_FENCE_SIGNALLED);
	assert_int_equal(kr_fence_status(fds[1]), KR_FENCE_SIGNALLED);
	close(fds[0]);
	close(fds[1]);
	release(&driver, VK_NULL_HANDLE, &fds[0]);
	assert_int_equal(CONTROL_FN(&driver, kr_null_signal_releases)(-EIO), 1);
	assert_int_equal(kr_fence_status(fds[0]), -EIO);
	close(fds[0]);
	/* A device that goes takes its fences with it: they fail. */
	release(&driver, VK_NULL_HANDLE, &fds[0]);
	close_driver(&driver);
	assert_int_equal(kr_fence_status(fds[0]), -EOWNERDEAD);
	close(fds[0]);
}

static void
releases_come_late(void **state)
{
	struct null_driver driver;
	int64_t start;
	int fd;

	setenv("KRAFLA_NULL_RELEASE", "late:40", 1);
	open_hal(&driver);
	start = kr_clock_now();
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fd), VK_SUCCESS);
	assert_int_equal(kr_fence_status(fd), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_wait(fd, kr_deadline_in(10 * SECOND)), 0);
	assert_true(kr_clock_now() - start >= 40 * KR_NSEC_PER_MSEC);
	close(fd);
	close_driver(&driver);
}

static void
releases_fail(void **state)
{
	struct null_driver driver;
	int fd;

	setenv("KRAFLA_NULL_RELEASE", "error", 1);
	open_hal(&driver);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fd), VK_SUCCESS);
	assert_int_equal(kr_fence_status(fd), -EIO);
	close(fd);
	close_driver(&driver);
}

static void
setting_is_checked(void **state)
{
	static const char *const bad[] = {"", "late", "late:", "late:x", "late:-1", "late:1s",
		"late:99999999999999999999", "Pending"};
	struct null_driver driver;
	PFN_kr_null_set_release set;
	int fd;

	setenv("KRAFLA_NULL_RELEASE", "nonsense", 1);
	open_hal(&driver);
	set = CONTROL_FN(&driver, kr_null_set_release);
	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++)
		assert_int_equal(set(bad[i]), -EINVAL);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fd), VK_SUCCESS);
	assert_int_equal(fd, -1);
	assert_int_equal(set("error"), 0);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fd), VK_SUCCESS);
	assert_int_equal(kr_fence_status(fd), -EIO);
	close(fd);
	assert_int_equal(set(NULL), 0);
	close_driver(&driver);
}

/* A batch with a render pass; what it takes ends with the fence. */
static void
submit_commands(struct null_driver *driver, VkCommandBuffer commands, VkFence fence)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};

	assert_int_equal(
		DEVICE_FN(driver, vkQueueSubmit)(driver->queue, 1, &info, fence), VK_SUCCESS);
}

static VkCommandBuffer
create_commands(struct null_driver *driver, VkCommandPool *pool)
{
	const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
	VkCommandBuffer commands;

	assert_int_equal(DEVICE_FN(driver, vkCreateCommandPool)(driver->device, &info, NULL, pool),
		VK_SUCCESS);
	allocate.commandPool = *pool;
	assert_int_equal(
		DEVICE_FN(driver, vkAllocateCommandBuffers)(driver->device, &allocate, &commands),
		VK_SUCCESS);
	DEVICE_FN(driver, vkCmdBeginRenderPass)(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
	return commands;
}

/* KRAFLA_NULL_WORK: one batch after the other, and whoever waits for them. */
static void
work_takes_its_time(void **state)
{
	struct null_driver driver;
	VkCommandBuffer commands;
	VkCommandPool pool;
	VkFence fences[2];
	int64_t start;

	setenv("KRAFLA_NULL_WORK", "50000", 1);
	open_icd(&driver);
	commands = create_commands(&driver, &pool);
	for (int i = 0; i < 2; i++)
		fences[i] = create_fence(&driver, 0);
	start = kr_clock_now();
	for (int i = 0; i < 2; i++)
		submit_commands(&driver, commands, fences[i]);
	/* Without one nothing is worked on, but for what stands before it. */
	submit(&driver, driver.queue, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
	assert_int_equal(wait_for(&driver, fences[0], UINT64_MAX), VK_SUCCESS);
	assert_true(kr_clock_now() - start >= 50 * KR_NSEC_PER_MSEC);
	assert_int_equal(DEVICE_FN(&driver, vkDeviceWaitIdle)(driver.device), VK_SUCCESS);
	assert_true(kr_clock_now() - start >= 100 * KR_NSEC_PER_MSEC);
	assert_int_equal(status(&driver, fences[1]), VK_SUCCESS);
	for (int i = 0; i < 2; i++)
		destroy(&driver, fences[i], VK_NULL_HANDLE);
	DEVICE_FN(&driver, vkDestroyCommandPool)(driver.device, pool, NULL);
	close_driver(&driver);
}

/* What is no number of microseconds is told, and stands for none. */
static void
work_is_checked(void **state)
{
	static const char *const bad[] = {"", "-1", "2ms", "10000001", "99999999999999999999"};

	for (size_t i = 0; i < KR_ARRAY_LEN(bad); i++) {
		struct null_driver driver;
		VkCommandPool pool;
		VkFence fence;

		setenv("KRAFLA_NULL_WORK", bad[i], 1);
		open_icd(&driver);
		fence = create_fence(&driver, 0);
		submit_commands(&driver, create_commands(&driver, &pool), fence);
		assert_int_equal(status(&driver, fence), VK_SUCCESS);
		destroy(&driver, fence, VK_NULL_HANDLE);
		DEVICE_FN(&driver, vkDestroyCommandPool)(driver.device, pool, NULL);
		close_driver(&driver);
	}
}

/* W-12: a lost device answers so, wakes who waits, and can be destroyed. */
static void
lost_device(void **state)
{
	struct null_driver driver;
	VkFence fence;
	int fd;

	open_hal(&driver);
	fence = create_fence(&driver, 0);
	CONTROL_FN(&driver, kr_null_lose_devices)();
	assert_int_equal(wait_for(&driver, fence, UINT64_MAX), VK_ERROR_DEVICE_LOST);
	assert_int_equal(status(&driver, fence), VK_ERROR_DEVICE_LOST);
	assert_int_equal(DEVICE_FN(&driver, vkQueueSubmit)(driver.queue, 0, NULL, fence),
		VK_ERROR_DEVICE_LOST);
	assert_int_equal(DEVICE_FN(&driver, vkQueueWaitIdle)(driver.queue), VK_ERROR_DEVICE_LOST);
	assert_int_equal(DEVICE_FN(&driver, vkDeviceWaitIdle)(driver.device), VK_ERROR_DEVICE_LOST);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &fd), VK_ERROR_DEVICE_LOST);
	assert_int_equal(fd, -1);
	destroy(&driver, fence, VK_NULL_HANDLE);
	close_driver(&driver);
}

/* W-12: fences that were given and are pending fail with the device, whatever they wait for. */
static void
lost_device_fails_its_releases(void **state)
{
	struct null_driver driver;
	VkSemaphore timeline;
	int held, waiting;

	open_hal(&driver);
	timeline = create_semaphore(&driver, 0);
	assert_int_equal(CONTROL_FN(&driver, kr_null_set_release)("pending"), 0);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &held), VK_SUCCESS);
	assert_int_equal(CONTROL_FN(&driver, kr_null_set_release)("signalled"), 0);
	submit(&driver, driver.queue, timeline, 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
	assert_int_equal(release(&driver, VK_NULL_HANDLE, &waiting), VK_SUCCESS);
	assert_int_equal(kr_fence_status(held), KR_FENCE_ACTIVE);
	assert_int_equal(kr_fence_status(waiting), KR_FENCE_ACTIVE);
	CONTROL_FN(&driver, kr_null_lose_devices)();
	assert_true(kr_fence_status(held) < 0);
	assert_true(kr_fence_status(waiting) < 0);
	close(held);
	close(waiting);
	destroy(&driver, VK_NULL_HANDLE, timeline);
	close_driver(&driver);
}

static VkResult
create_image(struct null_driver *driver, const void *chain, VkImage *image)
{
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = chain,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {16, 16, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};

	return DEVICE_FN(driver, vkCreateImage)(driver->device, &info, NULL, image);
}

/* W-04, W-06: an image from a buffer at once, or bound later; a handle that is none is refused. */
static void
images_from_buffers(void **state)
{
	struct null_driver driver;
	native_handle_t handle = {.version = sizeof(native_handle_t)};
	VkNativeBufferANDROID native = {.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.handle = &handle,
		.stride = 16,
		.format = 1};
	VkBindImageMemoryInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO};
	VkImage image, plain;

	open_hal(&driver);
	assert_int_equal(create_image(&driver, &native, &image), VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, image, NULL);
	handle.version = 1;
	assert_int_equal(create_image(&driver, &native, &image), VK_ERROR_INVALID_EXTERNAL_HANDLE);
	assert_int_equal(create_image(&driver, NULL, &plain), VK_SUCCESS);
	bind.image = plain;
	assert_int_equal(DEVICE_FN(&driver, vkBindImageMemory2)(driver.device, 1, &bind),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	bind.pNext = &native;
	assert_int_equal(DEVICE_FN(&driver, vkBindImageMemory2)(driver.device, 1, &bind),
		VK_ERROR_INVALID_EXTERNAL_HANDLE);
	handle.version = sizeof(handle);
	assert_int_equal(
		DEVICE_FN(&driver, vkBindImageMemory2)(driver.device, 1, &bind), VK_SUCCESS);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, plain, NULL);
	close_driver(&driver);
}

/* W-03, and what W-10 asks of a driver. */
static void
usage_and_sharing(void **state)
{
	struct null_driver driver;
	VkPhysicalDevicePresentationPropertiesANDROID sharing = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENTATION_PROPERTIES_ANDROID};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sharing};
	uint64_t consumer = 1, producer = 1;
	int usage = 1;

	open_hal(&driver);
	assert_int_equal(
		DEVICE_FN(&driver, vkGetSwapchainGrallocUsageANDROID)(driver.device,
			VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &usage),
		VK_SUCCESS);
	assert_int_equal(usage, 0);
	assert_int_equal(DEVICE_FN(&driver, vkGetSwapchainGrallocUsage2ANDROID)(driver.device,
				 VK_FORMAT_R5G6B5_UNORM_PACK16, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				 0, &consumer, &producer),
		VK_SUCCESS);
	assert_true(consumer == 0 && producer == 0);
	assert_int_equal(DEVICE_FN(&driver, vkGetSwapchainGrallocUsage2ANDROID)(
				 driver.device, VK_FORMAT_D16_UNORM, 0, 0, &consumer, &producer),
		VK_ERROR_FORMAT_NOT_SUPPORTED);
	assert_null(driver.gdpa(driver.device, "vkGetSwapchainGrallocUsage3ANDROID"));
	INSTANCE_FN(&driver, vkGetPhysicalDeviceProperties2)(driver.physical_device, &properties);
	assert_true(sharing.sharedImage);
	close_driver(&driver);
}

/*
 * W-09: an image with the shared bit is released as often as one likes after one acquire. Each
 * release has its own fence, which waits for the work before it and for no later one.
 */
static void
shared_image_is_released_again_and_again(void **state)
{
	struct null_driver driver;
	native_handle_t handle = {.version = sizeof(native_handle_t)};
	VkSwapchainImageCreateInfoANDROID shared = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_IMAGE_CREATE_INFO_ANDROID,
		.usage = VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID};
	VkNativeBufferANDROID native = {.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.pNext = &shared,
		.handle = &handle,
		.stride = 16,
		.format = 1};
	PFN_vkQueueSignalReleaseImageANDROID signal_release;
	uint64_t consumer, producer;
	VkSemaphore timeline;
	VkImage image;
	int fds[4];

	open_hal(&driver);
	signal_release = DEVICE_FN(&driver, vkQueueSignalReleaseImageANDROID);
	timeline = create_semaphore(&driver, 0);
	assert_int_equal(DEVICE_FN(&driver, vkGetSwapchainGrallocUsage2ANDROID)(driver.device,
				 VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
				 shared.usage, &consumer, &producer),
		VK_SUCCESS);
	assert_int_equal(create_image(&driver, &native, &image), VK_SUCCESS);
	assert_int_equal(DEVICE_FN(&driver, vkAcquireImageANDROID)(
				 driver.device, image, -1, VK_NULL_HANDLE, VK_NULL_HANDLE),
		VK_SUCCESS);
	for (unsigned i = 0; i < 3; i++) {
		submit(&driver, driver.queue, timeline, i + 1, VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
		assert_int_equal(signal_release(driver.queue, 0, NULL, image, &fds[i]), VK_SUCCESS);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(kr_fence_status(fds[i]), KR_FENCE_ACTIVE);
		signal_host(&driver, timeline, i + 1);
		assert_int_equal(kr_fence_status(fds[i]), KR_FENCE_SIGNALLED);
		close(fds[i]);
	}
	assert_int_equal(signal_release(driver.queue, 0, NULL, image, &fds[3]), VK_SUCCESS);
	assert_int_equal(fds[3], -1);
	DEVICE_FN(&driver, vkDestroyImage)(driver.device, image, NULL);
	destroy(&driver, VK_NULL_HANDLE, timeline);
	close_driver(&driver);
}

#define CASE(fn) KR_TEST_FLAGS(fn, KR_TEST_KEEPS_MEMORY)

static const struct kr_test tests[] = {
	CASE(fences),
	CASE(timeline_holds_a_queue),
	CASE(queues_wait_for_each_other),
	CASE(waits_are_woken),
	CASE(acquire_of_a_free_buffer),
	CASE(acquire_of_a_busy_buffer),
	CASE(acquire_when_the_fence_fails),
	CASE(acquire_owns_the_fd),
	CASE(acquire_forgets_the_destroyed),
	CASE(release_of_an_idle_queue),
	CASE(release_waits),
	CASE(releases_are_points),
	CASE(releases_stay_pending),
	CASE(releases_come_late),
	CASE(releases_fail),
	CASE(setting_is_checked),
	CASE(work_takes_its_time),
	CASE(work_is_checked),
	CASE(lost_device),
	CASE(lost_device_fails_its_releases),
	CASE(images_from_buffers),
	CASE(usage_and_sharing),
	CASE(shared_image_is_released_again_and_again),
};

KR_TEST_MAIN(tests)
