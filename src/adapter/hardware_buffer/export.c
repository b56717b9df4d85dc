/* SPDX-License-Identifier: Apache-2.0 */
/* vkAllocateMemory with VkExportMemoryAllocateInfo: a hardware buffer is made. */
#include "adapter/hardware_buffer/hardware_buffer.h"

#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <string.h>

#include "adapter/export/memory.h"
#include "adapter/external.h"
#include "chain/chain.h"
#include "util/fd.h"

#define CALL "vkAllocateMemory"

static bool
is_ours(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO ||
		type == VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
}

static VkResult
result_of(int err)
{
	if (err == -EMFILE || err == -ENFILE)
		return VK_ERROR_TOO_MANY_OBJECTS;
	if (err == -ENOMEM)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return kr_ahb_refuse(CALL, "no buffer can be had for what is exported");
}

/* What the buffer is for, for who gets it. */
static struct kr_buffer_desc
describe(const struct kr_ahb_object *object, uint64_t blob_size)
{
	if (object && object->is_image)
		return (struct kr_buffer_desc){
			.width = object->is.width,
			.height = object->is.height,
			.layers = object->is.array_layers,
			.format = object->buffer_format,
			.usage = object->buffer_usage,
		};
	return (struct kr_buffer_desc){
		.width = (uint32_t)blob_size,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER,
	};
}

/* CPUs have the memory, too, and may be told so. */
static VkResult
export_host(struct kr_adapter_device *device, struct kr_buffer_desc *desc, uint32_t type,
	const void *chain, const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
	struct kr_buffer **buffer)
{
	struct kr_buffer *made;
	VkResult result;
	int err;

	desc->usage |= AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
	err = kr_buffer_allocate(desc, &made);
	if (err)
		return result_of(err);
	result = kr_ahb_import_host(device, made, type, chain, allocator, memory);
	if (result == VK_SUCCESS)
		*buffer = made;
	else
		kr_buffer_unref(made);
	return result;
}

static VkResult
export_image(struct kr_adapter_device *device, const struct kr_ahb_object *image,
	const struct kr_buffer_desc *desc, const VkAllocationCallbacks *allocator,
	VkDeviceMemory *memory, struct kr_buffer **buffer)
{
	const struct kr_gpu *gpu = kr_adapter_external(device);
	struct kr_gpu_memory description = image->is;
	const char *reason = "nobody could import the driver's memory";
	struct kr_gpu own;
	VkResult result;
	int fd, err;

	if (!gpu)
		return kr_ahb_refuse(CALL, "the driver exports no memory");
	memcpy(description.device_uuid, gpu->device_uuid, sizeof(gpu->device_uuid));
	memcpy(description.driver_uuid, gpu->driver_uuid, sizeof(gpu->driver_uuid));
	own = *gpu;
	own.allocator = allocator;
	result = kr_export_memory_allocate(
		&own, (VkImage)(uintptr_t)image->handle, &description, memory);
	if (result != VK_SUCCESS)
		return result;
	result = kr_gpu_image_export(
		gpu, &(struct kr_gpu_image){.memory = *memory, .description = description}, &fd);
	/* SwiftShader's memory isn't sealed: the buffer would be one that nobody takes. */
	if (result == VK_SUCCESS && kr_gpu_memory_check(gpu, &description, fd, &reason)) {
		kr_fd_close(&fd);
		result = kr_ahb_refuse(CALL, reason);
	}
	if (result == VK_SUCCESS) {
		err = kr_buffer_from_gpu(desc, &description, fd, buffer);
		result = err ? result_of(err) : VK_SUCCESS;
	}
	if (result != VK_SUCCESS)
		device->vk.FreeMemory(device->handle, *memory, allocator);
	return result;
}

VkResult
kr_ahb_export(struct kr_adapter_device *device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
	struct kr_ahb_memory *record)
{
	const struct kr_ahb_object *object = kr_ahb_dedicated(device, info);
	bool is_image = object && object->is_image;
	VkDeviceSize blob = KR_MAX(object && !is_image ? object->size : 0, info->allocationSize);
	struct kr_buffer_desc desc;
	struct kr_buffer *buffer;
	struct kr_arena arena;
	const void *chain;
	VkResult result;
	int err;

	if (object && object->way == KR_AHB_DMA_BUF)
		return kr_ahb_refuse(CALL,
			"it was made for a dma-buf that exists: no new buffer can be behind it");
	if (!is_image && (!blob || blob > INT32_MAX))
		return kr_ahb_refuse(CALL, "no buffer has that many bytes");
	desc = describe(object, blob);
	if (is_image && object->way == KR_AHB_OPAQUE) {
		result = export_image(device, object, &desc, allocator, memory, &buffer);
	} else {
		kr_arena_init(&arena, device->allocator);
		result = kr_chain_strip(&arena, info->pNext, is_ours, CALL, &chain);
		if (result == VK_SUCCESS)
			result = export_host(device, &desc, info->memoryTypeIndex, chain, allocator,
				memory, &buffer);
		kr_arena_finish(&arena);
	}
	if (result != VK_SUCCESS)
		return result;
	err = kr_buffer_hand_out(buffer, &record->buffer);
	if (!err) {
		record->mapped = buffer;
		return VK_SUCCESS;
	}
	device->vk.FreeMemory(device->handle, *memory, allocator);
	kr_buffer_unref(buffer);
	return result_of(err);
}
