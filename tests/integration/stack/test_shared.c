/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared presentable images on a real driver (W-05, W-09, W-10): what a program clears its one
 * image to is what the display shows, with a present and without one.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "harness.h"
#include "rig.h"
#include "stack.h"

#define LEAVES (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS) /* what lavapipe and LLVM keep for good */
#define LIMIT  UINT64_C(5000000000)

struct shared {
	struct rig display;
	struct app app;
	VkImage image;
};

static bool
offers_sharing(VkPhysicalDevice device)
{
	VkExtensionProperties list[512];
	uint32_t count = 512;

	assert_int_equal(
		vkEnumerateDeviceExtensionProperties(device, NULL, &count, list), VK_SUCCESS);
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(list[i].extensionName, VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME))
			return true;
	}
	return false;
}

static void
open_device(struct shared *shared)
{
	static const char *const extensions[] = {
		VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 2,
		.ppEnabledExtensionNames = extensions};

	assert_int_equal(
		vkCreateDevice(shared->app.physical, &info, NULL, &shared->app.device), VK_SUCCESS);
	vkGetDeviceQueue(shared->app.device, 0, 0, &shared->app.queue);
}

static void
start(struct shared *shared, VkPresentModeKHR mode)
{
	uint32_t index = 9, count = 1;

	*shared = (struct shared){0};
	stack_use(STACK_LAVAPIPE);
	rig_start(&shared->display, KR_CLOCK_REAL);
	setenv("KRAFLA_DISPLAY", shared->display.socket, 1);
	assert_int_equal(
		app_open_instance(&shared->app, "VK_EXT_headless_surface", NULL), VK_SUCCESS);
	assert_int_equal(app_create_headless_surface(&shared->app), VK_SUCCESS);
	assert_int_equal(
		vkEnumeratePhysicalDevices(shared->app.instance, &count, &shared->app.physical),
		VK_SUCCESS);
	assert_true(offers_sharing(shared->app.physical));
	open_device(shared);
	assert_int_equal(
		app_create_swapchain(&shared->app, mode, 1, (VkExtent2D){RIG_WIDTH, RIG_HEIGHT}),
		VK_SUCCESS);
	assert_int_equal(shared->app.image_count, 1);
	assert_int_equal(app_create_frame_objects(&shared->app), VK_SUCCESS);
	assert_int_equal(vkResetFences(shared->app.device, 1, &shared->app.done), VK_SUCCESS);
	assert_int_equal(vkAcquireNextImageKHR(shared->app.device, shared->app.swapchain, LIMIT,
				 VK_NULL_HANDLE, shared->app.done, &index),
		VK_SUCCESS);
	assert_int_equal(index, 0);
	assert_int_equal(vkWaitForFences(shared->app.device, 1, &shared->app.done, VK_TRUE, LIMIT),
		VK_SUCCESS);
	shared->image = shared->app.images[0];
}

static void
stop(struct shared *shared)
{
	assert_int_equal(vkDeviceWaitIdle(shared->app.device), VK_SUCCESS);
	app_close(&shared->app);
	rig_stop(&shared->display, NULL);
}

/* Clears the image, in the layout that it never leaves, and waits. */
static void
clear(struct shared *shared, VkImageLayout from, float grey)
{
	const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = shared->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	const VkClearColorValue colour = {.float32 = {grey, grey, grey, 1}};
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &shared->app.commands};

	assert_int_equal(vkBeginCommandBuffer(shared->app.commands, &begin), VK_SUCCESS);
	vkCmdPipelineBarrier(shared->app.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vkCmdClearColorImage(shared->app.commands, shared->image,
		VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR, &colour, 1, &barrier.subresourceRange);
	assert_int_equal(vkEndCommandBuffer(shared->app.commands), VK_SUCCESS);
	assert_int_equal(vkQueueSubmit(shared->app.queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
	assert_int_equal(vkQueueWaitIdle(shared->app.queue), VK_SUCCESS);
}

static void
present(struct shared *shared)
{
	const uint32_t index = 0;
	const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.swapchainCount = 1,
		.pSwapchains = &shared->app.swapchain,
		.pImageIndices = &index};

	assert_int_equal(vkQueuePresentKHR(shared->app.queue, &info), VK_SUCCESS);
}

/* The display shows it within five seconds. */
static void
expect_grey(struct shared *shared, uint32_t grey)
{
	uint32_t pixel = 0;

	for (int i = 0; i < 500; i++) {
		pixel = rig_pixel(&shared->display, 5, 7) & 0xffffff;
		if (pixel == grey * 0x10101)
			return;
		poll(NULL, 0, 10);
	}
	assert_int_equal(pixel, grey * 0x10101);
}

/* Each present is a frame of the one image, with what was drawn until then. */
static void
presents_show_what_was_drawn(void **state)
{
	VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
	struct shared shared;

	start(&shared, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR);
	for (uint32_t i = 1; i < 6; i++) {
		clear(&shared, layout, (float)i / 255);
		layout = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
		present(&shared);
		expect_grey(&shared, i);
	}
	stop(&shared);
}

/* After the first present nothing more is needed. */
static void
drawing_shows_without_a_present(void **state)
{
	struct shared shared;

	start(&shared, VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR);
	clear(&shared, VK_IMAGE_LAYOUT_UNDEFINED, 1.0f / 255);
	present(&shared);
	for (uint32_t i = 2; i < 6; i++) {
		clear(&shared, VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR, (float)i / 255);
		expect_grey(&shared, i);
	}
	stop(&shared);
}

static const struct kr_test tests[] = {
	KR_TEST_FLAGS(presents_show_what_was_drawn, LEAVES),
	KR_TEST_FLAGS(drawing_shows_without_a_present, LEAVES),
};

KR_TEST_MAIN(tests)
