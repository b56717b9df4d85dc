/* SPDX-License-Identifier: Apache-2.0 */
/* Images and buffers in memory that is exported. */
#include "gpu/gpu.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/info.h"
#include "gpu/memory.h"
#include "gpu/modifier.h"

/* What is made of `wanted`: without what this device can't be told, in a tiling that it exports. */
static bool
plan(const struct kr_gpu *gpu, const struct kr_gpu_memory *wanted, struct kr_gpu_memory *planned,
	struct kr_gpu_modifiers *modifiers)
{
	*planned = *wanted;
	planned->layout = wanted->format ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
	planned->samples = wanted->samples ? wanted->samples : 1;
	planned->modifier = 0;
	planned->plane_count = 0;
	modifiers->count = 0;
	if (!gpu->format_list || !wanted->format)
		planned->view_format_count = 0;
	if (!wanted->format) {
		planned->height = planned->mip_levels = planned->array_layers = 1;
		planned->tiling = VK_IMAGE_TILING_OPTIMAL;
	}
	if (kr_gpu_description_flaw(planned))
		return false;
	if (planned->kind != KR_GPU_DMA_BUF || !planned->format)
		return planned->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT &&
			kr_gpu_supports(gpu, planned, kr_gpu_handle_type(planned),
				VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT, NULL);
	return kr_gpu_modifiers_choose(gpu, planned, modifiers);
}

bool
kr_gpu_image_possible(const struct kr_gpu *gpu, const struct kr_gpu_memory *wanted)
{
	struct kr_gpu_modifiers modifiers;
	struct kr_gpu_memory planned;

	return plan(gpu, wanted, &planned, &modifiers);
}

static VkResult
make_image(const struct kr_gpu *gpu, struct kr_gpu_image *image,
	const struct kr_gpu_modifiers *modifiers)
{
	VkImageDrmFormatModifierListCreateInfoEXT list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
		.drmFormatModifierCount = modifiers->count,
		.pDrmFormatModifiers = modifiers->values,
	};
	struct kr_gpu_info info;

	kr_gpu_info_init(gpu, &image->description, kr_gpu_handle_type(&image->description), &info);
	if (modifiers->count) {
		list.pNext = info.image.pNext;
		info.image.pNext = &list;
	}
	return gpu->vk.CreateImage(gpu->device, &info.image, gpu->allocator, &image->image);
}

/* Fast memory of the GPU, unless an image wants other; nothing that takes a feature to be used. */
static bool
choose_type(const struct kr_gpu *gpu, uint32_t types, uint32_t *type)
{
	static const VkMemoryPropertyFlags wanted[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
	const VkMemoryPropertyFlags without = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
		VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
		VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

	for (size_t n = 0; n < KR_ARRAY_LEN(wanted); n++) {
		for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
			VkMemoryPropertyFlags flags = gpu->memory.memoryTypes[i].propertyFlags;

			if ((types & (1u << i)) && (flags & (wanted[n] | without)) == wanted[n]) {
				*type = i;
				return true;
			}
		}
	}
	return false;
}

static VkResult
allocate(const struct kr_gpu *gpu, struct kr_gpu_image *image, bool only_dedicated)
{
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = kr_gpu_handle_type(&image->description),
	};
	struct kr_gpu_needs needs;
	VkResult result;

	kr_gpu_needs_get(gpu, image, &needs);
	if (needs.size > gpu->max_allocation)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	if (!choose_type(gpu, needs.types, &image->description.memory_type))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	image->description.allocation_size = needs.size;
	image->description.dedicated = only_dedicated || needs.dedicated;
	result = kr_gpu_memory_allocate(gpu, image, &export, needs.size);
	return result == VK_SUCCESS ? kr_gpu_memory_bind(gpu, image, 0) : result;
}

VkResult
kr_gpu_image_create(
	const struct kr_gpu *gpu, const struct kr_gpu_memory *wanted, struct kr_gpu_image *image)
{
	struct kr_gpu_image made = {0};
	struct kr_gpu_modifiers modifiers;
	bool only_dedicated = false;
	VkResult result;

	if (!plan(gpu, wanted, &made.description, &modifiers))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	made.description.modifier = modifiers.count ? modifiers.values[0] : 0;
	(void)kr_gpu_supports(
		gpu, &made.description, kr_gpu_handle_type(&made.description), 0, &only_dedicated);
	memcpy(made.description.device_uuid, gpu->device_uuid, sizeof(gpu->device_uuid));
	memcpy(made.description.driver_uuid, gpu->driver_uuid, sizeof(gpu->driver_uuid));
	result = made.description.format
		? make_image(gpu, &made, &modifiers)
		: kr_gpu_buffer_make(gpu, kr_gpu_handle_type(&made.description), &made);
	if (result == VK_SUCCESS)
		result = allocate(gpu, &made, only_dedicated);
	if (result == VK_SUCCESS && made.description.kind == KR_GPU_DMA_BUF)
		result = kr_gpu_layouts_get(gpu, made.image, &made.description);
	if (result != VK_SUCCESS) {
		kr_gpu_image_destroy(gpu, &made);
		return result;
	}
	*image = made;
	return VK_SUCCESS;
}

/*
 * A file whose maker forgot it: importers want them (sample.h). Where it is no file, or may not be
 * sealed, importers say so.
 */
static void
seal(int fd)
{
	(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

VkResult
kr_gpu_image_export(const struct kr_gpu *gpu, const struct kr_gpu_image *image, int *fd)
{
	const VkMemoryGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
		.memory = image->memory,
		.handleType = kr_gpu_handle_type(&image->description),
	};
	int exported = -1;
	VkResult result;

	result = gpu->vk.GetMemoryFdKHR(gpu->device, &info, &exported);
	if (result != VK_SUCCESS)
		return result;
	if (exported < 0)
		return VK_ERROR_TOO_MANY_OBJECTS;
	if (image->description.kind == KR_GPU_OPAQUE_FD)
		seal(exported);
	*fd = exported;
	return VK_SUCCESS;
}

void
kr_gpu_memory_unmap(struct kr_gpu_image *image)
{
	if (image->map)
		munmap(image->map, image->map_size);
	image->map = NULL;
}

void
kr_gpu_image_destroy(const struct kr_gpu *gpu, struct kr_gpu_image *image)
{
	if (image->image)
		gpu->vk.DestroyImage(gpu->device, image->image, gpu->allocator);
	if (image->buffer)
		gpu->vk.DestroyBuffer(gpu->device, image->buffer, gpu->allocator);
	if (image->memory)
		gpu->vk.FreeMemory(gpu->device, image->memory, gpu->allocator);
	kr_gpu_memory_unmap(image);
	*image = (struct kr_gpu_image){0};
}
