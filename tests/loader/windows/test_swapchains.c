/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a swapchain is, on a device that has both kinds: ours for headless surfaces, the
 * driver's own for those of its window system. Each call goes to whom the handle belongs, and
 * neither sees the other's.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "both_swapchains.h"

/* W-02 */
static void
calls_go_to_whom_the_swapchain_belongs(void **state)
{
	VkAcquireNextImageInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR,
		.timeout = 5,
		.deviceMask = 1};
	uint32_t count = 0, index = 77;
	struct both s;

	open_both(&s);
	assert_int_equal(EXPORTED(&s.l, vkGetSwapchainImagesKHR)(s.device, s.ours, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 3);
	assert_int_equal(EXPORTED(&s.l, vkAcquireNextImageKHR)(s.device, s.ours, 0, VK_NULL_HANDLE,
				 (VkFence)(uintptr_t)1, &index),
		VK_SUCCESS);
	assert_true(index < 3);
	info.swapchain = s.ours;
	info.fence = (VkFence)(uintptr_t)1;
	count = index;
	assert_int_equal(
		EXPORTED(&s.l, vkAcquireNextImage2KHR)(s.device, &info, &index), VK_SUCCESS);
	assert_true(index < 3 && index != count);
	assert_null(s.driver->seen_function);

	assert_int_equal(EXPORTED(&s.l, vkGetSwapchainImagesKHR)(s.device, s.theirs, &count, NULL),
		VK_SUCCESS);
	assert_int_equal(count, 7);
	assert_ptr_equal(s.driver->seen_swapchain, s.theirs);
	assert_int_equal(EXPORTED(&s.l, vkAcquireNextImageKHR)(
				 s.device, s.theirs, 4, VK_NULL_HANDLE, VK_NULL_HANDLE, &index),
		VK_SUBOPTIMAL_KHR);
	assert_int_equal(index, 4);
	info.swapchain = s.theirs;
	s.driver->seen_swapchain = VK_NULL_HANDLE;
	assert_int_equal(
		EXPORTED(&s.l, vkAcquireNextImage2KHR)(s.device, &info, &index), VK_SUBOPTIMAL_KHR);
	assert_int_equal(index, 5);
	assert_ptr_equal(s.driver->seen_swapchain, s.theirs);
	s.driver->seen_function = NULL;
	EXPORTED(&s.l, vkDestroySwapchainKHR)(s.device, VK_NULL_HANDLE, NULL);
	assert_null(s.driver->seen_function);
	EXPORTED(&s.l, vkDestroySwapchainKHR)(s.device, s.theirs, NULL);
	assert_string_equal(s.driver->seen_function, "destroy_swapchain");
	close_both(&s);
}

/* W-02 */
static void
an_old_swapchain_is_shown_to_its_own_alone(void **state)
{
	VkSwapchainKHR made, before;
	struct both s;
	uint32_t index;

	open_both(&s);
	assert_int_equal(both_create(&s, s.xcb, s.ours, &made), VK_SUCCESS);
	assert_null(s.driver->seen_old_swapchain);
	assert_int_equal(both_create(&s, s.xcb, s.theirs, &made), VK_SUCCESS);
	assert_ptr_equal(s.driver->seen_old_swapchain, s.theirs);
	/* Ours isn't retired by it; and the driver's stays a driver's when it is named here. */
	EXPORTED(&s.l, vkDestroySwapchainKHR)(s.device, s.ours, NULL);
	assert_int_equal(both_create(&s, s.headless, s.theirs, &s.ours), VK_SUCCESS);
	before = s.ours;
	assert_int_equal(both_create(&s, s.headless, before, &s.ours), VK_SUCCESS);
	assert_int_equal(EXPORTED(&s.l, vkAcquireNextImageKHR)(s.device, before, 0, VK_NULL_HANDLE,
				 (VkFence)(uintptr_t)1, &index),
		VK_ERROR_OUT_OF_DATE_KHR);
	EXPORTED(&s.l, vkDestroySwapchainKHR)(s.device, before, NULL);
	close_both(&s);
}

/* W-02 */
static void
presents_go_to_the_driver_when_there_are_none_of_ours(void **state)
{
	uint32_t index = 0;
	struct both s;
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pImageIndices = &index,
	};

	open_both(&s);
	present.pSwapchains = &s.ours;
	assert_int_equal(EXPORTED(&s.l, vkAcquireNextImageKHR)(s.device, s.ours, 0, VK_NULL_HANDLE,
				 (VkFence)(uintptr_t)1, &index),
		VK_SUCCESS);
	assert_int_equal(EXPORTED(&s.l, vkQueuePresentKHR)(s.queue, &present), VK_SUCCESS);
	assert_null(s.driver->seen_presented);
	EXPORTED(&s.l, vkDestroySwapchainKHR)(s.device, s.ours, NULL);
	s.ours = VK_NULL_HANDLE;
	present.pSwapchains = &s.theirs;
	assert_int_equal(EXPORTED(&s.l, vkQueuePresentKHR)(s.queue, &present), VK_SUCCESS);
	assert_ptr_equal(s.driver->seen_presented, s.theirs);
	close_both(&s);
}

/* W-02 */
static void
swapchains_that_share_are_the_drivers(void **state)
{
	VkSwapchainCreateInfoKHR infos[2];
	VkSwapchainKHR made[2];
	PFN_vkCreateSharedSwapchainsKHR share;
	struct counting counting;
	struct both s;

	open_both(&s);
	share = OF_DEVICE(&s.l, s.device, vkCreateSharedSwapchainsKHR);
	infos[0] = both_info(s.xcb, VK_NULL_HANDLE);
	infos[1] = both_info(s.headless, VK_NULL_HANDLE);
	assert_int_equal(share(s.device, 2, infos, NULL, made), VK_ERROR_INCOMPATIBLE_DISPLAY_KHR);
	assert_null(s.driver->seen_function);
	infos[1] = both_info(s.xcb, s.ours);
	assert_int_equal(share(s.device, 2, infos, NULL, made), VK_SUCCESS);
	assert_ptr_equal(s.driver->seen_surface, s.driver->surface);
	assert_ptr_equal(infos[1].surface, s.xcb);
	s.driver->seen_function = NULL;
	counting_init(&counting, 0);
	assert_int_equal(
		share(s.device, 2, infos, &counting.callbacks, made), VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_null(s.driver->seen_function);
	close_both(&s);
}

/* W-02 */
static void
groups_present_as_the_surface_does(void **state)
{
	VkDeviceGroupPresentCapabilitiesKHR caps = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR};
	VkDeviceGroupPresentModeFlagsKHR modes = 0;
	struct both s;

	open_both(&s);
	assert_int_equal(EXPORTED(&s.l, vkGetDeviceGroupPresentCapabilitiesKHR)(s.device, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.modes, VK_DEVICE_GROUP_PRESENT_MODE_REMOTE_BIT_KHR);
	assert_int_equal(EXPORTED(&s.l, vkGetDeviceGroupSurfacePresentModesKHR)(
				 s.device, s.headless, &modes),
		VK_SUCCESS);
	assert_int_equal(modes, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR);
	assert_int_equal(
		EXPORTED(&s.l, vkGetDeviceGroupSurfacePresentModesKHR)(s.device, s.xcb, &modes),
		VK_SUCCESS);
	assert_int_equal(modes, VK_DEVICE_GROUP_PRESENT_MODE_REMOTE_BIT_KHR);
	assert_ptr_equal(s.driver->seen_surface, s.driver->surface);
	close_both(&s);
}

/*
 * W-06, W-02: images that an application makes for a swapchain, while there are some of ours and
 * when not.
 */
static void
images_of_swapchains(void **state)
{
	VkImageSwapchainCreateInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR};
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .pNext = &of};
	VkBindImageMemorySwapchainInfoKHR to = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, .imageIndex = 2};
	VkBindImageMemoryInfo bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &to};
	struct both s;
	VkImage image;

	open_both(&s);
	of.swapchain = to.swapchain = s.ours;
	assert_int_equal(EXPORTED(&s.l, vkCreateImage)(s.device, &info, NULL, &image), VK_SUCCESS);
	assert_null(s.driver->seen_image_swapchain);
	bind.image = image;
	assert_int_equal(EXPORTED(&s.l, vkBindImageMemory2)(s.device, 1, &bind), VK_SUCCESS);
	assert_non_null(s.driver->seen_native.handle);
	EXPORTED(&s.l, vkDestroyImage)(s.device, image, NULL);
	for (int i = 0; i < 2; i++) {
		of.swapchain = to.swapchain = s.theirs;
		assert_int_equal(
			EXPORTED(&s.l, vkCreateImage)(s.device, &info, NULL, &image), VK_SUCCESS);
		assert_ptr_equal(s.driver->seen_image_swapchain, s.theirs);
		bind.image = image;
		assert_int_equal(
			EXPORTED(&s.l, vkBindImageMemory2)(s.device, 1, &bind), VK_SUCCESS);
		assert_string_equal(s.driver->seen_function, "bind_images");
		assert_null(s.driver->seen_native.handle);
		EXPORTED(&s.l, vkDestroyImage)(s.device, image, NULL);
		EXPORTED(&s.l, vkDestroySwapchainKHR)(s.device, s.ours, NULL);
		s.ours = VK_NULL_HANDLE;
	}
	close_both(&s);
}

/*
 * A program that is wrong gets an error of the driver without swapchains, and calls
 * nothing that isn't there.
 */
static void
handles_of_nobody_are_out_of_date(void **state)
{
	static const char *const names[] = {"VK_KHR_surface", "VK_EXT_headless_surface", NULL};
	static const char *const device_names[] = {"VK_KHR_swapchain", NULL};
	const VkSwapchainKHR nobodys = (VkSwapchainKHR)(uintptr_t)0x1230;
	VkDeviceGroupPresentCapabilitiesKHR caps = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR};
	VkDeviceGroupPresentModeFlagsKHR modes;
	uint32_t index = 0, count = 0;
	VkAcquireNextImageInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR, .swapchain = nobodys};
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &nobodys,
		.pImageIndices = &index,
	};
	struct loader l;
	VkDevice device;
	VkQueue queue;

	use_null_hal();
	open_loader(&l);
	make_instance(&l, names);
	device = make_device(&l, l.devices[0], device_names);
	EXPORTED(&l, vkGetDeviceQueue)(device, 0, 0, &queue);
	assert_int_equal(EXPORTED(&l, vkGetSwapchainImagesKHR)(device, nobodys, &count, NULL),
		VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(EXPORTED(&l, vkAcquireNextImageKHR)(
				 device, nobodys, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &index),
		VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(EXPORTED(&l, vkAcquireNextImage2KHR)(device, &info, &index),
		VK_ERROR_OUT_OF_DATE_KHR);
	assert_int_equal(
		EXPORTED(&l, vkQueuePresentKHR)(queue, &present), VK_ERROR_OUT_OF_DATE_KHR);
	EXPORTED(&l, vkDestroySwapchainKHR)(device, nobodys, NULL);
	/* What a device of one member answers of groups. */
	assert_int_equal(
		EXPORTED(&l, vkGetDeviceGroupPresentCapabilitiesKHR)(device, &caps), VK_SUCCESS);
	assert_int_equal(caps.presentMask[0], 1);
	assert_int_equal(caps.presentMask[1], 0);
	assert_int_equal(caps.modes, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR);
	assert_int_equal(EXPORTED(&l, vkGetDeviceGroupSurfacePresentModesKHR)(
				 device, VK_NULL_HANDLE, &modes),
		VK_SUCCESS);
	assert_int_equal(modes, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR);
	end_device(&l, device);
	end_instance(&l);
	close_loader(&l);
}

/* The driver can't make its surface, or has no swapchains at all. */
static void
surfaces_that_a_driver_cannot_use(void **state)
{
	VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
	VkDeviceGroupPresentModeFlagsKHR modes;
	struct counting counting;
	VkSwapchainKHR swapchain;
	VkSurfaceKHR surface;
	struct both s;

	open_both(&s);
	counting_init(&counting, 1);
	assert_int_equal(EXPORTED(&s.l, vkCreateXcbSurfaceKHR)(
				 s.l.instance, &info, &counting.callbacks, &surface),
		VK_SUCCESS);
	assert_int_equal(
		both_create(&s, surface, VK_NULL_HANDLE, &swapchain), VK_ERROR_OUT_OF_HOST_MEMORY);
	counting.fail_at = counting.allocations;
	assert_int_equal(
		EXPORTED(&s.l, vkGetDeviceGroupSurfacePresentModesKHR)(s.device, surface, &modes),
		VK_ERROR_OUT_OF_HOST_MEMORY);
	assert_int_equal(s.driver->swapchains_created, 1);
	EXPORTED(&s.l, vkDestroySurfaceKHR)(s.l.instance, surface, &counting.callbacks);
	assert_int_equal(counting.alive, 0);
	close_both(&s);
}

/*
 * No result would be looked at by a program that has no surface: it ends, saying
 * which rule it broke.
 */
static void
no_surface_at_all_ends_the_program(void **state)
{
	char said[1024] = "";
	VkSwapchainKHR swapchain;
	int pipes[2], status;
	struct both s;
	pid_t child;

	open_both(&s);
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		(void)both_create(&s, VK_NULL_HANDLE, VK_NULL_HANDLE, &swapchain);
		_exit(0);
	}
	close(pipes[1]);
	assert_true(read(pipes[0], said, sizeof(said) - 1) > 0);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_non_null(strstr(said, "VUID-VkSwapchainCreateInfoKHR-surface-parameter"));
	close_both(&s);
}

static const struct kr_test tests[] = {
	KR_TEST(calls_go_to_whom_the_swapchain_belongs),
	KR_TEST(an_old_swapchain_is_shown_to_its_own_alone),
	KR_TEST(presents_go_to_the_driver_when_there_are_none_of_ours),
	KR_TEST(swapchains_that_share_are_the_drivers),
	KR_TEST(groups_present_as_the_surface_does),
	KR_TEST(images_of_swapchains),
	KR_TEST(handles_of_nobody_are_out_of_date),
	KR_TEST(surfaces_that_a_driver_cannot_use),
	KR_TEST(no_surface_at_all_ends_the_program),
};

KR_TEST_MAIN(tests)
