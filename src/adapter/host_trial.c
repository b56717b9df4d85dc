/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying whether a VkBuffer over a buffer's mapping gets what the GPU writes.
 *
 * The rule is to ask feature bits. But SwiftShader, which offers VK_EXT_external_memory_host and
 * imports well, answers nothing at all about its handle type: neither features nor that the type is
 * compatible with itself, which the specification demands of whoever knows it. Such an ICD has not
 * said no. So it is asked by doing it, once for the physical device, and on a device of our own: no
 * queue of the application is touched, and nobody has to wait for what it has submitted.
 */
#include "adapter/image.h"

#include <krafla/hardware_buffer.h>
#include <krafla/native_buffer.h>
#include <sys/mman.h>

#include "adapter/probe.h"
#include "adapter/queue_plan.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

#define PATTERN UINT32_C(0x9E3779B9)
#define SIDE    64 /* of the picture: 16 KiB */

struct trial {
	struct kr_adapter_device *device;
	struct kr_adapter_image image; /* only what an import looks at */
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
	bool pending; /* the driver may still be at it: nothing may be freed */
};

static VkResult
record(struct trial *trial)
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
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
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
	device->vk.CmdFillBuffer(trial->commands, trial->image.staging, 0, VK_WHOLE_SIZE, PATTERN);
	device->vk.CmdPipelineBarrier(trial->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	return device->vk.EndCommandBuffer(trial->commands);
}

static VkResult
fill(struct trial *trial)
{
	const struct kr_adapter_device *device = trial->device;
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &trial->commands,
	};
	VkResult result = record(trial);

	if (result == VK_SUCCESS)
		result = device->vk.CreateFence(
			device->handle, &fence, device->allocator, &trial->fence);
	if (result == VK_SUCCESS)
		result = device->vk.QueueSubmit(device->queues[0].handle, 1, &submit, trial->fence);
	if (result != VK_SUCCESS)
		return result;
	result = device->vk.WaitForFences(
		device->handle, 1, &trial->fence, VK_TRUE, KR_NSEC_PER_SEC);
	trial->pending = result == VK_TIMEOUT;
	return result;
}

/* Seen through a mapping of its own, as another process would. */
static bool
arrived(const struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	const size_t words = (size_t)info->row_bytes * SIDE / sizeof(uint32_t);
	uint32_t *pixels = mmap(NULL, info->size, PROT_READ, MAP_SHARED, info->fd, 0);
	size_t right = 0;

	if (pixels == MAP_FAILED)
		return false;
	while (right < words && pixels[right] == PATTERN)
		right++;
	munmap(pixels, info->size);
	return right == words;
}

/* A device with one queue that can copy. */
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
	const VkAllocationCallbacks *allocator = gpu->instance->allocator;
	VkQueueFamilyProperties *families;
	uint32_t count;

	if (kr_adapter_get_families(gpu, allocator, &count, &families) != VK_SUCCESS)
		return false;
	while (queue.queueFamilyIndex < count &&
		!kr_family_can_transfer(&families[queue.queueFamilyIndex]))
		queue.queueFamilyIndex++;
	kr_free(allocator, families);
	return queue.queueFamilyIndex < count &&
		kr_adapter_CreateDevice(gpu->handle, &info, allocator, handle) == VK_SUCCESS;
}

static bool
try_on(struct trial *trial, struct kr_buffer *buffer)
{
	struct kr_adapter_device *device = trial->device;
	bool works;

	trial->image = (struct kr_adapter_image){.buffer = buffer, .extent = {SIDE, SIDE}};
	works = device->queue_count && device->host_alignment &&
		!kr_buffer_map(buffer, &trial->image.pixels) &&
		kr_host_buffer_create(device, &trial->image) == VK_SUCCESS &&
		fill(trial) == VK_SUCCESS && arrived(buffer);
	if (trial->pending)
		return false;
	device->vk.DestroyFence(device->handle, trial->fence, device->allocator);
	if (trial->commands)
		device->vk.FreeCommandBuffers(device->handle, trial->pool, 1, &trial->commands);
	device->vk.DestroyCommandPool(device->handle, trial->pool, device->allocator);
	kr_staging_destroy(device, &trial->image);
	return works;
}

/* What a driver doesn't end within a second is left to it, and its memory with it. */
static bool
try_gpu(const struct kr_adapter_gpu *gpu)
{
	const struct kr_buffer_desc desc = {SIDE, SIDE, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	struct trial trial = {0};
	struct kr_buffer *buffer;
	VkDevice handle;
	bool works;

	if (!open_device(gpu, &handle))
		return false;
	trial.device = kr_adapter_device_from_handle(handle);
	if (kr_buffer_allocate(&desc, &buffer)) {
		kr_adapter_DestroyDevice(handle, gpu->instance->allocator);
		return false;
	}
	works = try_on(&trial, buffer);
	if (trial.pending)
		return false;
	kr_buffer_unref(buffer);
	kr_adapter_DestroyDevice(handle, gpu->instance->allocator);
	return works;
}

bool
kr_host_buffer_proven(struct kr_adapter_gpu *gpu)
{
	int known = atomic_load(&gpu->host_buffer);

	if (known == KR_HOST_IMPORT_UNKNOWN) {
		known = try_gpu(gpu) ? KR_HOST_IMPORT_WORKS : KR_HOST_IMPORT_REFUSED;
		atomic_store(&gpu->host_buffer, known);
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"%s: doesn't say whether a buffer's memory can be imported; tried: %s",
			gpu->instance->icd.name,
			known == KR_HOST_IMPORT_WORKS ? "it can" : "it can't");
	}
	return known == KR_HOST_IMPORT_WORKS;
}
