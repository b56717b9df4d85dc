/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaver return|exit|thread|many [FRAMES]: a program that leaves with frames in flight and destroys
 * nothing: it returns from main, or calls exit() there or in another thread while main goes on
 * presenting, or returns with many devices.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"

#define SIZE   ((VkExtent2D){640, 480})
#define CLEARS 8  /* of each frame, so that it takes a moment */
#define MANY   20 /* devices */

static struct app app;
static VkCommandBuffer commands[APP_MAX_IMAGES];
static VkSemaphore acquired[APP_MAX_IMAGES];

static void
check(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	printf("leaver: %s: %d\n", what, result);
	_exit(1);
}

static void
change_layout(uint32_t i, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = app.images[i],
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(commands[i], VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void
record(uint32_t i)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};
	const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue colour = {.float32 = {0.5f, 0.25f, 0, 1}};

	check(vkBeginCommandBuffer(commands[i], &begin), "begin");
	change_layout(i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	for (int n = 0; n < CLEARS; n++)
		vkCmdClearColorImage(commands[i], app.images[i],
			VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &whole);
	change_layout(i, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	check(vkEndCommandBuffer(commands[i]), "end");
}

static void
open_app(void)
{
	const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
	};

	check(app_open_instance(&app, "VK_EXT_headless_surface", NULL), "instance");
	check(app_create_headless_surface(&app), "surface");
	check(app_open_device(&app, 0), "device");
	check(app_create_swapchain(&app, VK_PRESENT_MODE_FIFO_KHR, 4, SIZE), "swapchain");
	check(app_create_frame_objects(&app), "objects");
	info.commandPool = app.pool;
	info.commandBufferCount = app.image_count;
	check(vkAllocateCommandBuffers(app.device, &info, commands), "commands");
	for (uint32_t i = 0; i < app.image_count; i++) {
		check(vkCreateSemaphore(app.device, &semaphore, NULL, &acquired[i]), "semaphore");
		record(i);
	}
}

/* Nothing is waited for: neither by the CPU nor, every other time, by the present. */
static void
frame(unsigned number)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkSemaphore *wait = &acquired[number % app.image_count];
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.signalSemaphoreCount = number % 2,
	};
	VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = number % 2,
		.swapchainCount = 1,
		.pSwapchains = &app.swapchain,
	};
	uint32_t index;

	check(vkAcquireNextImageKHR(
		      app.device, app.swapchain, UINT64_MAX, *wait, VK_NULL_HANDLE, &index),
		"acquire");
	submit.pCommandBuffers = &commands[index];
	submit.pSignalSemaphores = present.pWaitSemaphores = &app.rendered[index];
	present.pImageIndices = &index;
	check(vkQueueSubmit(app.queue, 1, &submit, VK_NULL_HANDLE), "submit");
	check(vkQueuePresentKHR(app.queue, &present), "present");
}

static void *
leave_in_thread(void *data)
{
	(void)data;
	exit(0);
}

/* Each with a frame. */
static void
open_more(void)
{
	for (int i = 0; i < MANY; i++) {
		memset(&app, 0, sizeof(app));
		open_app();
		frame(0);
	}
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	unsigned frames = argc > 2 ? (unsigned)atoi(argv[2]) : 3;
	pthread_t thread;

	open_app();
	for (unsigned i = 0; i < frames; i++)
		frame(i);
	if (!strcmp(how, "many"))
		open_more();
	if (!strcmp(how, "return") || !strcmp(how, "many"))
		return 0;
	if (!strcmp(how, "exit"))
		exit(0);
	pthread_create(&thread, NULL, leave_in_thread, NULL);
	for (unsigned i = frames;; i++)
		frame(i);
}
