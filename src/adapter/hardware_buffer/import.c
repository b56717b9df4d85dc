/* SPDX-License-Identifier: Apache-2.0 */
/* vkAllocateMemory with VkImportAndroidHardwareBufferInfoANDROID. */
#include "adapter/hardware_buffer/hardware_buffer.h"

#include <krafla/hardware_buffer.h>
#include <stdio.h>

#include "adapter/external.h"
#include "gpu/format.h"
#include "chain/chain.h"

#define CALL "vkAllocateMemory"

const struct kr_ahb_object *
kr_ahb_dedicated(struct kr_adapter_device *device, const VkMemoryAllocateInfo *info)
{
	const VkMemoryDedicatedAllocateInfo *dedicated =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);

	if (dedicated && dedicated->image)
		return kr_ahb_object_find(device, true, (uint64_t)(uintptr_t)dedicated->image);
	if (dedicated && dedicated->buffer)
		return kr_ahb_object_find(device, false, (uint64_t)(uintptr_t)dedicated->buffer);
	return NULL;
}

/* The buffer's mapping as memory of the ICD's. */
uint32_t
kr_ahb_host_types(struct kr_adapter_device *device, struct kr_buffer *buffer)
{
	VkMemoryHostPointerPropertiesEXT pointer = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	uint32_t coherent = 0;
	void *pixels;

	if (!device->host_alignment || kr_buffer_map(buffer, &pixels) ||
		(uintptr_t)pixels % device->host_alignment || info->size % device->host_alignment ||
		device->vk.GetMemoryHostPointerPropertiesEXT(device->handle,
			VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pixels,
			&pointer) != VK_SUCCESS)
		return 0;
	/* Others have mappings of their own: nobody would flush for them. */
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		if (device->memory.memoryTypes[i].propertyFlags &
			VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
			coherent |= 1u << i;
	}
	return pointer.memoryTypeBits & coherent;
}

VkResult
kr_ahb_import_host(struct kr_adapter_device *device, struct kr_buffer *buffer, uint32_t type,
	const void *chain, const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
	VkImportMemoryHostPointerInfoEXT import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.pNext = chain,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &import,
		.allocationSize = kr_buffer_get_info(buffer)->size,
		.memoryTypeIndex = type,
	};

	if (!(kr_ahb_host_types(device, buffer) >> type & 1))
		return kr_ahb_refuse(
			CALL, "the driver can't import the buffer's memory as memory of that type");
	if (kr_buffer_map(buffer, &import.pHostPointer))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	return device->vk.AllocateMemory(device->handle, &info, allocator, memory);
}

static VkResult
refuse_size(const struct kr_ahb_object *image, const struct kr_buffer_info *info)
{
	char what[160];

	snprintf(what, sizeof(what),
		"the image is %ux%u with %u layers, the buffer %ux%u with %u: they have to be the same",
		image->is.width, image->is.height, image->is.array_layers, info->desc.width,
		info->desc.height, info->desc.layers);
	return kr_ahb_refuse(CALL, what);
}

static VkResult
check_image(const struct kr_ahb_object *image, const struct kr_buffer_info *info)
{
	if (info->desc.format == AHARDWAREBUFFER_FORMAT_BLOB)
		return kr_ahb_refuse(CALL, "a buffer of format BLOB can't be an image");
	if (image->is.width != info->desc.width || image->is.height != info->desc.height ||
		image->is.array_layers != info->desc.layers)
		return refuse_size(image, info);
	if (image->way == KR_AHB_OPAQUE && info->gpu
			? info->gpu->format != image->is.format
			: !kr_gpu_format_matches((VkFormat)image->is.format, info->desc.format))
		return kr_ahb_refuse(CALL, "image and buffer have different formats");
	return VK_SUCCESS;
}

/* What the driver has to be told again as it was told at the other end. */
static const char *
difference(const struct kr_gpu_memory *a, const struct kr_gpu_memory *b)
{
	if (a->mip_levels != b->mip_levels)
		return "image and buffer have different numbers of mip levels";
	if (a->flags != b->flags)
		return "the image has other flags than those that the buffer was made with";
	if (a->usage != b->usage)
		return "the image has another usage than the one that the buffer was made with";
	if (a->tiling != b->tiling)
		return "the image has another tiling than the one that the buffer was made with";
	return a->view_format_count == b->view_format_count
		? NULL
		: "the image's views have other formats than those that the buffer was made with";
}

/* Memory of this driver's, which another process or device of ours has exported. */
static VkResult
import_opaque(struct kr_adapter_device *device, const struct kr_ahb_object *object,
	const struct kr_buffer_info *info, const VkAllocationCallbacks *allocator,
	struct kr_gpu_image *imported)
{
	const struct kr_gpu *gpu = kr_adapter_external(device);
	const char *reason = "the driver imports no memory by descriptors";
	struct kr_gpu own;
	VkResult result;

	if (info->gpu->kind != KR_GPU_OPAQUE_FD)
		return kr_ahb_refuse(CALL, KR_AHB_NOT_ASKED);
	if (!gpu)
		return kr_ahb_refuse(CALL, reason);
	if (object && object->is_image && difference(&object->is, info->gpu))
		return kr_ahb_refuse(CALL, difference(&object->is, info->gpu));
	if (object && object->is_image)
		imported->image = (VkImage)(uintptr_t)object->handle;
	else if (object)
		imported->buffer = (VkBuffer)(uintptr_t)object->handle;
	own = *gpu;
	own.allocator = allocator;
	reason = "the driver refuses its memory";
	result = kr_gpu_memory_import(&own, info->gpu, info->gpu_fd, imported, &reason);
	if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
		return kr_ahb_refuse(CALL, reason);
	return result;
}

/* What the image was made with, and is another one's. */
static const char *
other_dma_buf(const struct kr_gpu_memory *image, const struct kr_gpu_memory *buffer)
{
	if (image->modifier != buffer->modifier)
		return "the image was made for a dma-buf with another modifier";
	if (image->plane_count != buffer->plane_count)
		return "the image was made for a dma-buf with another number of planes";
	for (uint32_t i = 0; i < image->plane_count; i++) {
		if (image->planes[i].offset != buffer->planes[i].offset ||
			image->planes[i].row_bytes != buffer->planes[i].row_bytes)
			return "the image was made for a dma-buf whose rows or planes lie elsewhere";
	}
	return NULL;
}

/* Memory that somebody else made; `object` NULL: for whichever VkBuffer. */
static VkResult
import_dma_buf(struct kr_adapter_device *device, const struct kr_ahb_object *object,
	const struct kr_buffer_info *info, const VkAllocationCallbacks *allocator,
	struct kr_gpu_image *imported)
{
	const struct kr_gpu *gpu = kr_adapter_external(device);
	const char *reason = "the driver refuses its memory";
	struct kr_gpu_memory memory = *info->gpu;
	struct kr_gpu own;
	VkResult result;

	if (!gpu)
		return kr_ahb_refuse(CALL, "the driver imports no memory by descriptors");
	if (object && object->way != KR_AHB_DMA_BUF)
		return kr_ahb_refuse(CALL, KR_AHB_NOT_ASKED);
	own = *gpu;
	own.allocator = allocator;
	if (!object) {
		result = kr_gpu_image_import(&own, &memory, info->gpu_fd, imported, &reason);
	} else {
		memory.usage = object->is.usage;
		memory.flags = object->is.flags;
		if (object->is_image) {
			memory.format = object->is.format;
			memory.tiling = object->is.tiling;
			memory.view_format_count = 0;
			imported->image = (VkImage)(uintptr_t)object->handle;
		} else {
			imported->buffer = (VkBuffer)(uintptr_t)object->handle;
		}
		result = kr_gpu_memory_import(&own, &memory, info->gpu_fd, imported, &reason);
	}
	if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
		return kr_ahb_refuse(CALL, reason);
	return result;
}

static VkResult
import_image(struct kr_adapter_device *device, const struct kr_ahb_object *image,
	struct kr_buffer *buffer, const VkMemoryAllocateInfo *allocate, const void *chain,
	const VkAllocationCallbacks *allocator, struct kr_gpu_image *imported)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	VkResult result = check_image(image, info);
	struct kr_ahb_flaw flaw;

	if (result != VK_SUCCESS)
		return result;
	if (image->way == KR_AHB_DMA_BUF) {
		if (!info->gpu || info->gpu->kind != KR_GPU_DMA_BUF)
			return kr_ahb_refuse(
				CALL, "the image was made for a dma-buf, and the buffer is none");
		if (other_dma_buf(&image->is, info->gpu))
			return kr_ahb_refuse(CALL, other_dma_buf(&image->is, info->gpu));
		return import_dma_buf(device, image, info, allocator, imported);
	}
	if (image->way == KR_AHB_OPAQUE && !info->gpu)
		return kr_ahb_refuse(CALL,
			"the driver has the image in memory of its own, and the buffer is in memory of CPUs: allocate it with KRAFLA_BUFFERS=gpu, or make the image with VK_IMAGE_TILING_LINEAR");
	if (image->way == KR_AHB_OPAQUE)
		return import_opaque(device, image, info, allocator, imported);
	if (info->backend == KR_BUFFER_GPU)
		return kr_ahb_refuse(CALL,
			info->gpu->kind == KR_GPU_DMA_BUF
				? KR_AHB_NOT_ASKED
				: "the image lies in memory of CPUs, and the buffer is in memory of a GPU");
	if (!kr_ahb_rows_match(device, (VkImage)(uintptr_t)image->handle,
		    (VkFormat)image->is.format, info, &flaw))
		return kr_ahb_refuse(CALL, flaw.text);
	return kr_ahb_import_host(
		device, buffer, allocate->memoryTypeIndex, chain, allocator, &imported->memory);
}

/* Memory for whichever VkBuffer: one of our own stands for it, as its maker's was, and goes. */
static VkResult
import_opaque_blob(struct kr_adapter_device *device, const struct kr_ahb_object *object,
	const struct kr_buffer_info *info, const VkAllocationCallbacks *allocator,
	struct kr_gpu_image *imported)
{
	const struct kr_gpu *gpu = kr_adapter_external(device);
	const char *reason = "the driver refuses its memory";
	struct kr_gpu own;
	VkResult result;

	if (info->gpu->kind == KR_GPU_DMA_BUF) {
		result = import_dma_buf(device, object, info, allocator, imported);
		if (result != VK_SUCCESS || object)
			return result;
		device->vk.DestroyBuffer(device->handle, imported->buffer, allocator);
		imported->buffer = VK_NULL_HANDLE;
		return VK_SUCCESS;
	}
	if (gpu && info->gpu->dedicated && !object)
		return kr_ahb_refuse(CALL,
			"this memory is one VkBuffer's alone: name it by VkMemoryDedicatedAllocateInfo");
	if (!gpu || info->gpu->dedicated)
		return import_opaque(device, object, info, allocator, imported);
	own = *gpu;
	own.allocator = allocator;
	result = kr_gpu_image_import(&own, info->gpu, info->gpu_fd, imported, &reason);
	if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
		return kr_ahb_refuse(CALL, reason);
	if (result != VK_SUCCESS)
		return result;
	device->vk.DestroyBuffer(device->handle, imported->buffer, allocator);
	imported->buffer = VK_NULL_HANDLE;
	return VK_SUCCESS;
}

static VkResult
import_blob(struct kr_adapter_device *device, const struct kr_ahb_object *object,
	struct kr_buffer *buffer, const VkMemoryAllocateInfo *allocate, const void *chain,
	const VkAllocationCallbacks *allocator, struct kr_gpu_image *imported)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);

	if (info->desc.format != AHARDWAREBUFFER_FORMAT_BLOB)
		return kr_ahb_refuse(CALL,
			"a buffer that isn't of format BLOB is imported for an image, by VkMemoryDedicatedAllocateInfo");
	if (object && object->size > info->desc.width)
		return kr_ahb_refuse(CALL, "the VkBuffer is larger than the buffer");
	if (info->backend == KR_BUFFER_GPU)
		return import_opaque_blob(device, object, info, allocator, imported);
	return kr_ahb_import_host(
		device, buffer, allocate->memoryTypeIndex, chain, allocator, &imported->memory);
}

static bool
is_ours(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID ||
		type == VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO ||
		type == VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
}

VkResult
kr_ahb_import(struct kr_adapter_device *device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
	struct kr_ahb_memory *record)
{
	const VkImportAndroidHardwareBufferInfoANDROID *import = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID);
	const struct kr_ahb_object *object = kr_ahb_dedicated(device, info);
	ANativeWindowBuffer *native = (ANativeWindowBuffer *)(void *)import->buffer;
	struct kr_buffer *buffer;
	struct kr_arena arena;
	const void *chain;
	VkResult result;

	if (kr_buffer_from_any(native, &buffer))
		return kr_ahb_refuse(CALL, "this is no AHardwareBuffer of Krafla's");
	if (kr_buffer_is_of_cpus_alone(kr_buffer_get_info(buffer))) {
		kr_buffer_unref(buffer);
		return kr_ahb_refuse(CALL, KR_AHB_OF_CPUS_ALONE);
	}
	kr_arena_init(&arena, device->allocator);
	result = kr_chain_strip(&arena, info->pNext, is_ours, CALL, &chain);
	if (result == VK_SUCCESS && object && object->is_image)
		result = import_image(
			device, object, buffer, info, chain, allocator, &record->imported);
	else if (result == VK_SUCCESS)
		result = import_blob(
			device, object, buffer, info, chain, allocator, &record->imported);
	kr_arena_finish(&arena);
	if (result != VK_SUCCESS) {
		kr_buffer_unref(buffer);
		return result;
	}
	native->common.incRef(&native->common);
	record->buffer = native;
	record->mapped = buffer;
	*memory = record->imported.memory;
	return VK_SUCCESS;
}
