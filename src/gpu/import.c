/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that others sent, once it is checked. */
#include "gpu/gpu.h"

#include <errno.h>

#include "gpu/check.h"
#include "gpu/info.h"
#include "gpu/memory.h"
#include "gpu/sample.h"
#include "util/fd.h"

int
kr_gpu_memory_check(
	const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd, const char **reason)
{
	struct kr_gpu_memory found;

	return kr_gpu_memory_look(gpu, memory, fd, &found, reason);
}

int
kr_gpu_memory_look(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	struct kr_gpu_memory *found, const char **reason)
{
	struct kr_gpu_import import = {.gpu = gpu, .fd = fd, .image.description = *memory};
	int err = kr_gpu_import_prepare(&import);

	*found = import.image.description;
	kr_gpu_image_destroy(gpu, &import.image);
	*reason = import.reason;
	return err;
}

VkResult
kr_gpu_dma_buf_image_create(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	const VkImageCreateInfo *create, VkImage *image, struct kr_gpu_memory *is,
	const char **reason)
{
	struct kr_gpu_import import = {.gpu = gpu, .fd = -1, .image.description = *memory};
	VkBaseOutStructure *last;
	struct kr_gpu_info info;

	import.image.description.flags = create->flags;
	import.image.description.usage = create->usage;
	import.image.description.view_format_count = 0;
	if (kr_gpu_import_plan(&import)) {
		*reason = import.reason;
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	}
	*is = import.image.description;
	kr_gpu_info_init(gpu, is, import.type, &info);
	info.image.sharingMode = create->sharingMode;
	info.image.queueFamilyIndexCount = create->queueFamilyIndexCount;
	info.image.pQueueFamilyIndices = create->pQueueFamilyIndices;
	info.image.initialLayout = create->initialLayout;
	last = (VkBaseOutStructure *)(void *)&info.image;
	while (last->pNext)
		last = last->pNext;
	last->pNext = (VkBaseOutStructure *)(uintptr_t)create->pNext;
	return gpu->vk.CreateImage(gpu->device, &info.image, gpu->allocator, image);
}

/* The memory of a file, mapped here. */
static VkResult
import_map(struct kr_gpu_import *import)
{
	const struct kr_gpu *gpu = import->gpu;
	struct kr_gpu_image *image = &import->image;
	VkMemoryHostPointerPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};
	VkImportMemoryHostPointerInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = import->type,
	};
	VkResult result;

	if (kr_gpu_sample_map(gpu, import->fd, image))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	info.pHostPointer = image->map;
	result = gpu->vk.GetMemoryHostPointerPropertiesEXT(
		gpu->device, import->type, image->map, &properties);
	if (result != VK_SUCCESS)
		return result;
	if (!(properties.memoryTypeBits & (1u << image->description.memory_type)))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return kr_gpu_memory_allocate(gpu, image, &info, image->map_size);
}

/* On success the driver has the duplicate. */
static VkResult
import_memory(struct kr_gpu_import *import)
{
	VkImportMemoryFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
		.handleType = import->type,
	};
	VkResult result;
	int fd;

	if (import->type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)
		return import_map(import);
	if (kr_fd_dup(import->fd, &fd))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	info.fd = fd;
	result = kr_gpu_memory_allocate(
		import->gpu, &import->image, &info, import->image.description.allocation_size);
	if (result != VK_SUCCESS)
		kr_fd_close(&fd);
	return result;
}

/* Without binding it. */
static VkResult
check_and_import(struct kr_gpu_import *import, const char **reason)
{
	VkResult result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
	int err = kr_gpu_import_prepare(import);

	if (err == -ENOMEM)
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	if (!err) {
		result = import_memory(import);
		if (result != VK_SUCCESS)
			import->reason = "this device's driver doesn't import it";
	}
	if (reason)
		*reason = import->reason;
	return result;
}

VkResult
kr_gpu_image_import(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	struct kr_gpu_image *image, const char **reason)
{
	struct kr_gpu_import import = {.gpu = gpu, .fd = fd, .image.description = *memory};
	VkResult result = check_and_import(&import, reason);

	if (result == VK_SUCCESS)
		result = kr_gpu_memory_bind(gpu, &import.image, import.offset);
	if (result != VK_SUCCESS) {
		kr_gpu_image_destroy(gpu, &import.image);
		return result;
	}
	*image = import.image;
	return VK_SUCCESS;
}

VkExternalMemoryHandleTypeFlags
kr_gpu_handle_types(const struct kr_gpu *gpu)
{
	return (gpu->opaque_fd ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT : 0) |
		(gpu->maps_files ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT : 0);
}

VkResult
kr_gpu_memory_import(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory, int fd,
	struct kr_gpu_image *image, const char **reason)
{
	struct kr_gpu_import import = {
		.gpu = gpu,
		.fd = fd,
		.made = true,
		.image = {.image = image->image, .buffer = image->buffer, .description = *memory},
	};
	VkResult result = check_and_import(&import, reason);

	if (result != VK_SUCCESS) {
		kr_gpu_memory_unmap(&import.image);
		return result;
	}
	*image = import.image;
	return VK_SUCCESS;
}
