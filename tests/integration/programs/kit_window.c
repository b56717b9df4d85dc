/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kit_window FRAMES: a window of a kit's (SDL 2, or GLFW), whose n-th frame, from 0, has the colour
 * (n, 255 - n, 128), by what the kit says of Vulkan and of its window.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#ifdef KIT_SDL
#include <SDL.h>
#include <SDL_vulkan.h>
#else
#include <GLFW/glfw3.h>
#endif

#define WIDTH  320
#define HEIGHT 240
#define IMAGES 8

static VkInstance instance;
static VkPhysicalDevice gpu;
static VkDevice device;
static VkQueue queue;
static VkSurfaceKHR surface;
static VkSwapchainKHR swapchain;
static VkImage images[IMAGES];
static VkCommandBuffer commands;
static VkFence fence;
static VkSemaphore drawn;

static void
need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "kit_window: %s\n", what);
	exit(1);
}

/* --- the kit --- */

#ifdef KIT_SDL
static SDL_Window *window;

static void
open_window(uint32_t *count, const char **names)
{
	need(!SDL_Init(SDL_INIT_VIDEO), SDL_GetError());
	window = SDL_CreateWindow("kit", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_VULKAN);
	need(window && SDL_Vulkan_GetInstanceExtensions(window, count, names), SDL_GetError());
}

static bool
make_surface(void)
{
	return SDL_Vulkan_CreateSurface(window, instance, &surface);
}

static void
take_events(void)
{
	SDL_Event event;

	while (SDL_PollEvent(&event))
		;
}

static void
close_window(void)
{
	SDL_DestroyWindow(window);
	SDL_Quit();
}
#else
static GLFWwindow *window;

static void
open_window(uint32_t *count, const char **names)
{
	const char **given;

	need(glfwInit() && glfwVulkanSupported(), "no GLFW, or no Vulkan for it");
	glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
	window = glfwCreateWindow(WIDTH, HEIGHT, "kit", NULL, NULL);
	need(window, "no window");
	given = glfwGetRequiredInstanceExtensions(count);
	for (uint32_t i = 0; i < *count; i++)
		names[i] = given[i];
}

static bool
make_surface(void)
{
	return glfwCreateWindowSurface(instance, window, NULL, &surface) == VK_SUCCESS;
}

static void
take_events(void)
{
	glfwPollEvents();
}

static void
close_window(void)
{
	glfwDestroyWindow(window);
	glfwTerminate();
}
#endif

/* --- Vulkan --- */

static void
make_device(void)
{
	static const char *const swapchains = "VK_KHR_swapchain";
	const float priority = 1;
	const VkDeviceQueueCreateInfo queues = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queues,
		.enabledExtensionCount = 1,
		.ppEnabledExtensionNames = &swapchains,
	};
	VkBool32 supported = VK_FALSE;
	uint32_t count = 1;

	need(vkEnumeratePhysicalDevices(instance, &count, &gpu) >= 0 && count, "no device");
	need(!vkGetPhysicalDeviceSurfaceSupportKHR(gpu, 0, surface, &supported) && supported,
		"the device can't present to the window");
	need(!vkCreateDevice(gpu, &info, NULL, &device), "vkCreateDevice");
	vkGetDeviceQueue(device, 0, 0, &queue);
}

static void
make_swapchain(void)
{
	VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = surface,
		.imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
		.imageExtent = {WIDTH, HEIGHT},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	VkSurfaceCapabilitiesKHR caps;
	uint32_t count = IMAGES;

	need(!vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu, surface, &caps), "capabilities");
	if (caps.currentExtent.width != UINT32_MAX)
		info.imageExtent = caps.currentExtent;
	info.minImageCount = caps.minImageCount;
	need(!vkCreateSwapchainKHR(device, &info, NULL, &swapchain), "vkCreateSwapchainKHR");
	need(!vkGetSwapchainImagesKHR(device, swapchain, &count, images), "images");
}

static void
make_commands(void)
{
	const VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSemaphoreCreateInfo drawn_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};

	need(!vkCreateCommandPool(device, &pool_info, NULL, &info.commandPool), "pool");
	need(!vkAllocateCommandBuffers(device, &info, &commands), "commands");
	need(!vkCreateFence(device, &fence_info, NULL, &fence), "fence");
	need(!vkCreateSemaphore(device, &drawn_info, NULL, &drawn), "semaphore");
}

static void
change_layout(VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void
record(VkImage image, float value)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue colour = {{value, 1 - value, 0.5f, 1}};

	need(!vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
	change_layout(image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	vkCmdClearColorImage(
		commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &all);
	change_layout(image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	need(!vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

static void
wait_for_fence(void)
{
	need(!vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
	need(!vkResetFences(device, 1, &fence), "vkResetFences");
}

static void
show(unsigned frame)
{
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &drawn,
	};
	uint32_t index;
	const VkPresentInfoKHR present = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &drawn,
		.swapchainCount = 1,
		.pSwapchains = &swapchain,
		.pImageIndices = &index,
	};

	need(vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index) >=
			0,
		"vkAcquireNextImageKHR");
	wait_for_fence();
	record(images[index], (float)(frame % 256) / 255);
	need(!vkQueueSubmit(queue, 1, &submit, fence), "vkQueueSubmit");
	need(vkQueuePresentKHR(queue, &present) >= 0, "vkQueuePresentKHR");
	wait_for_fence();
}

int
main(int argc, char **argv)
{
	const char *names[16];
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.enabledExtensionCount = 16,
		.ppEnabledExtensionNames = names,
	};
	unsigned frames = argc > 1 ? (unsigned)atoi(argv[1]) : 60;

	open_window(&info.enabledExtensionCount, names);
	need(!vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
	need(make_surface(), "no surface");
	make_device();
	make_swapchain();
	make_commands();
	for (unsigned i = 0; i < frames; i++) {
		show(i);
		take_events();
	}
	vkDeviceWaitIdle(device);
	/* The device's other objects end with it: the kit is what this is about. */
	vkDestroySwapchainKHR(device, swapchain, NULL);
	vkDestroySurfaceKHR(instance, surface, NULL);
	close_window();
	return 0;
}
