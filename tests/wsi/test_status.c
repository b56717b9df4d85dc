/* SPDX-License-Identifier: Apache-2.0 */
/* SUBOPTIMAL and OUT_OF_DATE: from acquire, present and vkGetSwapchainStatusKHR. */
#include "harness.h"

#include "present_rig.h"

static void
open_rig(struct rig *rig, VkSwapchainKHR *swapchain)
{
	rig_init(rig, false);
	*swapchain = rig_swapchain(rig, VK_PRESENT_MODE_FIFO_KHR);
}

static void
close_rig(struct rig *rig, VkSwapchainKHR swapchain)
{
	rig_destroy(rig, swapchain);
	rig_finish(rig);
}

/* Once a present has found it, the next acquire says it too, with an image. */
static void
acquire_tells_that_the_window_has_changed(void **state)
{
	VkSwapchainKHR swapchain;
	uint32_t index = UINT32_MAX;
	struct rig rig;

	open_rig(&rig, &swapchain);
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_SUCCESS);
	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(rig_present(&rig, swapchain, index), VK_SUBOPTIMAL_KHR);
	index = UINT32_MAX;
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_SUBOPTIMAL_KHR);
	assert_true(index < 3);
	kr_queue_configure(rig.queue, 320, 200, 0);
	assert_int_equal(rig_present(&rig, swapchain, index), VK_SUCCESS);
	assert_int_equal(rig_acquire(&rig, swapchain, 0, &index), VK_SUCCESS);
	close_rig(&rig, swapchain);
}

static void
the_status_asks_the_window(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	open_rig(&rig, &swapchain);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUCCESS);
	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUBOPTIMAL_KHR);
	kr_queue_configure(rig.queue, 320, 200, 0);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUCCESS);
	kr_queue_abandon(rig.queue);
	assert_int_equal(
		kr_wsi_get_swapchain_status(rig.device, swapchain), VK_ERROR_SURFACE_LOST_KHR);
	kr_wsi_device_lost(rig.device);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_ERROR_DEVICE_LOST);
	close_rig(&rig, swapchain);
}

static void
a_retired_swapchain_is_out_of_date(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR old, new;
	struct rig rig;

	open_rig(&rig, &old);
	info.oldSwapchain = old;
	assert_int_equal(
		kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &new), VK_SUCCESS);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, old), VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, new), VK_SUCCESS);
	rig_destroy(&rig, old);
	close_rig(&rig, new);
}

/* Who asks for a size that isn't the window's has its reasons; who asked an old window hasn't. */
static void
what_the_program_was_told_counts(void **state)
{
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSurfaceCapabilitiesKHR caps;
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	info.imageExtent = (VkExtent2D){160, 100};
	assert_int_equal(kr_wsi_surface_capabilities(&rig.gpu, rig.surface, &caps), VK_SUCCESS);
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUCCESS);
	assert_int_equal(rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
	rig_destroy(&rig, swapchain);

	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUBOPTIMAL_KHR);
	close_rig(&rig, swapchain);
}

/* A window of another platform is asked in Android's words. */
static void
windows_of_other_platforms_are_asked_too(void **state)
{
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	rig.window.android = true;
	swapchain = rig_swapchain(&rig, VK_PRESENT_MODE_FIFO_KHR);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUCCESS);
	rig.window.hint = NATIVE_WINDOW_TRANSFORM_ROT_90;
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUBOPTIMAL_KHR);
	rig.window.hint = -1;
	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUBOPTIMAL_KHR);
	close_rig(&rig, swapchain);
}

/* A program that says how its images are scaled needs no other ones. */
static void
with_a_scaling_no_size_is_wrong(void **state)
{
	const VkSwapchainPresentScalingCreateInfoEXT scaling = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
		.scalingBehavior = VK_PRESENT_SCALING_STRETCH_BIT_EXT,
	};
	VkSwapchainCreateInfoKHR info = fake_swapchain_info(VK_PRESENT_MODE_FIFO_KHR);
	VkSwapchainKHR swapchain;
	struct rig rig;

	rig_init(&rig, false);
	rig.window.stands_in = true;
	rig_give_abilities(&rig);
	info.pNext = &scaling;
	assert_int_equal(kr_wsi_create_swapchain(rig.device, rig.surface, &info, NULL, &swapchain),
		VK_SUCCESS);
	kr_queue_configure(rig.queue, 640, 480, 0);
	assert_int_equal(rig_present(&rig, swapchain, acquired(&rig, swapchain)), VK_SUCCESS);
	assert_int_equal(kr_wsi_get_swapchain_status(rig.device, swapchain), VK_SUCCESS);
	close_rig(&rig, swapchain);
}

static const struct kr_test tests[] = {
	KR_TEST(acquire_tells_that_the_window_has_changed),
	KR_TEST(the_status_asks_the_window),
	KR_TEST(a_retired_swapchain_is_out_of_date),
	KR_TEST(what_the_program_was_told_counts),
	KR_TEST(windows_of_other_platforms_are_asked_too),
	KR_TEST(with_a_scaling_no_size_is_wrong),
};

KR_TEST_MAIN(tests)
