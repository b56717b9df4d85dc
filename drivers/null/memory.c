/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory, which is host memory, and buffers. */
#include "null/null.h"

#include <stdlib.h>

#include "null/commands.h"
#include "null/hardware_buffer.h"

static VkDeviceSize
round_up(VkDeviceSize size)
{
	return (size + NULL_ALIGNMENT - 1) / NULL_ALIGNMENT * NULL_ALIGNMENT;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
	const VkAllocationCallbacks *allocator, VkDeviceMemory *out)
{
	struct null_memory *memory;
	VkResult result;
	bool is_buffer;

	if (info->allocationSize > null_heap_size())
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	memory = kr_object_alloc(allocator, sizeof(*memory), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!memory)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (null_device_from_handle(device)->hardware_buffers) {
		result = null_hardware_memory_allocate(memory, info, &is_buffer);
		if (result != VK_SUCCESS)
			kr_object_free(memory);
		else if (is_buffer)
			*out = null_handle(VkDeviceMemory, memory);
		if (result != VK_SUCCESS || is_buffer)
			return result;
	}
	memory->size = info->allocationSize;
	memory->data = aligned_alloc(NULL_ALIGNMENT, round_up(info->allocationSize));
	if (!memory->data) {
		kr_object_free(memory);
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	}
	*out = null_handle(VkDeviceMemory, memory);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_FreeMemory(VkDevice device, VkDeviceMemory handle, const VkAllocationCallbacks *allocator)
{
	struct null_memory *memory = null_object(null_memory, handle);

	if (!memory)
		return;
	if (!memory->buffer)
		free(memory->data);
	null_hardware_memory_finish(memory);
	kr_object_free(memory);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
	VkMemoryMapFlags flags, void **data)
{
	*data = (char *)null_object(null_memory, memory)->data + offset;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_UnmapMemory(VkDevice device, VkDeviceMemory memory)
{
}

VKAPI_ATTR VkResult VKAPI_CALL
null_FlushMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange *ranges)
{
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_InvalidateMappedMemoryRanges(
	VkDevice device, uint32_t count, const VkMappedMemoryRange *ranges)
{
	return VK_SUCCESS;
}

/* For lazily allocated memory alone; there is no such type, so all of it is committed. */
VKAPI_ATTR void VKAPI_CALL
null_GetDeviceMemoryCommitment(VkDevice device, VkDeviceMemory memory, VkDeviceSize *committed)
{
	*committed = null_object(null_memory, memory)->size;
}

/* Addresses can't be replayed: the feature for that is not offered. */
VKAPI_ATTR uint64_t VKAPI_CALL
null_GetDeviceMemoryOpaqueCaptureAddress(
	VkDevice device, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
	return 0;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkBuffer *out)
{
	struct null_buffer *buffer =
		kr_object_alloc(allocator, sizeof(*buffer), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!buffer)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	buffer->size = info->size;
	buffer->protected_memory = info->flags & VK_BUFFER_CREATE_PROTECTED_BIT;
	*out = null_handle(VkBuffer, buffer);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *allocator)
{
	kr_object_free(null_object(null_buffer, buffer));
}

VKAPI_ATTR VkResult VKAPI_CALL
null_BindBufferMemory(VkDevice device, VkBuffer handle, VkDeviceMemory memory, VkDeviceSize offset)
{
	struct null_buffer *buffer = null_object(null_buffer, handle);

	buffer->memory = null_object(null_memory, memory);
	buffer->offset = offset;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_BindBufferMemory2(VkDevice device, uint32_t count, const VkBindBufferMemoryInfo *infos)
{
	for (uint32_t i = 0; i < count; i++)
		null_BindBufferMemory(
			device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
	return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL
null_GetBufferDeviceAddress(VkDevice device, const VkBufferDeviceAddressInfo *info)
{
	const struct null_buffer *buffer = null_object(null_buffer, info->buffer);

	if (!buffer->memory)
		return 0;
	return (VkDeviceAddress)(uintptr_t)buffer->memory->data + buffer->offset;
}

VKAPI_ATTR uint64_t VKAPI_CALL
null_GetBufferOpaqueCaptureAddress(VkDevice device, const VkBufferDeviceAddressInfo *info)
{
	return 0;
}

void
null_fill_requirements(VkMemoryRequirements2 *out, VkDeviceSize size, bool protected_memory)
{
	VkBaseOutStructure *next;

	out->memoryRequirements = (VkMemoryRequirements){
		round_up(size), NULL_ALIGNMENT, protected_memory ? 1 << 1 : 1 << 0};
	for (next = out->pNext; next; next = next->pNext) {
		VkMemoryDedicatedRequirements *dedicated = (VkMemoryDedicatedRequirements *)next;

		if (next->sType != VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS)
			continue;
		dedicated->prefersDedicatedAllocation = VK_FALSE;
		dedicated->requiresDedicatedAllocation = VK_FALSE;
	}
}

VKAPI_ATTR void VKAPI_CALL
null_GetBufferMemoryRequirements(
	VkDevice device, VkBuffer buffer, VkMemoryRequirements *requirements)
{
	VkMemoryRequirements2 out = {0};
	const struct null_buffer *b = null_object(null_buffer, buffer);

	null_fill_requirements(&out, b->size, b->protected_memory);
	*requirements = out.memoryRequirements;
}

VKAPI_ATTR void VKAPI_CALL
null_GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2 *info,
	VkMemoryRequirements2 *requirements)
{
	const struct null_buffer *buffer = null_object(null_buffer, info->buffer);

	null_fill_requirements(requirements, buffer->size, buffer->protected_memory);
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceBufferMemoryRequirements(VkDevice device,
	const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *requirements)
{
	null_fill_requirements(requirements, info->pCreateInfo->size,
		info->pCreateInfo->flags & VK_BUFFER_CREATE_PROTECTED_BIT);
}
