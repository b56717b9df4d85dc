/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several swapchains in one present (DESIGN 5.1): all ours, and ours beside the driver's own;
 * acquiring when there is nothing to acquire; windows that change their size.
 */
#include <krafla/window.h>
#include <stdio.h>
#include <string.h>

#define VK_USE_PLATFORM_ANDROID_KHR
#include <vulkan/vulkan.h>
#include <vulkan/vulkan_android.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "x_app.h"
#include "xvfb.h"

#define FRAMES 20
#define SIZE   ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */

static ANativeWindow *
open_window(const struct rig *rig, struct app *app)
{
	VkAndroidSurfaceCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_SURFACE_CREATE_INFO_KHR,
	};
	PFN_vkCreateAndroidSurfaceKHR create = (PFN_vkCreateAndroidSurfaceKHR)vkGetInstanceProcAddr(
		app->instance, "vkCreateAndroidSurfaceKHR");

	assert_int_equal(krafla_window_open(rig->socket, "test", 0, 0, &info.window), 0);
	assert_non_null(create);
	assert_int_equal(create(app->instance, &info, NULL, &app->surface), VK_SUCCESS);
	return info.window;
}

static void
close_window(ANativeWindow *window)
{
	window->common.decRef(&window->common);
}

static void
finish_opening(struct app *app)
{
	assert_int_equal(app_create_swapchain(app, VK_PRESENT_MODE_FIFO_KHR, 3, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
}

static void
show_both(struct app *first, unsigned first_grey, struct app *second, unsigned second_grey)
{
	VkSemaphore rendered[2];
	VkSwapchainKHR swapchains[2] = {first->swapchain, second->swapchain};
	VkResult results[2] = {VK_RESULT_MAX_ENUM, VK_RESULT_MAX_ENUM};
	uint32_t indices[2];
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 2,
		.pWaitSemaphores = rendered,
		.swapchainCount = 2,
		.pSwapchains = swapchains,
		.pImageIndices = indices,
		.pResults = results,
	};

	assert_int_equal(app_draw(first, UINT64_MAX, first_grey, &indices[0]), VK_SUCCESS);
	assert_int_equal(app_draw(second, UINT64_MAX, second_grey, &indices[1]), VK_SUCCESS);
	rendered[0] = first->rendered[indices[0]];
	rendered[1] = second->rendered[indices[1]];
	assert_int_equal(vkQueuePresentKHR(first->queue, &info), VK_SUCCESS);
	assert_int_equal(results[0], VK_SUCCESS);
	assert_int_equal(results[1], VK_SUCCESS);
}

static uint32_t
grey(unsigned number)
{
	return 0x10101 * number;
}

/*
 * A pixel as the X server has it, once it is that (what was presented may be under
 * way); else the last.
 */
static uint32_t
wait_for_x_pixel(const struct x_app *x, uint32_t expected)
{
	uint32_t pixel = 0;

	for (int i = 0; i < 200; i++) {
		xcb_get_image_reply_t *reply = xcb_get_image_reply(x->connection,
			xcb_get_image(x->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, x->window, 3, 4, 1,
				1, UINT32_MAX),
			NULL);

		assert_non_null(reply);
		memcpy(&pixel, xcb_get_image_data(reply), sizeof(pixel));
		free(reply);
		pixel &= 0xffffff;
		if (pixel == expected)
			break;
		poll(NULL, 0, 10);
	}
	return pixel;
}

/* Two windows on two displays, one vkQueuePresentKHR. */
static void
both_are_ours(void **state)
{
	struct rig displays[2] = {0};
	struct app first = {0}, second;
	ANativeWindow *windows[2];

	stack_use(STACK_LAVAPIPE);
	rig_start(&displays[0], KR_CLOCK_VIRTUAL);
	rig_start(&displays[1], KR_CLOCK_VIRTUAL);
	assert_int_equal(app_open_instance(&first, "VK_KHR_android_surface", NULL), VK_SUCCESS);
	windows[0] = open_window(&displays[0], &first);
	assert_int_equal(app_open_device(&first, 0), VK_SUCCESS);
	second = first;
	windows[1] = open_window(&displays[1], &second);
	finish_opening(&first);
	finish_opening(&second);
	for (unsigned i = 1; i <= FRAMES; i++) {
		show_both(&first, i, &second, 100 + i);
		rig_wait_frames(&displays[0], i);
		rig_wait_frames(&displays[1], i);
		assert_int_equal(rig_pixel(&displays[0], 3, 4) & 0xffffff, grey(i));
		assert_int_equal(rig_pixel(&displays[1], 3, 4) & 0xffffff, grey(100 + i));
	}
	app_close_window(&second);
	app_close(&first);
	close_window(windows[0]);
	close_window(windows[1]);
	rig_stop(&displays[0], NULL);
	rig_stop(&displays[1], NULL);
}

/* An Android surface of ours beside an X surface of the driver's, in either order. */
static void
one_is_the_drivers(void **state)
{
	struct app ours = {0}, drivers;
	ANativeWindow *window;
	struct rig display = {0};
	struct kr_xvfb server;
	struct x_app x;

	stack_use(STACK_LAVAPIPE);
	kr_xvfb_start(&server, "320x240x24", NULL, NULL);
	assert_true(x_app_open(&x, server.display, SIZE.width, SIZE.height));
	rig_start(&display, KR_CLOCK_VIRTUAL);
	assert_int_equal(app_open_instance(&ours, "VK_KHR_android_surface", "VK_KHR_xcb_surface"),
		VK_SUCCESS);
	window = open_window(&display, &ours);
	assert_int_equal(app_open_device(&ours, 0), VK_SUCCESS);
	drivers = ours;
	assert_int_equal(x_app_create_surface(&x, &drivers), VK_SUCCESS);
	finish_opening(&ours);
	finish_opening(&drivers);
	for (unsigned i = 1; i <= FRAMES; i++) {
		if (i % 2)
			show_both(&ours, i, &drivers, 100 + i);
		else
			show_both(&drivers, 100 + i, &ours, i);
		rig_wait_frames(&display, i);
		assert_int_equal(rig_pixel(&display, 3, 4) & 0xffffff, grey(i));
		assert_int_equal(wait_for_x_pixel(&x, grey(100 + i)), grey(100 + i));
	}
	app_close_window(&drivers);
	app_close(&ours);
	close_window(window);
	x_app_close(&x);
	kr_xvfb_stop(&server);
	rig_stop(&display, NULL);
}

/*
 * All images are the application's: an acquire ends at its timeout, not before and not long after.
 */
static void
acquire_keeps_its_time(void **state)
{
	struct app app = {0};
	VkFence fence;
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	long long before;
	uint32_t index, got = 0;
	VkResult result;

	stack_use(STACK_LAVAPIPE);
	setenv("KRAFLA_WSI", "platform", 1);
	assert_int_equal(app_open_instance(&app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(&app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	finish_opening(&app);
	assert_int_equal(vkCreateFence(app.device, &info, NULL, &fence), VK_SUCCESS);
	while ((result = vkAcquireNextImageKHR(app.device, app.swapchain, 0, VK_NULL_HANDLE, fence,
			&index)) == VK_SUCCESS) {
		assert_true(++got <= app.image_count);
		assert_int_equal(
			vkWaitForFences(app.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
		assert_int_equal(vkResetFences(app.device, 1, &fence), VK_SUCCESS);
	}
	assert_int_equal(result, VK_NOT_READY);
	assert_true(got > 0);
	before = stack_now_ms();
	assert_int_equal(vkAcquireNextImageKHR(app.device, app.swapchain, 200000000, VK_NULL_HANDLE,
				 fence, &index),
		VK_TIMEOUT);
	assert_in_range(stack_now_ms() - before, 199, 2000);
	assert_int_equal(vkGetFenceStatus(app.device, fence), VK_NOT_READY);
	vkDestroyFence(app.device, fence, NULL);
	app_close(&app);
}

/* Shows until the swapchain is told of the new size; false when it never is. */
static bool
frames_until_out_of_date(struct app *app)
{
	for (int i = 0; i < 500; i++) {
		VkResult result = app_frame(app, UINT64_MAX, 7);

		if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR)
			return true;
		assert_int_equal(result, VK_SUCCESS);
		poll(NULL, 0, 2);
	}
	return false;
}

static void
resized_windows_are_noticed(void **state)
{
	const uint32_t size[] = {100, 80};
	VkSurfaceCapabilitiesKHR caps;
	struct app app = {0};
	struct kr_xvfb server;
	struct x_app x;

	stack_use(STACK_LAVAPIPE);
	setenv("KRAFLA_WSI", "platform", 1);
	kr_xvfb_start(&server, "320x240x24", NULL, NULL);
	assert_true(x_app_open(&x, server.display, SIZE.width, SIZE.height));
	assert_int_equal(app_open_instance(&app, "VK_KHR_xcb_surface", NULL), VK_SUCCESS);
	assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	finish_opening(&app);
	assert_int_equal(app_frame(&app, UINT64_MAX, 7), VK_SUCCESS);
	xcb_configure_window(
		x.connection, x.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
	xcb_flush(x.connection);
	assert_true(frames_until_out_of_date(&app));
	assert_int_equal(
		vkGetPhysicalDeviceSurfaceCapabilitiesKHR(app.physical, app.surface, &caps),
		VK_SUCCESS);
	assert_int_equal(caps.currentExtent.width, size[0]);
	assert_int_equal(caps.currentExtent.height, size[1]);
	vkDeviceWaitIdle(app.device);
	app_close_window(&app);
	assert_int_equal(x_app_create_surface(&x, &app), VK_SUCCESS);
	finish_opening(&app);
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(app_frame(&app, UINT64_MAX, 9 * i), VK_SUCCESS);
	assert_int_equal(wait_for_x_pixel(&x, grey(9 * (FRAMES - 1))), grey(9 * (FRAMES - 1)));
	app_close(&app);
	x_app_close(&x);
	kr_xvfb_stop(&server);
}

/* What the adapter has for the window system alone, whichever way it is asked for (D-05, W-02). */
static void
functions_between_platform_and_adapter_are_not_seen(void **state)
{
	static const char *const names[] = {"vkAcquireImageANDROID", "vkGetAcquireImportsKRAFLA",
		"vkGetNativeBufferMemoryKRAFLA", "vkGetSwapchainGrallocUsage4ANDROID",
		"vkQueueSignalReleaseImageANDROID", "vkQueueSignalReleaseImageKRAFLA"};
	struct rig display = {0};
	struct app app = {0};
	ANativeWindow *window;

	stack_use(STACK_LAVAPIPE);
	rig_start(&display, KR_CLOCK_VIRTUAL);
	assert_int_equal(app_open_instance(&app, "VK_KHR_android_surface", NULL), VK_SUCCESS);
	window = open_window(&display, &app);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_null(vkGetDeviceProcAddr(app.device, names[i]));
		assert_null(vkGetInstanceProcAddr(app.instance, names[i]));
	}
	app_close(&app);
	close_window(window);
	rig_stop(&display, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(both_are_ours, LEAVES),
	KR_TEST_FLAGS(one_is_the_drivers, LEAVES),
	KR_TEST_FLAGS(acquire_keeps_its_time, LEAVES),
	KR_TEST_FLAGS(resized_windows_are_noticed, LEAVES),
	KR_TEST_FLAGS(functions_between_platform_and_adapter_are_not_seen, LEAVES),
};

KR_TEST_MAIN(tests)
