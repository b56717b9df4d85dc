/* SPDX-License-Identifier: Apache-2.0 */
/* Instance, device, buffers and images: see cube_gpu.h. */
#include "cube_gpu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES    16
#define MAX_FAMILIES   16
#define MAX_EXTENSIONS 1024

void
die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static const char *
result_name(VkResult result)
{
	switch (result) {
	case VK_NOT_READY:
		return "VK_NOT_READY";
	case VK_TIMEOUT:
		return "VK_TIMEOUT";
	case VK_ERROR_OUT_OF_HOST_MEMORY:
		return "VK_ERROR_OUT_OF_HOST_MEMORY";
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
		return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
	case VK_ERROR_INITIALIZATION_FAILED:
		return "VK_ERROR_INITIALIZATION_FAILED";
	case VK_ERROR_DEVICE_LOST:
		return "VK_ERROR_DEVICE_LOST";
	case VK_ERROR_EXTENSION_NOT_PRESENT:
		return "VK_ERROR_EXTENSION_NOT_PRESENT";
	case VK_ERROR_INCOMPATIBLE_DRIVER:
		return "VK_ERROR_INCOMPATIBLE_DRIVER";
	case VK_ERROR_INVALID_EXTERNAL_HANDLE:
		return "VK_ERROR_INVALID_EXTERNAL_HANDLE";
	case VK_ERROR_SURFACE_LOST_KHR:
		return "VK_ERROR_SURFACE_LOST_KHR";
	case VK_ERROR_NATIVE_WINDOW_IN_USE_KHR:
		return "VK_ERROR_NATIVE_WINDOW_IN_USE_KHR";
	case VK_ERROR_OUT_OF_DATE_KHR:
		return "VK_ERROR_OUT_OF_DATE_KHR";
	default:
		return "an error";
	}
}

void
check(VkResult result, const char *what)
{
	if (result < 0)
		die("%s: %s (%d)", what, result_name(result), result);
}

void
gpu_open_instance(struct gpu *gpu, const char *surface_extension)
{
	const char *extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, surface_extension};
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = program_invocation_short_name,
		.apiVersion = gpu->shares_buffers ? VK_API_VERSION_1_1 : VK_API_VERSION_1_0,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = surface_extension ? 2 : 0,
		.ppEnabledExtensionNames = extensions,
	};
	VkResult result = vkCreateInstance(&info, NULL, &gpu->instance);

	if (result == VK_ERROR_EXTENSION_NOT_PRESENT)
		die("this Vulkan loader offers no %s", surface_extension);
	check(result, "vkCreateInstance");
}

static uint32_t
find_family(const struct gpu *gpu, VkSurfaceKHR surface)
{
	VkQueueFamilyProperties families[MAX_FAMILIES];
	uint32_t count = MAX_FAMILIES;

	vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, families);
	for (uint32_t i = 0; i < count; i++) {
		VkBool32 presents = VK_TRUE;

		if (surface)
			check(vkGetPhysicalDeviceSurfaceSupportKHR(
				      gpu->physical, i, surface, &presents),
				"vkGetPhysicalDeviceSurfaceSupportKHR");
		if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) && presents)
			return i;
	}
	die("no queue of this device draws%s", surface ? " and presents to the surface" : "");
}

static bool
offers(const struct gpu *gpu, const char *name)
{
	VkExtensionProperties *list = calloc(MAX_EXTENSIONS, sizeof(*list));
	uint32_t count = MAX_EXTENSIONS;
	bool found = false;

	if (!list)
		die("out of memory");
	check(vkEnumerateDeviceExtensionProperties(gpu->physical, NULL, &count, list),
		"vkEnumerateDeviceExtensionProperties");
	for (uint32_t i = 0; i < count; i++)
		found |= !strcmp(list[i].extensionName, name);
	free(list);
	return found;
}

/* What the device is asked for; how many. */
static uint32_t
choose_extensions(const struct gpu *gpu, VkSurfaceKHR surface, const char *names[3])
{
	uint32_t count = 0;

	if (surface)
		names[count++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
	if (!gpu->shares_buffers)
		return count;
	names[count++] = "VK_ANDROID_external_memory_android_hardware_buffer";
	if (!offers(gpu, names[count - 1]))
		die("this device has no %s: VK_LOADER_DEBUG=info tells why", names[count - 1]);
	if (offers(gpu, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME))
		names[count++] = VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME;
	return count;
}

void
gpu_open_device(struct gpu *gpu, uint32_t index, VkSurfaceKHR surface)
{
	const char *extensions[3];
	const float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = extensions,
	};
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
	};
	VkPhysicalDevice devices[MAX_DEVICES];
	uint32_t count = MAX_DEVICES;

	check(vkEnumeratePhysicalDevices(gpu->instance, &count, devices),
		"vkEnumeratePhysicalDevices");
	if (index >= count)
		die("there is no device %u; Vulkan lists %u", index, count);
	gpu->physical = devices[index];
	vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
	gpu->family = queue.queueFamilyIndex = pool.queueFamilyIndex = find_family(gpu, surface);
	info.enabledExtensionCount = choose_extensions(gpu, surface, extensions);
	check(vkCreateDevice(gpu->physical, &info, NULL, &gpu->device), "vkCreateDevice");
	vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
	check(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool), "vkCreateCommandPool");
}

void
gpu_close(struct gpu *gpu)
{
	vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
	vkDestroyDevice(gpu->device, NULL);
	vkDestroyInstance(gpu->instance, NULL);
}

static VkDeviceMemory
allocate(const struct gpu *gpu, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs->size,
	};
	VkDeviceMemory memory;
	uint32_t type = 0;

	while (type < gpu->memory.memoryTypeCount &&
		(!(needs->memoryTypeBits & 1u << type) ||
			(gpu->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
		type++;
	if (type == gpu->memory.memoryTypeCount)
		die("the device has no memory of the kind that is needed");
	info.memoryTypeIndex = type;
	check(vkAllocateMemory(gpu->device, &info, NULL, &memory), "vkAllocateMemory");
	return memory;
}

struct gpu_buffer
gpu_buffer_create(const struct gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = usage,
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
	};
	VkMemoryRequirements needs;
	struct gpu_buffer made;

	check(vkCreateBuffer(gpu->device, &info, NULL, &made.buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(gpu->device, made.buffer, &needs);
	made.memory = allocate(gpu, &needs,
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	check(vkBindBufferMemory(gpu->device, made.buffer, made.memory, 0), "vkBindBufferMemory");
	check(vkMapMemory(gpu->device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.data),
		"vkMapMemory");
	return made;
}

void
gpu_buffer_destroy(const struct gpu *gpu, struct gpu_buffer *buffer)
{
	vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
	vkFreeMemory(gpu->device, buffer->memory, NULL);
}

struct gpu_image
gpu_image_create(const struct gpu *gpu, VkFormat format, VkExtent2D extent, VkImageUsageFlags usage,
	VkImageAspectFlags aspect)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {extent.width, extent.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = usage,
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
	};
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = {aspect, 0, 1, 0, 1},
	};
	VkMemoryRequirements needs;
	struct gpu_image made;

	check(vkCreateImage(gpu->device, &info, NULL, &made.image), "vkCreateImage");
	vkGetImageMemoryRequirements(gpu->device, made.image, &needs);
	made.memory = allocate(gpu, &needs, 0);
	check(vkBindImageMemory(gpu->device, made.image, made.memory, 0), "vkBindImageMemory");
	view.image = made.image;
	check(vkCreateImageView(gpu->device, &view, NULL, &made.view), "vkCreateImageView");
	return made;
}

void
gpu_image_destroy(const struct gpu *gpu, struct gpu_image *image)
{
	vkDestroyImageView(gpu->device, image->view, NULL);
	vkDestroyImage(gpu->device, image->image, NULL);
	vkFreeMemory(gpu->device, image->memory, NULL);
}

VkCommandBuffer
gpu_begin(const struct gpu *gpu)
{
	const VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = gpu->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	VkCommandBuffer commands;

	check(vkAllocateCommandBuffers(gpu->device, &info, &commands), "vkAllocateCommandBuffers");
	check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
	return commands;
}

void
gpu_finish(const struct gpu *gpu, VkCommandBuffer commands)
{
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};

	check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
	check(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
	check(vkQueueWaitIdle(gpu->queue), "vkQueueWaitIdle");
	vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
}

void
gpu_change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}
