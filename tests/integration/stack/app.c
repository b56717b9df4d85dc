/* SPDX-License-Identifier: Apache-2.0 */
/* A small Vulkan program: see app.h. */
#include "app.h"

#include <stddef.h>
#include <string.h>

VkResult
app_open_instance(struct app *app, const char *extension, const char *another)
{
	const char *extensions[8] = {VK_KHR_SURFACE_EXTENSION_NAME, extension, another};
	uint32_t count = another ? 3 : 2;
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "krafla-test",
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = count + app->more.instance_extension_count,
		.ppEnabledExtensionNames = extensions,
	};

	for (uint32_t i = 0; i < app->more.instance_extension_count; i++)
		extensions[count + i] = app->more.instance_extensions[i];
	return vkCreateInstance(&info, app->allocator, &app->instance);
}

VkResult
app_create_headless_surface(struct app *app)
{
	const VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT,
	};
	PFN_vkCreateHeadlessSurfaceEXT create =
		(PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(
			app->instance, "vkCreateHeadlessSurfaceEXT");

	return create ? create(app->instance, &info, app->allocator, &app->surface)
		      : VK_ERROR_EXTENSION_NOT_PRESENT;
}

VkResult
app_open_device(struct app *app, uint32_t number)
{
	const char *extensions[8] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = app->more.device,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 1 + app->more.extension_count,
		.ppEnabledExtensionNames = extensions,
	};
	VkPhysicalDevice devices[8];
	VkBool32 supported = VK_FALSE;
	uint32_t count = 8;
	VkResult result = vkEnumeratePhysicalDevices(app->instance, &count, devices);

	if (result < 0)
		return result;
	if (number >= count)
		return VK_ERROR_INCOMPATIBLE_DRIVER;
	app->physical = devices[number];
	for (uint32_t i = 0; i < app->more.extension_count; i++)
		extensions[1 + i] = app->more.extensions[i];
	if (app->surface)
		result = vkGetPhysicalDeviceSurfaceSupportKHR(
			app->physical, 0, app->surface, &supported);
	if (result == VK_SUCCESS && app->surface && !supported)
		result = VK_ERROR_FEATURE_NOT_PRESENT;
	if (result == VK_SUCCESS)
		result = vkCreateDevice(app->physical, &info, app->allocator, &app->device);
	if (result == VK_SUCCESS)
		vkGetDeviceQueue(app->device, 0, 0, &app->queue);
	return result;
}

static VkResult
choose_format(struct app *app, VkSurfaceFormatKHR *format)
{
	VkSurfaceFormatKHR formats[64];
	uint32_t count = 64;
	VkResult result =
		vkGetPhysicalDeviceSurfaceFormatsKHR(app->physical, app->surface, &count, formats);

	if (result < 0)
		return result;
	*format = app->more.format ? *app->more.format : formats[0];
	if (app->more.format)
		return VK_SUCCESS;
	for (uint32_t i = 0; i < count; i++) {
		if (formats[i].format == VK_FORMAT_R8G8B8A8_UNORM ||
			formats[i].format == VK_FORMAT_B8G8R8A8_UNORM)
			*format = formats[i];
	}
	return VK_SUCCESS;
}

static bool
is_shared(VkPresentModeKHR mode)
{
	return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
		mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

VkResult
app_create_swapchain(struct app *app, VkPresentModeKHR mode, uint32_t min_images, VkExtent2D extent)
{
	VkSwapchainKHR old = app->swapchain;
	VkSurfaceCapabilitiesKHR caps;
	VkSurfaceFormatKHR format;
	VkResult result =
		vkGetPhysicalDeviceSurfaceCapabilitiesKHR(app->physical, app->surface, &caps);

	if (result == VK_SUCCESS)
		result = choose_format(app, &format);
	if (result != VK_SUCCESS)
		return result;
	const VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.pNext = app->more.swapchain,
		.flags = app->more.flags,
		.surface = app->surface,
		.minImageCount = is_shared(mode)          ? 1
			: min_images > caps.minImageCount ? min_images
							  : caps.minImageCount,
		.imageFormat = format.format,
		.imageColorSpace = format.colorSpace,
		.imageExtent = caps.currentExtent.width == UINT32_MAX ? extent : caps.currentExtent,
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = caps.currentTransform,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR & caps.supportedCompositeAlpha
			? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
			: VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
		.presentMode = mode,
		.clipped = VK_TRUE,
		.oldSwapchain = old,
	};
	app->swapchain = VK_NULL_HANDLE;
	result = vkCreateSwapchainKHR(app->device, &info, app->allocator, &app->swapchain);
	vkDestroySwapchainKHR(app->device, old, app->allocator);
	app->image_count = APP_MAX_IMAGES;
	if (result == VK_SUCCESS)
		result = vkGetSwapchainImagesKHR(
			app->device, app->swapchain, &app->image_count, app->images);
	return result;
}

VkResult
app_create_frame_objects(struct app *app)
{
	const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkResult result =
		vkCreateSemaphore(app->device, &semaphore, app->allocator, &app->acquired);

	for (uint32_t i = 0; result == VK_SUCCESS && i < APP_MAX_IMAGES; i++)
		result = vkCreateSemaphore(
			app->device, &semaphore, app->allocator, &app->rendered[i]);
	if (result == VK_SUCCESS)
		result = vkCreateFence(app->device, &fence, app->allocator, &app->done);
	if (result == VK_SUCCESS)
		result = vkCreateCommandPool(app->device, &pool, app->allocator, &app->pool);
	commands.commandPool = app->pool;
	if (result == VK_SUCCESS)
		result = vkAllocateCommandBuffers(app->device, &commands, &app->commands);
	return result;
}

static void
change_layout(const struct app *app, VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(app->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static VkResult
record(const struct app *app, VkImage image, unsigned number)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const float grey = (float)(number % 256) / 255;
	VkClearColorValue colour = {.float32 = {grey, grey, grey, 1}};
	VkResult result = vkBeginCommandBuffer(app->commands, &begin);

	if (result != VK_SUCCESS)
		return result;
	if (app->more.colour)
		memcpy(colour.float32, app->more.colour, sizeof(colour.float32));
	change_layout(app, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	vkCmdClearColorImage(
		app->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &whole);
	change_layout(
		app, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	return vkEndCommandBuffer(app->commands);
}

VkResult
app_present(struct app *app, uint32_t index)
{
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = app->more.present,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &app->rendered[index],
		.swapchainCount = 1,
		.pSwapchains = &app->swapchain,
		.pImageIndices = &index,
	};

	return vkQueuePresentKHR(app->queue, &info);
}

VkResult
app_draw(struct app *app, uint64_t timeout, unsigned number, uint32_t *index)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &app->acquired,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &app->commands,
		.signalSemaphoreCount = 1,
	};
	VkResult result = vkAcquireNextImageKHR(
		app->device, app->swapchain, timeout, app->acquired, VK_NULL_HANDLE, index);

	if (result != VK_SUCCESS)
		return result;
	submit.pSignalSemaphores = &app->rendered[*index];
	result = record(app, app->images[*index], number);
	if (result == VK_SUCCESS)
		result = vkQueueSubmit(app->queue, 1, &submit, app->done);
	if (result == VK_SUCCESS)
		result = vkWaitForFences(app->device, 1, &app->done, VK_TRUE, UINT64_MAX);
	return result == VK_SUCCESS ? vkResetFences(app->device, 1, &app->done) : result;
}

VkResult
app_frame(struct app *app, uint64_t timeout, unsigned number)
{
	uint32_t index;
	VkResult result = app_draw(app, timeout, number, &index);

	return result == VK_SUCCESS ? app_present(app, index) : result;
}

static void
destroy_swapchain(struct app *app)
{
	vkDeviceWaitIdle(app->device);
	vkDestroyCommandPool(app->device, app->pool, app->allocator);
	vkDestroyFence(app->device, app->done, app->allocator);
	for (uint32_t i = 0; i < APP_MAX_IMAGES; i++)
		vkDestroySemaphore(app->device, app->rendered[i], app->allocator);
	vkDestroySemaphore(app->device, app->acquired, app->allocator);
	vkDestroySwapchainKHR(app->device, app->swapchain, app->allocator);
}

void
app_close_window(struct app *app)
{
	struct app kept = {app->allocator, app->instance, app->physical, app->device, app->queue,
		.more = app->more};

	if (app->device)
		destroy_swapchain(app);
	if (app->surface)
		vkDestroySurfaceKHR(app->instance, app->surface, app->allocator);
	*app = kept;
}

void
app_close_device(struct app *app)
{
	app_close_window(app);
	if (app->device)
		vkDestroyDevice(app->device, app->allocator);
	app->device = VK_NULL_HANDLE;
}

void
app_close(struct app *app)
{
	if (app->instance) {
		app_close_device(app);
		vkDestroyInstance(app->instance, app->allocator);
	}
	app->instance = VK_NULL_HANDLE;
}
