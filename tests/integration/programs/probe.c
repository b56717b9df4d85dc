/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe headless|xcb|directfb [wrong|hasty]: a program for the validation layer to watch. It uses
 * the corners of swapchains that the cube leaves alone: each present mode, old swapchains, most
 * images, acquiring with a timeout, images that are acquired and never presented. `wrong`: it makes
 * two mistakes. `hasty`: one against the rules of synchronization. `directfb`: it asks for windows
 * that nobody here has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/stack/app.h"
#include "tests/integration/stack/x_app.h"

#define FRAMES 10

static void
check(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	printf("probe: %s: %d\n", what, result);
	exit(1);
}

static void
try_mode(struct app *app, VkPresentModeKHR mode)
{
	VkSurfaceCapabilitiesKHR caps;
	uint32_t most;

	check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(app->physical, app->surface, &caps),
		"caps");
	most = caps.maxImageCount && caps.maxImageCount < APP_MAX_IMAGES ? caps.maxImageCount
									 : APP_MAX_IMAGES - 4;
	check(app_create_swapchain(app, mode, caps.minImageCount, (VkExtent2D){64, 48}),
		"swapchain");
	for (unsigned i = 0; i < FRAMES; i++)
		check(app_frame(app, UINT64_MAX, i), "frame");
	check(vkDeviceWaitIdle(app->device), "idle");
	check(app_create_swapchain(app, mode, most, (VkExtent2D){64, 48}), "larger swapchain");
	for (unsigned i = 0; i < FRAMES; i++)
		check(app_frame(app, 5000000000, i), "frame");
	check(vkDeviceWaitIdle(app->device), "idle");
}

/* An image that is never given back, and a second acquire that has a fence. */
static void
leave_acquired(struct app *app)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;
	uint32_t index;

	check(vkCreateFence(app->device, &info, NULL, &fence), "fence");
	check(vkAcquireNextImageKHR(
		      app->device, app->swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index),
		"acquire");
	check(vkWaitForFences(app->device, 1, &fence, VK_TRUE, UINT64_MAX), "wait");
	vkDestroyFence(app->device, fence, NULL);
}

/* Two writes to a buffer, with nothing between that orders them. */
static void
be_hasty(struct app *app)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = 256,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	VkDeviceMemory memory;
	VkBuffer buffer;

	check(vkCreateBuffer(app->device, &info, NULL, &buffer), "buffer");
	vkGetBufferMemoryRequirements(app->device, buffer, &needs);
	allocate.allocationSize = needs.size;
	while (!(needs.memoryTypeBits & 1u << allocate.memoryTypeIndex))
		allocate.memoryTypeIndex++;
	check(vkAllocateMemory(app->device, &allocate, NULL, &memory), "memory");
	check(vkBindBufferMemory(app->device, buffer, memory, 0), "bind");
	check(vkBeginCommandBuffer(app->commands, &begin), "begin");
	for (uint32_t i = 0; i < 2; i++)
		vkCmdFillBuffer(app->commands, buffer, 0, VK_WHOLE_SIZE, i);
	check(vkEndCommandBuffer(app->commands), "end");
	vkDestroyBuffer(app->device, buffer, NULL);
	vkFreeMemory(app->device, memory, NULL);
}

static void
be_wrong(const struct app *app)
{
	const VkBufferCreateInfo empty = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore never_destroyed;
	VkBuffer buffer;

	if (vkCreateBuffer(app->device, &empty, NULL, &buffer) == VK_SUCCESS)
		vkDestroyBuffer(app->device, buffer, NULL);
	check(vkCreateSemaphore(app->device, &info, NULL, &never_destroyed), "semaphore");
}

int
main(int argc, char **argv)
{
	bool xcb = argc > 1 && !strcmp(argv[1], "xcb");
	VkPresentModeKHR modes[8];
	uint32_t count = 8;
	struct x_app x = {0};
	struct app app = {0};

	if (xcb && !x_app_open(&x, NULL, 64, 48))
		return 1;
	if (argc > 1 && !strcmp(argv[1], "directfb"))
		check(app_open_instance(&app, "VK_EXT_directfb_surface", NULL), "instance");
	check(app_open_instance(&app, xcb ? "VK_KHR_xcb_surface" : "VK_EXT_headless_surface", NULL),
		"instance");
	check(xcb ? x_app_create_surface(&x, &app) : app_create_headless_surface(&app), "surface");
	check(app_open_device(&app, 0), "device");
	check(app_create_frame_objects(&app), "objects");
	check(vkGetPhysicalDeviceSurfacePresentModesKHR(app.physical, app.surface, &count, modes),
		"modes");
	/* The later ones are of extensions that this device hasn't enabled. */
	for (uint32_t i = 0; i < count; i++) {
		if (modes[i] <= VK_PRESENT_MODE_FIFO_RELAXED_KHR)
			try_mode(&app, modes[i]);
	}
	leave_acquired(&app);
	if (argc > 2 && !strcmp(argv[2], "hasty"))
		be_hasty(&app);
	else if (argc > 2)
		be_wrong(&app);
	app_close(&app);
	if (xcb)
		x_app_close(&x);
	return 0;
}
