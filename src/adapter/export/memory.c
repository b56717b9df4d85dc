/* SPDX-License-Identifier: Apache-2.0 */
/* See memory.h. */
#include "adapter/export/memory.h"

#include <string.h>

#define HANDLE_TYPE VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT

/* What another device may not have enabled isn't asked of it. */
#define FLAGS (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)

/* What releases copy with, and what who composes looks at it by. */
#define NEEDED (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT)

/* False: the chain says more than can be passed on. */
static bool
read_chain(const void *chain, struct kr_gpu_memory *memory)
{
	for (const VkBaseInStructure *in = chain; in; in = in->pNext) {
		const VkImageFormatListCreateInfo *list = (const void *)in;

		if (in->sType != VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO ||
			list->viewFormatCount > KR_GPU_MAX_VIEW_FORMATS)
			return false;
		memory->view_format_count = list->viewFormatCount;
		for (uint32_t i = 0; i < list->viewFormatCount; i++)
			memory->view_formats[i] = (uint32_t)list->pViewFormats[i];
	}
	return true;
}

bool
kr_export_describe(const struct kr_gpu *gpu, VkImageCreateInfo *info, struct kr_gpu_memory *memory)
{
	struct kr_gpu_memory wanted = {
		.kind = KR_GPU_OPAQUE_FD,
		.format = (uint32_t)info->format,
		.width = info->extent.width,
		.height = info->extent.height,
		.flags = info->flags,
		.usage = info->usage | NEEDED | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
		.layout = VK_IMAGE_LAYOUT_GENERAL,
	};

	if (!gpu->opaque_fd || (info->flags & ~(VkImageCreateFlags)FLAGS) ||
		!read_chain(info->pNext, &wanted))
		return false;
	memcpy(wanted.device_uuid, gpu->device_uuid, sizeof(wanted.device_uuid));
	memcpy(wanted.driver_uuid, gpu->driver_uuid, sizeof(wanted.driver_uuid));
	if (!kr_gpu_image_possible(gpu, &wanted)) {
		wanted.usage = info->usage | NEEDED;
		if (!kr_gpu_image_possible(gpu, &wanted))
			return false;
	}
	info->usage = wanted.usage;
	info->tiling = VK_IMAGE_TILING_OPTIMAL;
	*memory = wanted;
	return true;
}

/* Which family takes it back isn't known when it is given: several share it, at both ends. */
void
kr_export_info_init(
	const struct kr_gpu *gpu, const VkImageCreateInfo *info, struct kr_export_info *made)
{
	made->create = *info;
	if (gpu->family_count > 1) {
		made->create.sharingMode = VK_SHARING_MODE_CONCURRENT;
		made->create.queueFamilyIndexCount = gpu->family_count;
		made->create.pQueueFamilyIndices = gpu->families;
	}
	made->external = (VkExternalMemoryImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = info->pNext,
		.handleTypes = HANDLE_TYPE,
	};
	made->create.pNext = &made->external;
}

/* The device's own, where there is such. */
static bool
choose_type(const struct kr_gpu *gpu, uint32_t types, uint32_t *type)
{
	const VkMemoryPropertyFlags wanted[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};

	for (size_t i = 0; i < KR_ARRAY_LEN(wanted); i++) {
		for (uint32_t t = 0; t < gpu->memory.memoryTypeCount; t++) {
			if ((types & (1u << t)) &&
				(gpu->memory.memoryTypes[t].propertyFlags & wanted[i]) ==
					wanted[i]) {
				*type = t;
				return true;
			}
		}
	}
	return false;
}

/*
 * Dedicated only where it has to be: an application's own image of the swapchain shares the memory
 * (W-06), which dedicated memory can't be.
 */
VkResult
kr_export_memory_allocate(
	const struct kr_gpu *gpu, VkImage image, struct kr_gpu_memory *memory, VkDeviceMemory *made)
{
	const VkImageMemoryRequirementsInfo2 of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
		.image = image,
	};
	VkMemoryDedicatedRequirements dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
	};
	VkMemoryRequirements2 needs = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
		.pNext = &dedicated,
	};
	VkMemoryDedicatedAllocateInfo own = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.image = image,
	};
	VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = HANDLE_TYPE,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &export,
	};
	VkResult result;

	gpu->vk.GetImageMemoryRequirements2(gpu->device, &of, &needs);
	if (dedicated.requiresDedicatedAllocation)
		export.pNext = &own;
	info.allocationSize = needs.memoryRequirements.size;
	if (!choose_type(gpu, needs.memoryRequirements.memoryTypeBits, &info.memoryTypeIndex))
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	result = gpu->vk.AllocateMemory(gpu->device, &info, gpu->allocator, made);
	if (result != VK_SUCCESS)
		return result;
	memory->allocation_size = info.allocationSize;
	memory->memory_type = info.memoryTypeIndex;
	memory->dedicated = dedicated.requiresDedicatedAllocation;
	return VK_SUCCESS;
}
