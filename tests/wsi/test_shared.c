/* SPDX-License-Identifier: Apache-2.0 */
/* Shared presentable images (VK_KHR_shared_presentable_image): one image, two who have it. */
#include "harness.h"

#include <errno.h>
#include <string.h>

#include "present_rig.h"
#include "sync/fence/fence.h"

static VkSwapchainKHR
shared_swapchain(struct rig *rig, VkPresentModeKHR mode)
{
	static const VkPresentModeKHR both[] = {VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
		VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR};
	const VkSwapchainPresentModesCreateInfoEXT modes = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT,
		.presentModeCount = 2,
		.pPresentModes = both,
	};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(mode);
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;

	info.minImageCount = 1;
	info.pNext = &modes;
	assert_int_equal(
		kr_wsi_create_swapchain(rig->device, rig->surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	return swapchain;
}

static void
close_rig(struct rig *rig, VkSwapchainKHR swapchain)
{
	rig_destroy(rig, swapchain);
	rig_finish(rig);
}

/* W-09: acquired once, presented again and again, each time to the same buffer with a new frame. */
static void
one_image_is_presented_again_and_again(void **state)
{
	VkSwapchainKHR s;
	struct kr_frame frame, first;
	struct rig rig;
	uint32_t count = 0, index = 7;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	assert_int_equal(kr_wsi_get_swapchain_images(rig.device, s, &count, NULL), VK_SUCCESS);
	assert_int_equal(count, 1);
	assert_true(fake.image_had_flags);
	assert_int_equal(rig_acquire(&rig, s, UINT64_MAX, &index), VK_SUCCESS);
	assert_int_equal(index, 0);
	for (uint64_t i = 1; i <= 5; i++) {
		assert_int_equal(rig_present(&rig, s, 0), VK_SUCCESS);
		assert_int_equal(fake.releases, i);
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.number, i);
		assert_int_equal(frame.presentation.mode, KR_PRESENT_SHARED_DEMAND);
		if (i == 1)
			first = frame;
		assert_int_equal(frame.slot, first.slot);
		assert_ptr_equal(frame.buffer, first.buffer);
	}
	assert_int_equal(fake.acquires, 1);
	assert_int_equal(fake.images_live, 1);
	rig_destroy(&rig, s);
	kr_consumer_release(rig.consumer, &frame, -1);
	rig_finish(&rig);
}

/* Nobody waits for who reads it: its release fence is none of a present's business. */
static void
the_image_may_be_acquired_while_it_is_held(void **state)
{
	VkSwapchainKHR s;
	struct rig rig;
	uint32_t index;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	for (uint32_t i = 1; i <= 4; i++) {
		index = 7;
		assert_int_equal(rig_acquire(&rig, s, UINT64_MAX, &index), VK_SUCCESS);
		assert_int_equal(index, 0);
		/* The driver signals what the caller wants signalled. */
		assert_int_equal(fake.acquires, i);
		assert_int_equal(fake.acquire_fd, -1);
		assert_non_null(fake.acquire_semaphore);
		assert_int_equal(rig_present(&rig, s, 0), VK_SUCCESS);
	}
	close_rig(&rig, s);
}

static VkResult
present_in(struct rig *rig, VkSwapchainKHR swapchain, VkPresentModeKHR mode)
{
	const VkSwapchainPresentModeInfoEXT modes = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT,
		.swapchainCount = 1,
		.pPresentModes = &mode,
	};
	struct present p;

	present_init(&p, 1, false);
	p.swapchains[0] = swapchain;
	p.info.pNext = &modes;
	return kr_wsi_queue_present(rig->device, QUEUE, &p.info);
}

static void
demand_and_continuous_may_be_switched(void **state)
{
	static const VkPresentModeKHR order[] = {VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
		VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
		VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR,
		VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR};
	struct kr_frame frame;
	VkSwapchainKHR s;
	struct rig rig;
	uint32_t index;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, order[0]);
	assert_int_equal(rig_acquire(&rig, s, UINT64_MAX, &index), VK_SUCCESS);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(present_in(&rig, s, order[i]), VK_SUCCESS);
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.presentation.mode,
			i == 2 ? KR_PRESENT_SHARED_DEMAND : KR_PRESENT_SHARED_CONTINUOUS);
	}
	assert_int_equal(present_in(&rig, s, VK_PRESENT_MODE_FIFO_KHR), VK_ERROR_UNKNOWN);
	rig_destroy(&rig, s);
	kr_consumer_release(rig.consumer, &frame, -1);
	rig_finish(&rig);
}

/* vkReleaseSwapchainImages: the program has it as long as its swapchain is there. */
static void
a_shared_image_is_not_released(void **state)
{
	const uint32_t zero = 0;
	VkReleaseSwapchainImagesInfoEXT release = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
		.imageIndexCount = 1,
		.pImageIndices = &zero,
	};
	VkSwapchainKHR s;
	struct rig rig;
	uint32_t index;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	release.swapchain = s;
	assert_int_equal(rig_acquire(&rig, s, 0, &index), VK_SUCCESS);
	assert_int_equal(kr_wsi_release_swapchain_images(rig.device, &release), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, s, 0), VK_SUCCESS);
	assert_int_equal(rig.window.cancels, 0);
	close_rig(&rig, s);
}

/* The image stays the program's, whatever a present comes to; the next one may go well. */
static void
a_failed_present_leaves_the_image(void **state)
{
	VkSwapchainKHR s;
	struct rig rig;
	uint32_t index;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	assert_int_equal(rig_acquire(&rig, s, 0, &index), VK_SUCCESS);
	fake.release_result = VK_ERROR_UNKNOWN;
	assert_int_equal(rig_present(&rig, s, 0), VK_ERROR_UNKNOWN);
	fake.release_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(rig_present(&rig, s, 0), VK_ERROR_OUT_OF_HOST_MEMORY);
	fake.release_result = VK_SUCCESS;
	rig.window.queue_error = -EINVAL;
	assert_int_equal(rig_present(&rig, s, 0), VK_ERROR_SURFACE_LOST_KHR);
	rig.window.queue_error = 0;
	assert_int_equal(rig_present(&rig, s, 0), VK_SUCCESS);
	rig.window.dequeue_error = -ENODEV;
	assert_int_equal(rig_present(&rig, s, 0), VK_ERROR_SURFACE_LOST_KHR);
	rig.window.dequeue_error = 0;
	close_rig(&rig, s);
}

/* Then its buffer comes back as any other does, and ordinary ones take its place. */
static void
an_ordinary_swapchain_may_follow(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR s, new;
	struct rig rig;
	uint32_t index;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR);
	assert_int_equal(rig_acquire(&rig, s, 0, &index), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, s, 0), VK_SUCCESS);
	info.oldSwapchain = s;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &new), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, s, 0), VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, s), VK_ERROR_OUT_OF_DATE_KHR);
	for (uint32_t i = 0; i < 2; i++) {
		struct kr_frame frame;

		assert_int_equal(rig_present(&rig, new, acquired(&rig, new)), VK_SUCCESS);
		while (!kr_consumer_acquire(rig.consumer, &frame))
			kr_consumer_release(rig.consumer, &frame, -1);
	}
	rig_destroy(&rig, s);
	close_rig(&rig, new);
}

/* W-12. */
static void
a_lost_device_ends_a_shared_image(void **state)
{
	VkSwapchainKHR s;
	struct rig rig;
	uint32_t index;

	rig_init_able(&rig);
	s = shared_swapchain(&rig, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	assert_int_equal(rig_acquire(&rig, s, 0, &index), VK_SUCCESS);
	kr_wsi_device_lost(rig.device);
	assert_int_equal(rig_present(&rig, s, 0), VK_ERROR_DEVICE_LOST);
	assert_int_equal(rig_acquire(&rig, s, 0, &index), VK_ERROR_DEVICE_LOST);
	close_rig(&rig, s);
}

static const struct kr_test tests[] = {
	KR_TEST(one_image_is_presented_again_and_again),
	KR_TEST(the_image_may_be_acquired_while_it_is_held),
	KR_TEST(demand_and_continuous_may_be_switched),
	KR_TEST(a_shared_image_is_not_released),
	KR_TEST(a_failed_present_leaves_the_image),
	KR_TEST(an_ordinary_swapchain_may_follow),
	KR_TEST(a_lost_device_ends_a_shared_image),
};

KR_TEST_MAIN(tests)
