/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Importing a buffer's mapping as the memory of an image or a VkBuffer.
 *
 * That the ICD offers it proves little: some kernels' drivers take anonymous memory only and answer
 * EPERM for a file's. So the first real mapping of a real buffer decides for the device.
 */
#include "adapter/image.h"

#include "adapter/probe.h"
#include "adapter/tuning.h"
#include "util/log.h"

bool
kr_adapter_memory_type(const struct kr_adapter_device *device, uint32_t types,
	VkMemoryPropertyFlags with, VkMemoryPropertyFlags without, uint32_t *type)
{
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		if ((types & (1u << i)) &&
			(device->memory.memoryTypes[i].propertyFlags & (with | without)) == with) {
			*type = i;
			return true;
		}
	}
	return false;
}

/* Remembers what became of the import of a real mapping. */
static VkResult
decided(struct kr_adapter_device *device, VkResult result)
{
	int unknown = KR_HOST_IMPORT_UNKNOWN;

	/* Lack of memory says nothing about the next time. */
	if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_DEVICE_LOST)
		return result;
	if (result == VK_SUCCESS) {
		atomic_store(&device->host_import, KR_HOST_IMPORT_WORKS);
		return VK_SUCCESS;
	}
	/* Before, some mean by it that they import nothing. */
	if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY &&
		atomic_load(&device->host_import) == KR_HOST_IMPORT_WORKS)
		return result;
	if (atomic_compare_exchange_strong(&device->host_import, &unknown, KR_HOST_IMPORT_REFUSED))
		kr_log(KR_LOG_INFO | KR_LOG_DRIVER,
			"%s: imports no buffer's memory (%d), so frames will be copied",
			device->gpu->instance->icd.name, result);
	return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

VkResult
kr_host_memory_import(struct kr_adapter_device *device, const struct kr_adapter_image *image,
	const VkMemoryRequirements *needs, VkDeviceMemory *memory)
{
	const VkExternalMemoryHandleTypeFlagBits host =
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	const struct kr_buffer_info *buffer = kr_buffer_get_info(image->buffer);
	VkMemoryHostPointerPropertiesEXT pointer = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};
	const VkImportMemoryHostPointerInfoEXT import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = host,
		.pHostPointer = image->pixels,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &import,
		.allocationSize = buffer->size,
	};
	VkResult result;

	if ((uintptr_t)image->pixels % device->host_alignment ||
		buffer->size % device->host_alignment || needs->size > buffer->size)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	result = device->vk.GetMemoryHostPointerPropertiesEXT(
		device->handle, host, image->pixels, &pointer);
	if (result != VK_SUCCESS)
		return decided(device, result);
	/* Others read the pixels through mappings of their own: nobody would flush for them. */
	if (!kr_adapter_memory_type(device, needs->memoryTypeBits & pointer.memoryTypeBits,
		    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0,
		    &info.memoryTypeIndex))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return decided(device,
		device->vk.AllocateMemory(device->handle, &info, device->allocator, memory));
}

/* Whether the driver's rows are the buffer's rows. */
static bool
same_layout(const struct kr_adapter_device *device, VkImage image, uint32_t row_bytes)
{
	const VkImageSubresource colour = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
	VkSubresourceLayout layout = {0};

	device->vk.GetImageSubresourceLayout(device->handle, image, &colour, &layout);
	return layout.offset == 0 && layout.rowPitch == row_bytes;
}

VkResult
kr_host_image_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info, uint32_t row_bytes, bool *made)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = info->pNext,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkImageCreateInfo linear = *info;
	VkResult result;

	*made = false;
	/* A card would draw through its bus, frames that nobody wants to see included. */
	if (device->gpu->discrete)
		return VK_SUCCESS;
	linear.pNext = &external;
	linear.tiling = VK_IMAGE_TILING_LINEAR;
	if (kr_adapter_tuning.no_host_image || !device->host_alignment ||
		atomic_load(&device->host_import) == KR_HOST_IMPORT_REFUSED ||
		!kr_adapter_image_possible(device->gpu, &linear, true))
		return VK_SUCCESS;
	result = device->vk.CreateImage(device->handle, &linear, image->allocator, &image->handle);
	if (result != VK_SUCCESS)
		return result;
	if (!same_layout(device, image->handle, row_bytes)) {
		device->vk.DestroyImage(device->handle, image->handle, image->allocator);
		image->handle = VK_NULL_HANDLE;
		return VK_SUCCESS;
	}
	image->way = KR_IMAGE_HOST;
	image->row_bytes = row_bytes;
	*made = true;
	return VK_SUCCESS;
}

VkResult
kr_host_image_bind(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	VkMemoryRequirements needs;
	VkResult result;

	device->vk.GetImageMemoryRequirements(device->handle, image->handle, &needs);
	result = kr_host_memory_import(device, image, &needs, &image->memory);
	if (result != VK_SUCCESS)
		return result;
	result = device->vk.BindImageMemory(device->handle, image->handle, image->memory, 0);
	if (result == VK_SUCCESS)
		return VK_SUCCESS;
	device->vk.FreeMemory(device->handle, image->memory, device->allocator);
	image->memory = VK_NULL_HANDLE;
	return result;
}

VkResult
kr_staging_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const void *chain, VkMemoryRequirements *needs)
{
	const struct kr_buffer_info *buffer = kr_buffer_get_info(image->buffer);
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = chain,
		.size = (VkDeviceSize)buffer->row_bytes * image->extent.height,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	VkResult result =
		device->vk.CreateBuffer(device->handle, &info, device->allocator, &image->staging);

	if (result == VK_SUCCESS)
		device->vk.GetBufferMemoryRequirements(device->handle, image->staging, needs);
	return result;
}

void
kr_staging_destroy(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	device->vk.DestroyBuffer(device->handle, image->staging, device->allocator);
	device->vk.FreeMemory(device->handle, image->staging_memory, device->allocator);
	image->staging = VK_NULL_HANDLE;
	image->staging_memory = VK_NULL_HANDLE;
	image->staging_map = NULL;
}

VkResult
kr_host_buffer_create(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkMemoryRequirements needs;
	VkResult result = kr_staging_create(device, image, &external, &needs);

	if (result == VK_SUCCESS)
		result = kr_host_memory_import(device, image, &needs, &image->staging_memory);
	if (result == VK_SUCCESS)
		result = device->vk.BindBufferMemory(
			device->handle, image->staging, image->staging_memory, 0);
	if (result != VK_SUCCESS)
		kr_staging_destroy(device, image);
	return result;
}
