/* SPDX-License-Identifier: Apache-2.0 */
/* Images and VkBuffers whose memory will be a hardware buffer. */
#include "adapter/hardware_buffer/asked.h"
#include "adapter/hardware_buffer/external_format.h"
#include "adapter/hardware_buffer/hardware_buffer.h"

#include <krafla/hardware_buffer.h>
#include <stdio.h>
#include <string.h>

#include "adapter/export/memory.h"
#include "adapter/external.h"
#include "adapter/foreign.h"
#include "gpu/format.h"
#include "adapter/image.h"
#include "adapter/native.h"
#include "adapter/probe.h"
#include "chain/chain.h"
#include "util/alloc.h"
#include "util/log.h"

#define HARDWARE_BUFFER VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID
#define HOST            VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

static bool
is_ours(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO ||
		type == VK_STRUCTURE_TYPE_EXTERNAL_FORMAT_ANDROID;
}

static VkResult
refuse_format(const char *call, const char *what)
{
	(void)kr_ahb_refuse(call, what);
	return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

/*
 * Over a mapping: where the driver lays rows out as buffers have them. *made false: not so, and the
 * flaw says why.
 */
static VkResult
create_host(struct kr_adapter_device *device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, struct kr_ahb_flaw *flaw, VkImage *image,
	bool *made)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = info->pNext,
		.handleTypes = HOST,
	};
	VkImageCreateInfo linear = *info;
	const uint32_t buffer_format = kr_gpu_buffer_format(info->format);
	struct kr_buffer_info rows = {
		.desc = {info->extent.width, info->extent.height, 1, buffer_format, 0},
	};
	VkResult result;

	*made = false;
	snprintf(flaw->text, sizeof(flaw->text), "the driver has no such image in memory of CPUs");
	if (!device->host_alignment || !kr_adapter_image_lies_in_host_memory(device->gpu, info) ||
		kr_format_layout(buffer_format, info->extent.width, info->extent.height,
			&rows.row_bytes, &rows.size))
		return VK_SUCCESS;
	linear.tiling = VK_IMAGE_TILING_LINEAR;
	linear.pNext = &external;
	result = device->vk.CreateImage(device->handle, &linear, allocator, image);
	if (result != VK_SUCCESS)
		return result;
	*made = kr_ahb_rows_match(device, *image, info->format, &rows, flaw);
	if (*made)
		return VK_SUCCESS;
	device->vk.DestroyImage(device->handle, *image, allocator);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "vkCreateImage: not for buffers in memory of CPUs: %s",
		flaw->text);
	return VK_SUCCESS;
}

/* In memory that the driver exports, as whoever allocates such buffers makes the image. */
static VkResult
create_opaque(struct kr_adapter_device *device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, struct kr_ahb_object *object, VkImage *image)
{
	const struct kr_gpu *gpu = kr_adapter_external(device);
	VkImageCreateInfo canonical = *info;
	VkFormatProperties properties;
	struct kr_export_info export;

	device->gpu->instance->vk.GetPhysicalDeviceFormatProperties(
		device->gpu->handle, info->format, &properties);
	object->is.usage = kr_gpu_hardware_buffer_usage(properties.optimalTilingFeatures);
	object->is.flags = info->flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
	if (!gpu || (info->usage & ~object->is.usage) || info->flags != object->is.flags ||
		info->tiling != VK_IMAGE_TILING_OPTIMAL || !kr_gpu_image_possible(gpu, &object->is))
		return refuse_format("vkCreateImage",
			"this driver has no image of that format, usage, tiling and flags that can lie in an AHardwareBuffer");
	canonical.usage = object->is.usage;
	kr_export_info_init(gpu, &canonical, &export);
	export.external.handleTypes = kr_gpu_handle_types(gpu);
	return device->vk.CreateImage(device->handle, &export.create, allocator, image);
}

/* With the modifier and planes of the dma-buf that was asked about. */
static VkResult
create_dma_buf(struct kr_adapter_device *device, const VkImageCreateInfo *info,
	struct kr_gpu_memory *memory, const VkAllocationCallbacks *allocator,
	struct kr_ahb_object *object, VkImage *image)
{
	const struct kr_gpu *gpu = kr_adapter_external(device);
	const char *reason = "the driver imports no memory by descriptors";
	VkResult result = VK_ERROR_FORMAT_NOT_SUPPORTED;
	struct kr_gpu own;

	if (gpu) {
		own = *gpu;
		own.allocator = allocator;
		memory->format = (uint32_t)info->format;
		result = kr_gpu_dma_buf_image_create(
			&own, memory, info, image, &object->is, &reason);
	}
	if (result == VK_ERROR_FORMAT_NOT_SUPPORTED)
		return refuse_format("vkCreateImage", reason);
	object->way = KR_AHB_DMA_BUF;
	return result;
}

static struct kr_gpu_memory
description_of(const VkImageCreateInfo *info)
{
	return (struct kr_gpu_memory){
		.kind = KR_GPU_OPAQUE_FD,
		.format = (uint32_t)info->format,
		.width = info->extent.width,
		.height = info->extent.height,
		.flags = info->flags,
		.usage = info->usage,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.mip_levels = info->mipLevels,
		.array_layers = info->arrayLayers,
		.samples = 1,
		.layout = VK_IMAGE_LAYOUT_GENERAL,
	};
}

static uint64_t
usage_of(const VkImageCreateInfo *info)
{
	uint64_t usage = kr_adapter_hardware_buffer_usage(info->usage, info->flags);

	return info->mipLevels > 1 ? usage | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE : usage;
}

/* Where it is to lie, as far as it is known. */
enum place {
	PLACE_ANY,
	PLACE_ROWS,
	PLACE_OWN,
	PLACE_DMA_BUF,
};

static VkResult
choose_way(struct kr_adapter_device *device, const VkImageCreateInfo *info, enum place where,
	const VkAllocationCallbacks *allocator, struct kr_ahb_object *object, VkImage *image)
{
	VkImageCreateInfo in_rows = *info;
	struct kr_ahb_flaw flaw;
	bool made = false;
	VkResult result = VK_SUCCESS;
	struct kr_gpu_memory asked;

	if ((where == PLACE_ANY || where == PLACE_DMA_BUF) &&
		kr_ahb_asked_take_image(device, info, &asked))
		return create_dma_buf(device, info, &asked, allocator, object, image);
	if (where == PLACE_DMA_BUF)
		return refuse_format("vkCreateImage", KR_AHB_NOT_ASKED);
	/* Told so, cards read through their bus. */
	if (where == PLACE_ROWS)
		in_rows.tiling = VK_IMAGE_TILING_LINEAR;
	if (where != PLACE_OWN)
		result = create_host(device, &in_rows, allocator, &flaw, image, &made);
	if (result != VK_SUCCESS || made) {
		object->way = KR_AHB_HOST;
		return result;
	}
	if (where == PLACE_ROWS)
		return refuse_format("vkCreateImage", flaw.text);
	object->way = KR_AHB_OPAQUE;
	return create_opaque(device, info, allocator, object, image);
}

static VkResult
create(struct kr_adapter_device *device, const VkImageCreateInfo *info, enum place where,
	const VkAllocationCallbacks *allocator, struct kr_ahb_object *object, VkImage *image)
{
	if (kr_gpu_format_planes(info->format) > 1 &&
		(info->extent.width % 2 || info->extent.height % 2))
		return refuse_format("vkCreateImage", KR_AHB_ODD);
	if (kr_gpu_format_needs_conversion(info->format) &&
		(info->usage & VK_IMAGE_USAGE_SAMPLED_BIT) && !device->hardware_buffers.conversions)
		return refuse_format(
			"vkCreateImage", kr_external_format_why_no_conversions(device));
	if (info->imageType != VK_IMAGE_TYPE_2D || info->samples != VK_SAMPLE_COUNT_1_BIT)
		return refuse_format(
			"vkCreateImage", "images of AHardwareBuffers are 2D, with one sample");
	object->is = description_of(info);
	object->buffer_format = kr_gpu_buffer_format(info->format);
	if (!object->buffer_format)
		return refuse_format("vkCreateImage", "no AHardwareBuffer has the image's format");
	object->buffer_usage = usage_of(info);
	return choose_way(device, info, where, allocator, object, image);
}

static struct kr_ahb_object *
new_object(const struct kr_adapter_device *device, bool is_image)
{
	struct kr_ahb_object *object = kr_object_alloc(
		device->allocator, sizeof(*object), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (object)
		object->is_image = is_image;
	return object;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_CreateImage(VkDevice device, const VkImageCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	const VkExternalMemoryImageCreateInfo *external = kr_chain_find(
		pCreateInfo->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
	const uint64_t external_format = kr_external_format_find(pCreateInfo->pNext);
	VkImageCreateInfo info = *pCreateInfo;
	struct kr_ahb_object *object;
	enum kr_ahb_way way = KR_AHB_OPAQUE;
	struct kr_arena arena;
	VkResult result;

	if (state->hardware_buffers.enabled && external_format &&
		(!external || external->handleTypes != HARDWARE_BUFFER ||
			!kr_external_format_from_number(external_format, &info.format, &way)))
		return refuse_format(
			"vkCreateImage", "that is no external format of an AHardwareBuffer");
	if (!state->hardware_buffers.enabled || !external ||
		!(external->handleTypes & HARDWARE_BUFFER))
		return kr_adapter_CreateImage(device, pCreateInfo, pAllocator, pImage);
	if (external->handleTypes != HARDWARE_BUFFER)
		return refuse_format("vkCreateImage",
			"an AHardwareBuffer is compatible with no other kind of memory");
	object = new_object(state, true);
	if (!object)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_arena_init(&arena, state->allocator);
	result = kr_chain_strip(&arena, info.pNext, is_ours, "vkCreateImage", &info.pNext);
	if (result == VK_SUCCESS)
		result = create(state, &info,
			!external_format                ? PLACE_ANY
				: way == KR_AHB_HOST    ? PLACE_ROWS
				: way == KR_AHB_DMA_BUF ? PLACE_DMA_BUF
							: PLACE_OWN,
			pAllocator, object, pImage);
	kr_arena_finish(&arena);
	if (result != VK_SUCCESS) {
		kr_object_free(object);
		return result;
	}
	object->handle = (uint64_t)(uintptr_t)*pImage;
	object->external_format = external_format;
	kr_ahb_object_add(state, object);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
kr_ahb_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	kr_object_free(kr_ahb_object_take(state, true, (uint64_t)(uintptr_t)image));
	kr_adapter_DestroyImage(device, image, pAllocator);
}

static enum kr_ahb_way
way_of_buffer(struct kr_adapter_device *device, const VkBufferCreateInfo *info)
{
	struct kr_gpu_memory asked;

	if (kr_ahb_asked_take_buffer(device, info, &asked))
		return KR_AHB_DMA_BUF;
	return kr_adapter_blobs_in_host_memory(device->gpu) ? KR_AHB_HOST : KR_AHB_OPAQUE;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_ahb_CreateBuffer(VkDevice device, const VkBufferCreateInfo *pCreateInfo,
	const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	const VkExternalMemoryBufferCreateInfo *external = kr_chain_find(
		pCreateInfo->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
	VkExternalMemoryBufferCreateInfo *changed;
	VkBufferCreateInfo info = *pCreateInfo;
	struct kr_ahb_object *object;
	struct kr_arena arena;
	VkResult result;

	if (!external || !(external->handleTypes & HARDWARE_BUFFER))
		return state->vk.CreateBuffer(device, pCreateInfo, pAllocator, pBuffer);
	object = new_object(state, false);
	if (!object)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_arena_init(&arena, state->allocator);
	result = kr_chain_copy_until(&arena, info.pNext,
		VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, "vkCreateBuffer", &info.pNext,
		(void **)&changed);
	if (result == VK_SUCCESS) {
		object->way = way_of_buffer(state, &info);
		changed->handleTypes = object->way == KR_AHB_HOST ? HOST
			: object->way == KR_AHB_DMA_BUF
			? VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
			: VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
		result = state->vk.CreateBuffer(device, &info, pAllocator, pBuffer);
	}
	kr_arena_finish(&arena);
	if (result != VK_SUCCESS) {
		kr_object_free(object);
		return result;
	}
	object->handle = (uint64_t)(uintptr_t)*pBuffer;
	object->size = info.size;
	object->is.usage = info.usage;
	kr_ahb_object_add(state, object);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
kr_ahb_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *pAllocator)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);

	kr_object_free(kr_ahb_object_take(state, false, (uint64_t)(uintptr_t)buffer));
	state->vk.DestroyBuffer(device, buffer, pAllocator);
}
