/* SPDX-License-Identifier: Apache-2.0 */
/* A swapchain in place of another, of the same kind or another, and what fails on the way. */
#include "harness.h"

#include <string.h>

#include "rig.h"
#include "util/macros.h"

#define NEVER UINT64_MAX

static VkResult
replace(struct rig *rig, VkSwapchainCreateInfoKHR *info, VkSwapchainKHR old, VkSwapchainKHR *new)
{
	info->oldSwapchain = old;
	return kr_wsi_create_swapchain(rig->device, rig->surface, info, NULL, new);
}

static void
show(struct rig *rig, VkSwapchainKHR swapchain, uint32_t frames)
{
	for (uint32_t i = 0; i < frames; i++) {
		uint32_t index;

		assert_int_equal(rig_acquire(rig, swapchain, NEVER, &index), VK_SUCCESS);
		assert_int_equal(rig_present(rig, swapchain, index), VK_SUCCESS);
	}
}

/* android-platform 7.3, 14: who wants the same again gets it, and nothing is allocated. */
static void
fault_14_equal_buffers_are_kept(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new;
	struct rig rig;

	rig_init(&rig, false);
	old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	show(&rig, old, 5);
	rig.window.dequeues = 0;
	for (uint32_t round = 0; round < 20; round++) {
		/* What isn't the buffers' may be different. */
		info.preTransform = 1u << round % 8;
		info.imageFormat = round % 2 ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_B8G8R8A8_UNORM;
		assert_int_equal(replace(&rig, &info, old, &new), VK_SUCCESS);
		assert_int_equal(rig.window.dequeues, 0);
		assert_int_equal(fake.images_live, 6);
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(kr_wsi_owns_swapchain(rig.device, new), true);
		if (round % 2)
			rig_destroy(&rig, old);
		show(&rig, new, round % 4);
		if (!(round % 2))
			rig_destroy(&rig, old);
		rig.window.dequeues = 0;
		old = new;
	}
	rig_destroy(&rig, old);
	rig_finish(&rig);
}

/* What was presented before is shown, and what comes then as well. */
static void
fault_14_frames_on_their_way_are_shown(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new;
	struct kr_frame frame;
	struct rig rig;

	rig_init(&rig, true);
	old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	show(&rig, old, 1);
	assert_int_equal(replace(&rig, &info, old, &new), VK_SUCCESS);
	rig_destroy(&rig, old);
	show(&rig, new, 1);
	for (uint64_t number = 1; number <= 2; number++) {
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.number, number);
		kr_consumer_release(rig.consumer, &frame, -1);
	}
	show(&rig, new, 1);
	rig_destroy(&rig, new);
	rig_finish(&rig);
}

/* Another size, usage, count or way to drop frames, or an image that the program holds. */
static void
fault_14_other_buffers_are_new(void **state)
{
	VkSwapchainKHR old, new;
	struct rig rig;

	for (uint32_t what = 0; what < 6; what++) {
		VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
		uint32_t index = UINT32_MAX;

		rig_init(&rig, false);
		old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		if (what == 0)
			info.imageExtent.width++;
		else if (what == 1)
			info.imageFormat = VK_FORMAT_R8G8B8A8_UNORM;
		else if (what == 2)
			info.minImageCount++;
		else if (what == 3)
			info.presentMode = VK_PRESENT_MODE_MAILBOX_KHR;
		else if (what == 4)
			fake.usage = 0x333;
		else
			assert_int_equal(rig_acquire(&rig, old, NEVER, &index), VK_SUCCESS);
		rig.window.dequeues = 0;
		assert_int_equal(replace(&rig, &info, old, &new), VK_SUCCESS);
		assert_int_equal(rig.window.dequeues, info.minImageCount);
		if (what == 5)
			assert_int_equal(rig_present(&rig, old, index), VK_ERROR_OUT_OF_DATE_KHR);
		show(&rig, new, 4);
		rig_destroy(&rig, old);
		rig_destroy(&rig, new);
		rig_finish(&rig);
	}
}

/*
 * The old one is retired, as Vulkan words it, but nothing is left behind, and the surface takes
 * another.
 */
static void
fault_14_a_failed_replacement_leaves_the_surface(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new = VK_NULL_HANDLE;
	struct alloc_probe probe;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	alloc_probe_init(&probe);
	old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	for (uint32_t i = 1; i <= 3; i++) {
		fake.fail_image_at = i;
		fake.fail_image_with = VK_ERROR_OUT_OF_DEVICE_MEMORY;
		assert_int_equal(replace(&rig, &info, old, &new), VK_ERROR_OUT_OF_DEVICE_MEMORY);
		assert_null(new);
		assert_int_equal(fake.images_live, 3);
		assert_int_equal(rig_acquire(&rig, old, 0, &index), VK_ERROR_OUT_OF_DATE_KHR);
		rig_destroy(&rig, old);
		old = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
		show(&rig, old, 4);
	}
	probe.fail_at = 1;
	info.oldSwapchain = old;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, &probe.callbacks, &new),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(probe.live, 0);
	info.oldSwapchain = VK_NULL_HANDLE;
	assert_int_equal(replace(&rig, &info, VK_NULL_HANDLE, &new), VK_SUCCESS);
	show(&rig, new, 4);
	rig_destroy(&rig, old);
	rig_destroy(&rig, new);
	rig_finish(&rig);
}

/* android-platform 7.3, 6: what the window doesn't answer isn't made up. */
static void
fault_6_a_window_that_doesnt_answer_is_lost(void **state)
{
	static const int questions[] = {NATIVE_WINDOW_DEFAULT_WIDTH, NATIVE_WINDOW_DEFAULT_HEIGHT,
		NATIVE_WINDOW_MIN_UNDEQUEUED_BUFFERS, NATIVE_WINDOW_MAX_BUFFER_COUNT,
		NATIVE_WINDOW_TRANSFORM_HINT};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	struct rig rig;

	rig_init(&rig, false);
	for (size_t i = 0; i < KR_ARRAY_LEN(questions); i++) {
		rig.window.fail_query = questions[i];
		assert_int_equal(replace(&rig, &info, VK_NULL_HANDLE, &swapchain),
			VK_ERROR_SURFACE_LOST_KHR);
		assert_null(swapchain);
		assert_int_equal(fake.images_live, 0);
	}
	rig_finish(&rig);
}

/* Sizes that come and go, with frames in between, held images, and creations that fail. */
static void
resize_storms(void **state)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};
	VkSwapchainKHR swapchain = VK_NULL_HANDLE;
	struct rig rig;

	rig_init(&rig, false);
	for (uint32_t round = 0; round < 300; round++) {
		VkSwapchainCreateInfoKHR info = fake_swapchain_info(modes[round / 7 % 3]);
		VkSwapchainKHR old = swapchain;
		uint32_t index;
		bool fails = round % 11 == 10;

		kr_queue_configure(rig.queue, 100 + round % 5, 50 + round / 3 % 4, round % 8);
		if (old && round % 3 == 0)
			assert_in_range(rig_acquire(&rig, old, NEVER, &index), VK_SUCCESS,
				VK_SUBOPTIMAL_KHR);
		info.imageExtent = (VkExtent2D){100 + round % 5, 50 + round / 3 % 4};
		info.minImageCount = 3 + round / 13 % 3;
		fake.fail_image_at = fails ? round % 3 + 1 : 0;
		fake.fail_image_with = VK_ERROR_OUT_OF_DEVICE_MEMORY;
		swapchain = VK_NULL_HANDLE;
		assert_int_equal(replace(&rig, &info, old, &swapchain),
			fails ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS);
		rig_destroy(&rig, old);
		for (uint32_t i = 0; swapchain && i < round % 5; i++) {
			assert_in_range(rig_acquire(&rig, swapchain, NEVER, &index), VK_SUCCESS,
				VK_SUBOPTIMAL_KHR);
			assert_in_range(
				rig_present(&rig, swapchain, index), VK_SUCCESS, VK_SUBOPTIMAL_KHR);
		}
	}
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(fault_14_equal_buffers_are_kept),
	KR_TEST(fault_14_frames_on_their_way_are_shown),
	KR_TEST(fault_14_other_buffers_are_new),
	KR_TEST(fault_14_a_failed_replacement_leaves_the_surface),
	KR_TEST(fault_6_a_window_that_doesnt_answer_is_lost),
	KR_TEST(resize_storms),
};

KR_TEST_MAIN(tests)
