/* SPDX-License-Identifier: Apache-2.0 */
/* Which fences an acquire hands to the driver, and which it waits for. */
#include "harness.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "../sync/support.h"
#include "krafla/fault.h"
#include "rig.h"
#include "util/macros.h"

#define NEVER UINT64_MAX

/* A rig over a kernel that is a fake, and a swapchain. */
struct stage {
	struct rig rig;
	VkSwapchainKHR swapchain;
	int point; /* of the fence that the next buffer comes with */
};

static void
open_stage(struct stage *stage)
{
	fake_kernel_install();
	rig_init(&stage->rig, false);
	stage->swapchain = rig_swapchain(&stage->rig, VK_PRESENT_MODE_FIFO_KHR);
}

/* The driver becomes the adapter over one that imports into these. */
static void
be_adapter(struct stage *stage, bool semaphores, bool fences)
{
	rig_destroy(&stage->rig, stage->swapchain);
	kr_wsi_device_destroy(stage->rig.device);
	fake.adapter = true;
	fake.imports_semaphores = semaphores;
	fake.imports_fences = fences;
	stage->rig.device = fake_device_create();
	stage->swapchain = rig_swapchain(&stage->rig, VK_PRESENT_MODE_FIFO_KHR);
}

static VkResult
acquire(struct stage *stage, uint64_t timeout)
{
	uint32_t index;

	return rig_acquire(&stage->rig, stage->swapchain, timeout, &index);
}

static void
come_with_kernel_fence(struct stage *stage)
{
	stage->rig.window.dequeue_fence = fake_fence("display", &stage->point);
}

static void
close_stage(struct stage *stage)
{
	rig_destroy(&stage->rig, stage->swapchain);
	rig_finish(&stage->rig);
	fake_kernel_remove();
}

/* W-07: nobody waits, not even without any time: the driver has the very fence. */
static void
a_kernels_fence_goes_to_the_driver(void **state)
{
	struct stage stage;

	open_stage(&stage);
	come_with_kernel_fence(&stage);
	assert_int_equal(acquire(&stage, 0), VK_SUCCESS);
	assert_true(fake.acquire_fd >= 0);
	assert_int_equal(fake.acquire_status, KR_FENCE_ACTIVE);
	fake_signal(stage.point, 1);
	close_stage(&stage);
}

/* Done is done: nothing is left to import. */
static void
a_kernels_fence_that_is_done_is_none(void **state)
{
	struct stage stage;

	open_stage(&stage);
	for (int status = 1; status >= -EIO; status -= 1 + EIO) {
		come_with_kernel_fence(&stage);
		fake_signal(stage.point, status);
		assert_int_equal(acquire(&stage, 0), VK_SUCCESS);
		assert_int_equal(fake.acquire_fd, -1);
	}
	close_stage(&stage);
}

/* S-05: what user space signals is waited for, and enters no driver. */
static void
a_fence_of_user_space_stays_outside(void **state)
{
	struct stage stage;
	int producer, fence;

	open_stage(&stage);
	assert_int_equal(kr_fence_create(NULL, &producer, &fence), 0);
	stage.rig.window.dequeue_fence = fence;
	assert_int_equal(acquire(&stage, 0), VK_NOT_READY);
	assert_int_equal(fake.acquires, 0);
	assert_int_equal(kr_fence_create_done(NULL, 1, &fence), 0);
	stage.rig.window.dequeue_fence = fence;
	assert_int_equal(acquire(&stage, 0), VK_SUCCESS);
	assert_int_equal(fake.acquire_fd, -1);
	kr_fence_signal(producer, 1);
	close_stage(&stage);
}

/* What isn't a fence is nothing to wait for, and nothing for the driver. */
static void
no_fence_is_kept_from_the_driver(void **state)
{
	struct stage stage;

	open_stage(&stage);
	stage.rig.window.dequeue_fence = dup(0);
	assert_int_equal(acquire(&stage, 0), VK_SUCCESS);
	assert_int_equal(fake.acquire_fd, -1);
	close_stage(&stage);
}

/* An acquire has a semaphore and a fence: the driver has to import into both. */
static void
what_can_not_be_imported_is_waited_for(void **state)
{
	struct stage stage;

	for (int which = 0; which < 4; which++) {
		open_stage(&stage);
		be_adapter(&stage, which & 1, which & 2);
		come_with_kernel_fence(&stage);
		if (which == 3) {
			assert_int_equal(acquire(&stage, 0), VK_SUCCESS);
			assert_int_equal(fake.acquire_status, KR_FENCE_ACTIVE);
		} else {
			assert_int_equal(acquire(&stage, 0), VK_NOT_READY);
			assert_int_equal(fake.acquires, 0);
		}
		fake_signal(stage.point, 1);
		close_stage(&stage);
	}
}

/* W-07: the driver owns what it is given, also when it fails; the buffer has its fence yet. */
static void
a_refused_buffer_keeps_its_fence(void **state)
{
	struct stage stage;
	uint32_t cancels;

	open_stage(&stage);
	cancels = stage.rig.window.cancels;
	come_with_kernel_fence(&stage);
	fake.acquire_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(acquire(&stage, NEVER), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(stage.rig.window.cancels, cancels + 1);
	assert_int_equal(stage.rig.window.cancel_status, KR_FENCE_ACTIVE);
	fake.acquire_result = VK_SUCCESS;
	fake_signal(stage.point, 1);
	assert_int_equal(acquire(&stage, NEVER), VK_SUCCESS);
	close_stage(&stage);
}

/* Without a descriptor to spare, waiting is left. */
static void
without_descriptors_the_fence_is_waited_for(void **state)
{
	struct stage stage;
	VkResult result;

	open_stage(&stage);
	come_with_kernel_fence(&stage);
	kr_test_limit_fds(0);
	result = acquire(&stage, 0);
	kr_test_end_fd_limit();
	assert_int_equal(result, VK_NOT_READY);
	assert_int_equal(fake.acquires, 0);
	fake_signal(stage.point, 1);
	close_stage(&stage);
}

/*
 * The adapter may find a buffer in use by others, and has a limit of its own: the application's
 * time is what counts. Another driver's answer is its own.
 */
static void
a_drivers_timeout_is_not_the_applications(void **state)
{
	struct stage stage;

	open_stage(&stage);
	be_adapter(&stage, true, true);
	fake.acquire_timeouts = 2;
	assert_int_equal(acquire(&stage, NEVER), VK_SUCCESS);
	assert_int_equal(fake.acquires, 3);
	fake.acquire_timeouts = 1;
	assert_int_equal(acquire(&stage, 0), VK_NOT_READY);
	close_stage(&stage);
	open_stage(&stage);
	fake.acquire_timeouts = 1;
	assert_int_equal(acquire(&stage, NEVER), VK_TIMEOUT);
	close_stage(&stage);
}

static void *
clear_later(void *data)
{
	poll(NULL, 0, 300);
	krafla_fault_clear(KRAFLA_FAULT_AT_DRIVER_ACQUIRE);
	return NULL;
}

/* UINT64_MAX waits as long as it takes: here until the fault is over. */
static void
what_never_signals_is_waited_for_without_limit(void **state)
{
	const struct krafla_fault never = {.size = sizeof(never), .kind = KRAFLA_FAULT_NEVER};
	struct stage stage;
	pthread_t thread;

	open_stage(&stage);
	assert_int_equal(krafla_fault_set(KRAFLA_FAULT_AT_DRIVER_ACQUIRE, &never), 0);
	assert_int_equal(acquire(&stage, 1000000), VK_TIMEOUT);
	assert_int_equal(pthread_create(&thread, NULL, clear_later, NULL), 0);
	assert_int_equal(acquire(&stage, NEVER), VK_SUCCESS);
	pthread_join(thread, NULL);
	assert_int_equal(fake.acquires, 1);
	assert_int_equal(fake.acquire_fd, -1);
	close_stage(&stage);
	settle();
}

/*
 * android-platform 7.3, 11: without a limit of time neither a time that is up nor for ever, where
 * nothing can come any more.
 */
static void
an_acquire_of_more_than_all_is_an_error(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	/* Before the first frame there is no limit but the images there are. */
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_ERROR_UNKNOWN);
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_NOT_READY);
	assert_int_equal(rig_acquire(&rig, swapchain, 1000000, &index), VK_TIMEOUT);
	assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	assert_int_equal(rig_acquire(&rig, swapchain, NEVER, &index), VK_ERROR_UNKNOWN);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(an_acquire_of_more_than_all_is_an_error),
	KR_TEST(a_kernels_fence_goes_to_the_driver),
	KR_TEST(a_kernels_fence_that_is_done_is_none),
	KR_TEST(a_fence_of_user_space_stays_outside),
	KR_TEST(no_fence_is_kept_from_the_driver),
	KR_TEST(what_can_not_be_imported_is_waited_for),
	KR_TEST(a_refused_buffer_keeps_its_fence),
	KR_TEST(without_descriptors_the_fence_is_waited_for),
	KR_TEST(a_drivers_timeout_is_not_the_applications),
	KR_TEST_FLAGS(what_never_signals_is_waited_for_without_limit, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
