/* SPDX-License-Identifier: Apache-2.0 */
/* See memory.h. */
#include "tools/painter/memory.h"

#include <errno.h>

#define COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define NONE     UINT32_MAX

static uint32_t
find_type(const struct kr_paint_device *device, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		if ((allowed & (1u << i)) &&
			(device->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	return NONE;
}

/* The best type that there is, by what each kind would like and what it needs. */
static uint32_t
choose_type(const struct kr_paint_device *device, enum kr_paint_memory_kind kind, uint32_t allowed)
{
	static const VkMemoryPropertyFlags likes[] = {
		[KR_PAINT_OF_DEVICE] = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
		[KR_PAINT_TO_DEVICE] = COHERENT,
		[KR_PAINT_TO_SHADER] = COHERENT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
		[KR_PAINT_TO_CPU] = COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
	};
	static const VkMemoryPropertyFlags needs[] = {
		[KR_PAINT_OF_DEVICE] = 0,
		[KR_PAINT_TO_DEVICE] = COHERENT,
		[KR_PAINT_TO_SHADER] = COHERENT,
		[KR_PAINT_TO_CPU] = COHERENT,
	};
	uint32_t type = find_type(device, allowed, likes[kind]);

	return type == NONE ? find_type(device, allowed, needs[kind]) : type;
}

static int
bind(const struct kr_paint_device *device, const VkMemoryAllocateInfo *info,
	struct kr_paint_memory *memory)
{
	if (device->d.AllocateMemory(device->device, info, NULL, &memory->memory) != VK_SUCCESS) {
		memory->memory = VK_NULL_HANDLE;
		return -ENOMEM;
	}
	return device->d.BindBufferMemory(device->device, memory->buffer, memory->memory, 0)
		? -ENOMEM
		: 0;
}

static int
create_buffer(const struct kr_paint_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
	const void *chain, struct kr_paint_memory *memory)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = chain,
		.size = size,
		.usage = usage,
	};

	*memory = (struct kr_paint_memory){.size = size};
	if (device->d.CreateBuffer(device->device, &info, NULL, &memory->buffer) != VK_SUCCESS) {
		memory->buffer = VK_NULL_HANDLE;
		return -ENOMEM;
	}
	return 0;
}

int
kr_paint_memory_init(const struct kr_paint_device *device, enum kr_paint_memory_kind kind,
	VkDeviceSize size, VkBufferUsageFlags usage, struct kr_paint_memory *memory)
{
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	int err = create_buffer(device, size, usage, NULL, memory);

	if (err)
		return err;
	device->d.GetBufferMemoryRequirements(device->device, memory->buffer, &needs);
	info.allocationSize = needs.size;
	info.memoryTypeIndex = choose_type(device, kind, needs.memoryTypeBits);
	err = info.memoryTypeIndex == NONE ? -ENOMEM : bind(device, &info, memory);
	if (!err && kind != KR_PAINT_OF_DEVICE &&
		device->d.MapMemory(device->device, memory->memory, 0, VK_WHOLE_SIZE, 0,
			&memory->data) != VK_SUCCESS)
		err = -ENOMEM;
	if (err)
		kr_paint_memory_finish(device, memory);
	return err;
}

int
kr_paint_memory_grow(const struct kr_paint_device *device, enum kr_paint_memory_kind kind,
	VkDeviceSize size, VkBufferUsageFlags usage, struct kr_paint_memory *memory)
{
	if (memory->size >= size)
		return 0;
	kr_paint_memory_finish(device, memory);
	return kr_paint_memory_init(device, kind, size, usage, memory);
}

/* A driver may take memory of the process as storage of some buffers alone. */
static bool
is_importable(const struct kr_paint_device *device, VkBufferUsageFlags usage)
{
	const VkPhysicalDeviceExternalBufferInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.usage = usage,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkExternalBufferProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};

	device->i.GetPhysicalDeviceExternalBufferProperties(
		device->physical_device, &info, &properties);
	return properties.externalMemoryProperties.externalMemoryFeatures &
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

static uint32_t
type_of_host(const struct kr_paint_device *device, const void *data, uint32_t allowed)
{
	VkMemoryHostPointerPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};

	if (device->d.GetMemoryHostPointerPropertiesEXT(device->device,
		    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, data, &host))
		return NONE;
	return choose_type(device, KR_PAINT_TO_CPU, allowed & host.memoryTypeBits);
}

int
kr_paint_memory_import(const struct kr_paint_device *device, void *data, VkDeviceSize size,
	VkBufferUsageFlags usage, struct kr_paint_memory *memory)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	const VkImportMemoryHostPointerInfoEXT host = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = data,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &host,
		.allocationSize = size,
	};
	const VkDeviceSize alignment = device->host_alignment;
	VkMemoryRequirements needs;
	int err;

	if (!alignment || (uintptr_t)data % alignment || size % alignment ||
		!is_importable(device, usage) ||
		create_buffer(device, size, usage, &external, memory))
		return -EOPNOTSUPP;
	device->d.GetBufferMemoryRequirements(device->device, memory->buffer, &needs);
	info.memoryTypeIndex = type_of_host(device, data, needs.memoryTypeBits);
	err = info.memoryTypeIndex == NONE || needs.size > size ? -EOPNOTSUPP
								: bind(device, &info, memory);
	if (err) {
		kr_paint_memory_finish(device, memory);
		return -EOPNOTSUPP;
	}
	memory->data = data;
	return 0;
}

void
kr_paint_memory_finish(const struct kr_paint_device *device, struct kr_paint_memory *memory)
{
	if (memory->buffer)
		device->d.DestroyBuffer(device->device, memory->buffer, NULL);
	if (memory->memory)
		device->d.FreeMemory(device->device, memory->memory, NULL);
	*memory = (struct kr_paint_memory){0};
}
