/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/memory.h"

#include "gpu/info.h"

VkResult
kr_gpu_buffer_make(const struct kr_gpu *gpu, VkExternalMemoryHandleTypeFlagBits type,
	struct kr_gpu_image *image)
{
	VkExternalMemoryBufferCreateInfo external;
	const VkBufferCreateInfo info =
		kr_gpu_buffer_info(gpu, &image->description, type, &external);

	return gpu->vk.CreateBuffer(gpu->device, &info, gpu->allocator, &image->buffer);
}

void
kr_gpu_needs_get(
	const struct kr_gpu *gpu, const struct kr_gpu_image *image, struct kr_gpu_needs *needs)
{
	VkMemoryDedicatedRequirements dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
	};
	VkMemoryRequirements2 answer = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
		.pNext = &dedicated,
	};

	if (image->image) {
		const VkImageMemoryRequirementsInfo2 question = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
			.image = image->image,
		};

		gpu->vk.GetImageMemoryRequirements2(gpu->device, &question, &answer);
	} else {
		const VkBufferMemoryRequirementsInfo2 question = {
			.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
			.buffer = image->buffer,
		};

		gpu->vk.GetBufferMemoryRequirements2(gpu->device, &question, &answer);
	}
	*needs = (struct kr_gpu_needs){
		.size = answer.memoryRequirements.size,
		.alignment = answer.memoryRequirements.alignment,
		.types = answer.memoryRequirements.memoryTypeBits,
		.dedicated = dedicated.prefersDedicatedAllocation ||
			dedicated.requiresDedicatedAllocation,
		.only_dedicated = dedicated.requiresDedicatedAllocation,
	};
}

VkResult
kr_gpu_memory_allocate(
	const struct kr_gpu *gpu, struct kr_gpu_image *image, const void *chain, uint64_t size)
{
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.pNext = chain,
		.image = image->image,
		.buffer = image->buffer,
	};
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = image->description.dedicated ? &dedicated : chain,
		.allocationSize = size,
		.memoryTypeIndex = image->description.memory_type,
	};
	VkDeviceMemory memory;
	VkResult result = gpu->vk.AllocateMemory(gpu->device, &info, gpu->allocator, &memory);

	if (result == VK_SUCCESS)
		image->memory = memory;
	return result;
}

VkResult
kr_gpu_memory_bind(const struct kr_gpu *gpu, const struct kr_gpu_image *image, uint64_t offset)
{
	if (image->image)
		return gpu->vk.BindImageMemory(gpu->device, image->image, image->memory, offset);
	return gpu->vk.BindBufferMemory(gpu->device, image->buffer, image->memory, offset);
}
