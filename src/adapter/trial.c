/* SPDX-License-Identifier: Apache-2.0 */
/* Running trials. */
#include "adapter/trial.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_buffer.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "adapter/queue_plan.h"
#include "util/alloc.h"
#include "util/clock.h"

static VKAPI_ATTR void *VKAPI_CALL
allocate(void *data, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	void *memory;

	return posix_memalign(&memory, KR_MAX(alignment, sizeof(void *)), size) ? NULL : memory;
}

static VKAPI_ATTR void VKAPI_CALL
deallocate(void *data, void *memory)
{
	free(memory);
}

static VKAPI_ATTR void *VKAPI_CALL
reallocate(void *data, void *old, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
	void *memory = size ? allocate(data, size, alignment, scope) : NULL;

	if (old && memory)
		memcpy(memory, old, KR_MIN(size, malloc_usable_size(old)));
	if (memory || !size)
		free(old);
	return memory;
}

/*
 * The trial's device is no object of the application, so its callbacks, which a driver falls back
 * on, aren't used: they might fail where lavapipe 22.3 doesn't look, while it records commands.
 */
static const VkAllocationCallbacks *
own_memory(const struct kr_adapter_gpu *gpu)
{
	static const VkAllocationCallbacks callbacks = {
		.pfnAllocation = allocate,
		.pfnReallocation = reallocate,
		.pfnFree = deallocate,
	};

	return gpu->instance->allocator ? &callbacks : NULL;
}

static VkResult
record(struct kr_trial *trial)
{
	const struct kr_adapter_device *device = trial->device;
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->queues[0].family,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
	};
	const VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};
	VkResult result;

	result = device->vk.CreateCommandPool(
		device->handle, &pool, device->allocator, &trial->pool);
	if (result != VK_SUCCESS)
		return result;
	info.commandPool = trial->pool;
	result = device->vk.AllocateCommandBuffers(device->handle, &info, &trial->commands);
	if (result == VK_SUCCESS)
		result = device->vk.BeginCommandBuffer(trial->commands, &begin);
	if (result != VK_SUCCESS)
		return result;
	trial->kind->record(trial, trial->commands);
	device->vk.CmdPipelineBarrier(trial->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	return device->vk.EndCommandBuffer(trial->commands);
}

static VkResult
submit(struct kr_trial *trial)
{
	const struct kr_adapter_device *device = trial->device;
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &trial->commands,
	};
	VkResult result = record(trial);

	if (result == VK_SUCCESS)
		result = device->vk.CreateFence(
			device->handle, &fence, device->allocator, &trial->fence);
	if (result == VK_SUCCESS)
		result = device->vk.QueueSubmit(device->queues[0].handle, 1, &info, trial->fence);
	if (result != VK_SUCCESS)
		return result;
	result = device->vk.WaitForFences(
		device->handle, 1, &trial->fence, VK_TRUE, KR_NSEC_PER_SEC);
	trial->pending = result == VK_TIMEOUT;
	return result;
}

/* Seen through a mapping of its own, as another process would. */
static bool
arrived(const struct kr_trial *trial)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(trial->image.buffer);
	const size_t row = info->row_bytes / sizeof(uint32_t);
	uint32_t *pixels = mmap(NULL, info->size, PROT_READ, MAP_SHARED, info->fd, 0);
	bool right = true;

	if (pixels == MAP_FAILED)
		return false;
	for (uint32_t y = 0; y < KR_TRIAL_SIDE; y++) {
		for (uint32_t x = 0; x < KR_TRIAL_SIDE; x++)
			right &= pixels[y * row + x] == trial->kind->expected(x, y);
	}
	munmap(pixels, info->size);
	return right;
}

/* A device with one queue that can copy, and draw if any can. */
static bool
open_device(const struct kr_adapter_gpu *gpu, VkDevice *handle)
{
	static const char *const native_buffer = VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME;
	static const float priority = 1.0f;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
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
	const VkAllocationCallbacks *allocator = own_memory(gpu);
	VkQueueFamilyProperties *families;
	uint32_t count, best;

	if (kr_adapter_get_families(gpu, allocator, &count, &families) != VK_SUCCESS)
		return false;
	best = count;
	for (uint32_t i = count; i--;) {
		if (kr_family_can_transfer(&families[i]) &&
			(best == count || (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
			best = i;
	}
	kr_free(allocator, families);
	queue.queueFamilyIndex = best;
	return best < count &&
		kr_adapter_CreateDevice(gpu->handle, &info, allocator, handle) == VK_SUCCESS;
}

static bool
try_on(struct kr_trial *trial)
{
	struct kr_adapter_device *device = trial->device;
	bool works;

	works = device->queue_count && device->host_alignment &&
		!kr_buffer_map(trial->image.buffer, &trial->image.pixels) &&
		trial->kind->prepare(trial) == VK_SUCCESS && submit(trial) == VK_SUCCESS &&
		arrived(trial);
	if (trial->pending)
		return false;
	device->vk.DestroyFence(device->handle, trial->fence, device->allocator);
	if (trial->commands)
		device->vk.FreeCommandBuffers(device->handle, trial->pool, 1, &trial->commands);
	device->vk.DestroyCommandPool(device->handle, trial->pool, device->allocator);
	trial->kind->finish(trial);
	return works;
}

/* What a driver doesn't end within a second is left to it, and its memory with it. */
void
kr_trial_barrier(const struct kr_trial *trial, VkCommandBuffer commands, VkImageLayout from_layout,
	VkImageLayout to_layout, uint32_t from_family, uint32_t to_family)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from_layout,
		.newLayout = to_layout,
		.srcQueueFamilyIndex = from_family,
		.dstQueueFamilyIndex = to_family,
		.image = trial->image.handle,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	trial->device->vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

bool
kr_trial_run(const struct kr_adapter_gpu *gpu, const struct kr_trial_kind *kind)
{
	const struct kr_buffer_desc desc = {KR_TRIAL_SIDE, KR_TRIAL_SIDE, 1,
		AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	struct kr_trial trial = {
		.kind = kind,
		.image = {.format = VK_FORMAT_R8G8B8A8_UNORM,
			.extent = {KR_TRIAL_SIDE, KR_TRIAL_SIDE}},
	};
	struct kr_buffer *buffer;
	VkDevice handle;
	bool works;

	if (!open_device(gpu, &handle))
		return false;
	trial.device = kr_adapter_device_from_handle(handle);
	if (kr_buffer_allocate(&desc, &buffer)) {
		kr_adapter_DestroyDevice(handle, own_memory(gpu));
		return false;
	}
	trial.image.buffer = buffer;
	works = try_on(&trial);
	if (trial.pending)
		return false;
	kr_buffer_unref(buffer);
	kr_adapter_DestroyDevice(handle, own_memory(gpu));
	return works;
}

VkImageCreateInfo
kr_trial_image_info(VkImageUsageFlags usage)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {KR_TRIAL_SIDE, KR_TRIAL_SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = usage,
	};
}

VkResult
kr_trial_image_create(struct kr_trial *trial, VkImageUsageFlags usage)
{
	const VkImageCreateInfo info = kr_trial_image_info(usage);
	uint32_t row_bytes = kr_buffer_get_info(trial->image.buffer)->row_bytes;
	VkResult result;
	bool made;

	result = kr_host_image_create(trial->device, &trial->image, &info, row_bytes, &made);
	if (result != VK_SUCCESS)
		return result;
	return made ? kr_host_image_bind(trial->device, &trial->image)
		    : VK_ERROR_FORMAT_NOT_SUPPORTED;
}
