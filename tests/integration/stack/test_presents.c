/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program hears of its presents, through the real libvulkan.so.1, on a display: present
 * fences, ids and waits, released images, modes that are switched. Each on lavapipe through the
 * adapter and on the null driver.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"
#include "x_app.h"
#include "xvfb.h"

#define FRAMES 12
#define SIZE   ((VkExtent2D){RIG_WIDTH, RIG_HEIGHT})
#define SECOND UINT64_C(1000000000)
#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep */

#define DEVICE_FN(app, name) ((PFN_##name)vkGetDeviceProcAddr((app)->device, #name))

/* A program on a display, with a device that has all that is tried here. */
struct stage {
	struct rig rig;
	struct app app;
	VkPhysicalDevicePresentIdFeaturesKHR id;
	VkPhysicalDevicePresentWaitFeaturesKHR wait;
	VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT maintenance;
	VkSwapchainPresentModesCreateInfoEXT modes;
};

/* What the program asks for, until it has a surface. */
static void
open_instance(struct stage *stage, const char *surface_extension)
{
	static const char *const instance_extensions[] = {
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME,
		VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME};
	static const char *const extensions[] = {VK_KHR_PRESENT_ID_EXTENSION_NAME,
		VK_KHR_PRESENT_WAIT_EXTENSION_NAME, VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME};
	struct app *app = &stage->app;

	stage->id = (VkPhysicalDevicePresentIdFeaturesKHR){
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, &stage->wait, VK_TRUE};
	stage->wait = (VkPhysicalDevicePresentWaitFeaturesKHR){
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, &stage->maintenance,
		VK_TRUE};
	stage->maintenance = (VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT){
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT, NULL,
		VK_TRUE};
	app->more.instance_extensions = instance_extensions;
	app->more.instance_extension_count = 2;
	app->more.extensions = extensions;
	app->more.extension_count = 3;
	app->more.device = &stage->id;
	app->more.swapchain = stage->modes.sType ? &stage->modes : NULL;
	assert_int_equal(app_open_instance(app, surface_extension, NULL), VK_SUCCESS);
}

static void
open_swapchain(struct stage *stage, VkPresentModeKHR mode)
{
	struct app *app = &stage->app;

	assert_int_equal(app_open_device(app, 0), VK_SUCCESS);
	assert_int_equal(app_create_swapchain(app, mode, 4, SIZE), VK_SUCCESS);
	assert_int_equal(app_create_frame_objects(app), VK_SUCCESS);
}

static void
open_stage(struct stage *stage, enum stack_driver driver, VkPresentModeKHR mode)
{
	stack_use(driver);
	rig_start(&stage->rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", stage->rig.socket, 1);
	open_instance(stage, "VK_EXT_headless_surface");
	assert_int_equal(app_create_headless_surface(&stage->app), VK_SUCCESS);
	open_swapchain(stage, mode);
}

static void
close_stage(struct stage *stage)
{
	app_close(&stage->app);
	rig_stop(&stage->rig, NULL);
}

static VkFence
make_fence(struct app *app)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;

	assert_int_equal(vkCreateFence(app->device, &info, NULL, &fence), VK_SUCCESS);
	return fence;
}

/* In the order of presents, and each soon. */
static void
fences_signal(enum stack_driver driver)
{
	struct stage stage = {.modes = {0}};
	struct app *app = &stage.app;
	VkFence fences[FRAMES];

	open_stage(&stage, driver, VK_PRESENT_MODE_FIFO_KHR);
	for (unsigned i = 0; i < FRAMES; i++) {
		const VkSwapchainPresentFenceInfoEXT info = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT,
			.swapchainCount = 1,
			.pFences = &fences[i],
		};

		fences[i] = make_fence(app);
		app->more.present = &info;
		assert_int_equal(app_frame(app, UINT64_MAX, i), VK_SUCCESS);
		app->more.present = NULL;
	}
	assert_int_equal(vkWaitForFences(app->device, 1, &fences[FRAMES - 1], VK_TRUE, 10 * SECOND),
		VK_SUCCESS);
	for (unsigned i = 0; i < FRAMES; i++) {
		assert_int_equal(vkGetFenceStatus(app->device, fences[i]), VK_SUCCESS);
		vkDestroyFence(app->device, fences[i], NULL);
	}
	close_stage(&stage);
}

static void
fences_signal_on_lavapipe(void **state)
{
	fences_signal(STACK_LAVAPIPE);
}

static void
fences_signal_on_null(void **state)
{
	fences_signal(STACK_NULL);
}

/* The display has composed the frame when its wait ends, and what never comes ends in time. */
static void
waits_end(enum stack_driver driver)
{
	struct stage stage = {.modes = {0}};
	struct app *app = &stage.app;
	PFN_vkWaitForPresentKHR wait;

	open_stage(&stage, driver, VK_PRESENT_MODE_FIFO_KHR);
	wait = DEVICE_FN(app, vkWaitForPresentKHR);
	assert_non_null(wait);
	assert_int_equal(wait(app->device, app->swapchain, 1, 0), VK_TIMEOUT);
	for (uint64_t id = 1; id <= FRAMES; id++) {
		const VkPresentIdKHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
			.swapchainCount = 1,
			.pPresentIds = &id};

		app->more.present = &ids;
		assert_int_equal(app_frame(app, UINT64_MAX, 20 * (unsigned)id), VK_SUCCESS);
		assert_int_equal(wait(app->device, app->swapchain, id, 10 * SECOND), VK_SUCCESS);
		assert_int_equal(rig_pixel(&stage.rig, 5, 7) & 0xff, 20 * (unsigned)id);
	}
	assert_int_equal(wait(app->device, app->swapchain, FRAMES + 1, SECOND / 100), VK_TIMEOUT);
	app->more.present = NULL;
	close_stage(&stage);
}

static void
waits_end_on_lavapipe(void **state)
{
	waits_end(STACK_LAVAPIPE);
}

static void
waits_end_on_null(void **state)
{
	waits_end(STACK_NULL);
}

/* Under an X server, in every mode; frames that others replace are over, too. */
static void
waits_end_on_x(void **state)
{
	static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};
	struct kr_xvfb server;

	stack_use(STACK_NULL);
	setenv("KRAFLA_WSI", "platform", 1);
	kr_xvfb_start(&server, "640x480x24", NULL, NULL);
	for (size_t i = 0; i < 3; i++) {
		struct stage stage = {.modes = {0}};
		struct app *app = &stage.app;
		PFN_vkWaitForPresentKHR wait;
		struct x_app x = {0};

		assert_true(x_app_open(&x, server.display, RIG_WIDTH, RIG_HEIGHT));
		open_instance(&stage, x_app_extension(false));
		assert_int_equal(x_app_create_surface(&x, app), VK_SUCCESS);
		open_swapchain(&stage, modes[i]);
		wait = DEVICE_FN(app, vkWaitForPresentKHR);
		for (uint64_t id = 1; id <= FRAMES; id++) {
			const VkPresentIdKHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
				.swapchainCount = 1,
				.pPresentIds = &id};

			app->more.present = &ids;
			assert_int_equal(app_frame(app, UINT64_MAX, (unsigned)id), VK_SUCCESS);
			if (id % 3 == 0)
				assert_int_equal(wait(app->device, app->swapchain, id, 10 * SECOND),
					VK_SUCCESS);
		}
		assert_int_equal(
			wait(app->device, app->swapchain, FRAMES, 10 * SECOND), VK_SUCCESS);
		app_close(app);
		x_app_close(&x);
	}
	kr_xvfb_stop(&server);
}

/* With the display gone there is nothing to wait for: no wait outlives it. */
static void
waits_end_with_the_display(void **state)
{
	const uint64_t id = 1;
	const VkPresentIdKHR ids = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR, .swapchainCount = 1, .pPresentIds = &id};
	struct stage stage = {.modes = {0}};
	struct app *app = &stage.app;
	PFN_vkWaitForPresentKHR wait;

	open_stage(&stage, STACK_NULL, VK_PRESENT_MODE_FIFO_KHR);
	wait = DEVICE_FN(app, vkWaitForPresentKHR);
	app->more.present = &ids;
	assert_int_equal(app_frame(app, UINT64_MAX, 1), VK_SUCCESS);
	assert_int_equal(wait(app->device, app->swapchain, 1, 10 * SECOND), VK_SUCCESS);
	rig_stop(&stage.rig, NULL);
	assert_int_equal(wait(app->device, app->swapchain, 1, 0), VK_SUCCESS);
	assert_int_equal(
		wait(app->device, app->swapchain, 2, UINT64_MAX), VK_ERROR_SURFACE_LOST_KHR);
	app->more.present = NULL;
	app_close(app);
}

/* Images that were never presented come round again. */
static void
images_are_released(enum stack_driver driver)
{
	struct stage stage = {.modes = {0}};
	struct app *app = &stage.app;
	PFN_vkReleaseSwapchainImagesEXT release;
	VkFence fence;

	open_stage(&stage, driver, VK_PRESENT_MODE_FIFO_KHR);
	release = DEVICE_FN(app, vkReleaseSwapchainImagesEXT);
	assert_non_null(release);
	fence = make_fence(app);
	for (unsigned i = 0; i < 5 * FRAMES; i++) {
		uint32_t index;
		const VkReleaseSwapchainImagesInfoEXT info = {
			.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
			.swapchain = app->swapchain,
			.imageIndexCount = 1,
			.pImageIndices = &index,
		};

		assert_int_equal(vkAcquireNextImageKHR(app->device, app->swapchain, 10 * SECOND,
					 VK_NULL_HANDLE, fence, &index),
			VK_SUCCESS);
		assert_int_equal(
			vkWaitForFences(app->device, 1, &fence, VK_TRUE, 10 * SECOND), VK_SUCCESS);
		vkResetFences(app->device, 1, &fence);
		assert_int_equal(release(app->device, &info), VK_SUCCESS);
		if (i % 5 == 0)
			assert_int_equal(app_frame(app, 10 * SECOND, i), VK_SUCCESS);
	}
	vkDestroyFence(app->device, fence, NULL);
	close_stage(&stage);
}

static void
images_are_released_on_lavapipe(void **state)
{
	images_are_released(STACK_LAVAPIPE);
}

static void
images_are_released_on_null(void **state)
{
	images_are_released(STACK_NULL);
}

/* From frame to frame, on the images that the swapchain has. */
static void
modes_are_switched(enum stack_driver driver)
{
	static const VkPresentModeKHR all[] = {VK_PRESENT_MODE_FIFO_KHR,
		VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};
	struct stage stage = {
		.modes = {VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT, NULL, 3, all}};
	struct app *app = &stage.app;

	open_stage(&stage, driver, VK_PRESENT_MODE_FIFO_KHR);
	for (unsigned i = 0; i < 3 * FRAMES; i++) {
		const VkSwapchainPresentModeInfoEXT info = {
			.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT,
			.swapchainCount = 1,
			.pPresentModes = &all[i % 3],
		};

		app->more.present = i % 2 ? &info : NULL;
		assert_int_equal(app_frame(app, 10 * SECOND, i), VK_SUCCESS);
	}
	app->more.present = NULL;
	close_stage(&stage);
}

static void
modes_are_switched_on_lavapipe(void **state)
{
	modes_are_switched(STACK_LAVAPIPE);
}

static void
modes_are_switched_on_null(void **state)
{
	modes_are_switched(STACK_NULL);
}

/*
 * W-09, W-10: one image that the display reads while it is drawn into, on a driver that bears it.
 * The display shows each frame that is asked for.
 */
static void
shared_images_are_shown(void **state)
{
	static const char *const extensions[] = {VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME,
		VK_KHR_PRESENT_ID_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_EXTENSION_NAME};
	static const char *const instance_extensions[] = {
		VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME};
	VkPhysicalDevicePresentWaitFeaturesKHR wait_feature = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, NULL, VK_TRUE};
	const VkPhysicalDevicePresentIdFeaturesKHR id_feature = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, &wait_feature, VK_TRUE};
	struct app app = {.more = {instance_extensions, 1, extensions, 3, &id_feature}};
	PFN_vkGetSwapchainStatusKHR get_status;
	PFN_vkWaitForPresentKHR wait;
	struct rig rig = {0};
	uint32_t index = 7;

	stack_use(STACK_NULL);
	rig_start(&rig, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", rig.socket, 1);
	assert_int_equal(app_open_instance(&app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(&app), VK_SUCCESS);
	assert_int_equal(app_open_device(&app, 0), VK_SUCCESS);
	assert_int_equal(
		app_create_swapchain(&app, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR, 1, SIZE),
		VK_SUCCESS);
	assert_int_equal(app.image_count, 1);
	assert_int_equal(app_create_frame_objects(&app), VK_SUCCESS);
	get_status = DEVICE_FN(&app, vkGetSwapchainStatusKHR);
	wait = DEVICE_FN(&app, vkWaitForPresentKHR);
	assert_int_equal(app_draw(&app, 10 * SECOND, 1, &index), VK_SUCCESS);
	assert_int_equal(index, 0);
	for (uint64_t id = 1; id <= FRAMES; id++) {
		const VkPresentIdKHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
			.swapchainCount = 1,
			.pPresentIds = &id};
		const VkPresentInfoKHR info = {
			.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
			.pNext = &ids,
			.waitSemaphoreCount = id == 1,
			.pWaitSemaphores = &app.rendered[0],
			.swapchainCount = 1,
			.pSwapchains = &app.swapchain,
			.pImageIndices = &index,
		};

		assert_int_equal(vkQueuePresentKHR(app.queue, &info), VK_SUCCESS);
		assert_int_equal(wait(app.device, app.swapchain, id, 10 * SECOND), VK_SUCCESS);
		assert_int_equal(get_status(app.device, app.swapchain), VK_SUCCESS);
	}
	app_close(&app);
	rig_stop(&rig, NULL);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(fences_signal_on_lavapipe, LEAVES),
	KR_TEST_FLAGS(fences_signal_on_null, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(waits_end_on_lavapipe, LEAVES),
	KR_TEST_FLAGS(waits_end_on_null, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(waits_end_on_x, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(waits_end_with_the_display, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(images_are_released_on_lavapipe, LEAVES),
	KR_TEST_FLAGS(images_are_released_on_null, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(modes_are_switched_on_lavapipe, LEAVES),
	KR_TEST_FLAGS(modes_are_switched_on_null, KR_TEST_KEEPS_MEMORY),
	KR_TEST_FLAGS(shared_images_are_shown, KR_TEST_KEEPS_MEMORY),
};

KR_TEST_MAIN(tests)
