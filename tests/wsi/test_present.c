/* SPDX-License-Identifier: Apache-2.0 */
/* Presenting one swapchain. */
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "present_rig.h"
#include "sync/fence/fence.h"
#include "util/macros.h"
#include "window/window.h"

/* W-08: the semaphores go straight to the driver, the fence that it gives to the consumer. */
static void
one_swapchain_goes_straight_to_the_driver(void **state)
{
	VkSwapchainKHR swapchain;
	struct kr_frame frame;
	struct present p;
	struct rig rig;

	rig_init(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	fake.release_fences = true;
	present_init(&p, 1, true);
	p.swapchains[0] = swapchain;
	p.indices[0] = acquired(&rig, swapchain);
	assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_SUCCESS);
	assert_int_equal(p.results[0], VK_SUCCESS);
	assert_int_equal(fake.release_waits, 1);
	assert_int_equal(fake.submits, 0);
	assert_int_equal(fake.presents, 0);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
	/* Present didn't wait for the frame: it is with the consumer and not done. */
	assert_int_equal(kr_fence_status(frame.acquire_fence), KR_FENCE_ACTIVE);
	fake_finish_work(1);
	assert_int_equal(kr_fence_status(frame.acquire_fence), KR_FENCE_SIGNALLED);
	close(frame.acquire_fence);
	kr_consumer_release(rig.consumer, &frame, -1);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/*
 * android-platform 7.3, 2. Several frames are on their way with pending fences: present waits for
 * none of them.
 */
static void
present_never_waits_for_an_earlier_frame(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct kr_frame frame;
	struct rig rig;

	rig_init(&rig, true);
	info.minImageCount = 5;
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	fake.release_fences = true;
	for (int i = 0; i < 5; i++)
		assert_int_equal(
			rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
	assert_int_equal(fake.producer_count, 5);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
	assert_int_equal(frame.number, 1);
	close(frame.acquire_fence);
	kr_consumer_release(rig.consumer, &frame, -1);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* What the consumer made of the frame that was presented. */
static bool
presents_pixels(struct rig *rig, VkSwapchainKHR swapchain)
{
	struct kr_frame frame;

	assert_int_equal(rig_present(rig, swapchain, acquired(rig, swapchain)), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig->consumer, &frame), 0);
	assert_int_equal(kr_consumer_release(rig->consumer, &frame, -1), 0);
	return !frame.no_pixels;
}

/* A driver that can leave pixels out does for frames that nobody wants, and those say so. */
static void
pixels_that_nobody_wants_are_left_out(void **state)
{
	const struct kr_wants second = {.from = 2, .every = 2}, none = {.from = 4};
	VkSwapchainKHR swapchain;
	struct rig rig;

	fake_release_wanted = true;
	rig_init(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_true(presents_pixels(&rig, swapchain));
	assert_int_equal(kr_consumer_set_wants(rig.consumer, &second), 0);
	assert_true(presents_pixels(&rig, swapchain));
	assert_false(presents_pixels(&rig, swapchain));
	assert_int_equal(kr_consumer_set_wants(rig.consumer, &none), 0);
	assert_false(presents_pixels(&rig, swapchain));
	assert_int_equal(fake.releases_wanted, 2);
	assert_int_equal(fake.releases_unwanted, 2);
	/* A window that doesn't know the question: somebody may look. */
	rig.window.fail_perform = KR_WINDOW_NEXT_WANTED;
	assert_true(presents_pixels(&rig, swapchain));
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* Drivers of other platforms have pixels in every frame. */
static void
a_driver_that_knows_no_wishes_always_has_pixels(void **state)
{
	const struct kr_wants none = {0};
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_consumer_set_wants(rig.consumer, &none), 0);
	assert_true(presents_pixels(&rig, swapchain));
	assert_int_equal(fake.releases, 1);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static void
presenting_what_is_not_acquired_is_an_error(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(rig_present(&rig, swapchain, 0), VK_ERROR_UNKNOWN);
	assert_int_equal(rig_present(&rig, swapchain, 3), VK_ERROR_UNKNOWN);
	assert_int_equal(rig_present(&rig, swapchain, UINT32_MAX), VK_ERROR_UNKNOWN);
	index = acquired(&rig, swapchain);
	assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, swapchain, index), VK_ERROR_UNKNOWN);
	assert_int_equal(fake.releases, 1);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* Vulkan: out of memory means that nothing has happened, so that it may be tried again. */
static void
a_present_without_memory_can_be_repeated(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;
	uint32_t index;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	index = acquired(&rig, swapchain);
	fake.release_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(rig_present(&rig, swapchain, index), VK_ERROR_OUT_OF_HOST_MEMORY);
	fake.release_result = VK_SUCCESS;
	assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* Whatever else fails, the slot is free afterwards: a hundred failures use none up. */
static void
a_failed_present_frees_its_slot(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	fake.release_fences = true;
	rig.window.queue_error = -EINVAL;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(rig_present(&rig, swapchain, acquired(&rig, swapchain)),
			VK_ERROR_SURFACE_LOST_KHR);
	}
	rig.window.queue_error = 0;
	fake.release_result = VK_ERROR_UNKNOWN;
	for (int i = 0; i < 10; i++) {
		assert_int_equal(
			rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_ERROR_UNKNOWN);
	}
	fake.release_result = VK_SUCCESS;
	fake.release_fences = false;
	assert_int_equal(rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* android-platform 7.3, 15: a resized window is told of, where it has a size. */
static void
a_window_of_another_size_is_suboptimal(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	rig.ops.no_size = true;
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
	rig.ops.no_size = false;
	assert_int_equal(
		rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUBOPTIMAL_KHR);
	kr_queue_configure(rig.queue, 320, 200, 0);
	assert_int_equal(rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
	rig.window.hint = NATIVE_WINDOW_TRANSFORM_ROT_90;
	assert_int_equal(
		rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUBOPTIMAL_KHR);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static VkResult
present_regions(
	struct rig *rig, VkSwapchainKHR swapchain, const VkRectLayerKHR *rects, uint32_t count)
{
	uint32_t index = acquired(rig, swapchain);
	const VkPresentRegionKHR region = {count, rects};
	const VkPresentRegionsKHR regions = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR,
		.swapchainCount = 1,
		.pRegions = &region,
	};
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = &regions,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index,
	};

	return kr_wsi_queue_present(rig->device, QUEUE, &info);
}

/* android-platform 7.3, 13: not mirrored, and in MAILBOX too. */
static void
regions_become_damage_from_the_top_left(void **state)
{
	static const VkPresentModeKHR modes[] = {
		VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
	const VkRectLayerKHR rects[] = {{{10, 20}, {30, 40}, 0}, {{300, 190}, {100, 100}, 0},
		{{-5, -5}, {UINT32_MAX, 6}, 0}};
	VkRectLayerKHR many[19];

	for (int32_t i = 0; i < 19; i++)
		many[i] = (VkRectLayerKHR){{i, 2 * i}, {1, 1}, 0};
	for (size_t i = 0; i < KR_ARRAY_LEN(modes); i++) {
		VkSwapchainKHR swapchain;
		struct rig rig;

		rig_init(&rig, false);
		swapchain = rig_swapchain(&rig, modes[i]);
		assert_int_equal(present_regions(&rig, swapchain, rects, 3), VK_SUCCESS);
		assert_int_equal(rig.window.damage_count, 3);
		assert_memory_equal(
			&rig.window.damage[0], (&(android_native_rect_t){10, 20, 40, 60}), 16);
		assert_memory_equal(
			&rig.window.damage[1], (&(android_native_rect_t){300, 190, 320, 200}), 16);
		assert_memory_equal(
			&rig.window.damage[2], (&(android_native_rect_t){0, 0, 320, 1}), 16);
		/* A present without regions is whole again; of too many the rest is one. */
		assert_int_equal(
			rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
		assert_int_equal(rig.window.damage_count, 0);
		assert_int_equal(present_regions(&rig, swapchain, rects, 1), VK_SUCCESS);
		assert_int_equal(present_regions(&rig, swapchain, many, 19), VK_SUCCESS);
		assert_int_equal(rig.window.damage_count, KR_FRAME_MAX_DAMAGE);
		assert_memory_equal(
			&rig.window.damage[14], (&(android_native_rect_t){14, 28, 15, 29}), 16);
		assert_memory_equal(
			&rig.window.damage[15], (&(android_native_rect_t){15, 30, 19, 37}), 16);
		rig_destroy(&rig, swapchain);
		rig_finish(&rig);
	}
}

/* android-platform 7.3, 13: what a replaced frame had changed, its follower has changed, too. */
static void
replaced_frames_leave_their_damage(void **state)
{
	const VkRectLayerKHR first = {{10, 20}, {30, 40}, 0}, second = {{100, 0}, {5, 6}, 0};
	VkSwapchainKHR swapchain;
	struct kr_frame frame;
	struct rig rig;

	rig_init(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_MAILBOX_KHR);
	assert_int_equal(present_regions(&rig, swapchain, &first, 1), VK_SUCCESS);
	assert_int_equal(present_regions(&rig, swapchain, &second, 1), VK_SUCCESS);
	assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
	assert_int_equal(frame.number, 2);
	assert_int_equal(frame.damage_count, 2);
	assert_memory_equal(&frame.damage[0], (&(android_native_rect_t){100, 0, 105, 6}), 16);
	assert_memory_equal(&frame.damage[1], (&(android_native_rect_t){10, 20, 40, 60}), 16);
	kr_consumer_release(rig.consumer, &frame, -1);
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* android-platform 7.3, 12: a time for one frame isn't one for those behind it. */
static void
no_frame_has_the_time_of_another(void **state)
{
	const VkPresentTimeGOOGLE time = {1, 123456789};
	const VkPresentTimesInfoGOOGLE times = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
		.swapchainCount = 1,
		.pTimes = &time,
	};
	VkSwapchainKHR swapchain;
	struct kr_frame frame;
	struct present p;
	struct rig rig;

	rig_init(&rig, true);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	for (int i = 0; i < 3; i++) {
		present_init(&p, 1, false);
		p.swapchains[0] = swapchain;
		p.indices[0] = acquired(&rig, swapchain);
		p.info.pNext = i == 0 ? &times : NULL;
		assert_int_equal(kr_wsi_queue_present(rig.device, QUEUE, &p.info), VK_SUCCESS);
		assert_int_equal(kr_consumer_acquire(rig.consumer, &frame), 0);
		assert_int_equal(frame.target.kind, i == 0 ? KR_TARGET_TIMESTAMP : KR_TARGET_NONE);
		assert_true(frame.target.time_ns == (i == 0 ? 123456789 : 0));
		assert_int_equal(frame.presentation.tell_events, i == 0);
		kr_consumer_release(rig.consumer, &frame, -1);
	}
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

/* W-13: who has an image next finds it acquired, and the far end has it released. */
static void
each_frame_is_acquired_and_released(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_MAILBOX_KHR);
	for (uint32_t i = 1; i <= 20; i++) {
		uint32_t index = acquired(&rig, swapchain);

		assert_int_equal(fake.acquires, i);
		assert_true(fake.images[index].acquired);
		assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
		assert_int_equal(fake.releases, i);
		assert_false(fake.images[index].acquired);
	}
	rig_destroy(&rig, swapchain);
	rig_finish(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST(one_swapchain_goes_straight_to_the_driver),
	KR_TEST(present_never_waits_for_an_earlier_frame),
	KR_TEST(pixels_that_nobody_wants_are_left_out),
	KR_TEST(a_driver_that_knows_no_wishes_always_has_pixels),
	KR_TEST(presenting_what_is_not_acquired_is_an_error),
	KR_TEST(a_present_without_memory_can_be_repeated),
	KR_TEST(a_failed_present_frees_its_slot),
	KR_TEST(a_window_of_another_size_is_suboptimal),
	KR_TEST(regions_become_damage_from_the_top_left),
	KR_TEST(replaced_frames_leave_their_damage),
	KR_TEST(no_frame_has_the_time_of_another),
	KR_TEST(each_frame_is_acquired_and_released),
};

KR_TEST_MAIN(tests)
