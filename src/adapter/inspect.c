/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device of this ICD would be able to do. How buffers are imported is not read off a list: a
 * device is made, and an image of a real buffer on it.
 */
#include "adapter/adapter.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_buffer.h>

#include "adapter/device.h"
#include "adapter/extensions.h"
#include "adapter/foreign.h"
#include "adapter/image.h"
#include "adapter/probe.h"
#include "adapter/queue_plan.h"
#include "gen/commands.h"
#include "util/alloc.h"

static enum kr_adapter_import
import_of(VkDevice device, struct kr_buffer *buffer)
{
	static const enum kr_adapter_import ways[] = {
		[KR_IMAGE_HOST] = KR_ADAPTER_IMPORT_HOST,
		[KR_IMAGE_COPY] = KR_ADAPTER_IMPORT_COPY,
		[KR_IMAGE_COPY_MAPPED] = KR_ADAPTER_IMPORT_CPU_COPY,
	};
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	const VkNativeBufferANDROID native = {
		.sType = VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID,
		.handle = kr_buffer_handle(buffer),
		.stride = (int)info->stride,
		.format = (int)info->desc.format,
	};
	const VkImageCreateInfo create = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &native,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {info->desc.width, info->desc.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	enum kr_adapter_import import;
	VkImage image;

	if (kr_adapter_CreateImage(device, &create, NULL, &image) != VK_SUCCESS)
		return KR_ADAPTER_IMPORT_NONE;
	import = ways[kr_adapter_image_from_handle(kr_adapter_device_from_handle(device), image)
			      ->way];
	kr_adapter_DestroyImage(device, image, NULL);
	return import;
}

/* A device with one queue of the family, as an application would make it. */
static VkResult
try_device(VkPhysicalDevice physical_device, uint32_t family, struct kr_adapter_report *report)
{
	static const char *const native_buffer = VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME;
	static const float priority = 1.0f;
	const struct kr_buffer_desc desc = {64, 64, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = 1,
		.ppEnabledExtensionNames = &native_buffer,
	};
	struct kr_buffer *buffer;
	VkDevice device;
	VkResult result;

	result = kr_adapter_CreateDevice(physical_device, &info, NULL, &device);
	if (result != VK_SUCCESS)
		return result;
	if (kr_buffer_allocate(&desc, &buffer)) {
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	} else {
		report->import = import_of(device, buffer);
		kr_buffer_unref(buffer);
	}
	kr_adapter_DestroyDevice(device, NULL);
	return result;
}

/*
 * The first family that can draw, or that can copy; -1 when there is none. *spare: it has a queue
 * that an application with one queue leaves.
 */
static VkResult
choose_family(const struct kr_adapter_gpu *gpu, int64_t *family, bool *spare)
{
	VkQueueFamilyProperties *families;
	uint32_t count;
	VkResult result;

	result = kr_adapter_get_families(gpu, gpu->instance->allocator, &count, &families);
	if (result != VK_SUCCESS)
		return result;
	*family = -1;
	for (uint32_t i = count; i--;) {
		if (kr_family_can_transfer(&families[i]) &&
			(*family < 0 || (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
			*family = i;
	}
	*spare = *family >= 0 && families[*family].queueCount > 1;
	kr_free(gpu->instance->allocator, families);
	return VK_SUCCESS;
}

const char *
kr_adapter_missing_command(VkInstance instance)
{
	const struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);

	for (size_t i = 0; i < KR_COMMAND_COUNT && state; i++) {
		const struct kr_command *command = &kr_commands[i];

		if (command->core_version == VK_API_VERSION_1_0 &&
			command->level != KR_LEVEL_GLOBAL &&
			!state->icd.get_instance_proc_addr(state->handle, command->name))
			return command->name;
	}
	return NULL;
}

VkResult
kr_adapter_inspect(
	VkInstance instance, VkPhysicalDevice physical_device, struct kr_adapter_report *report)
{
	struct kr_adapter_instance *state = kr_adapter_instance_from_handle(instance);
	struct kr_adapter_report found = {0};
	struct kr_adapter_gpu *gpu;
	struct kr_offered offered;
	int64_t family;
	VkResult result;

	if (!state)
		return VK_ERROR_INITIALIZATION_FAILED;
	result = kr_adapter_gpu_add(state, physical_device);
	if (result != VK_SUCCESS)
		return result;
	gpu = kr_adapter_gpu_from_handle(physical_device);
	result = kr_offered_device(state, physical_device, state->allocator, &offered);
	if (result != VK_SUCCESS)
		return result;
	found.dma_buf = kr_offered_has(&offered, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
	found.sync_fd_semaphore =
		kr_offered_has(&offered, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
		kr_adapter_has_sync_fd_semaphore(gpu);
	found.sync_fd_fence = kr_offered_has(&offered, VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME) &&
		kr_adapter_has_sync_fd_fence(gpu);
	kr_offered_finish(&offered);
	found.no_hardware_buffers = kr_adapter_why_no_hardware_buffers(gpu);
	result = choose_family(gpu, &family, &found.private_queue);
	if (result == VK_SUCCESS && family >= 0)
		result = try_device(physical_device, (uint32_t)family, &found);
	if (result == VK_SUCCESS)
		*report = found;
	return result;
}
