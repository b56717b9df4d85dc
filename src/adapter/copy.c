/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images that releases copy into their buffer, when anybody wants to see them.
 *
 * Everything the copy needs is made with the image; its commands are recorded once for each queue
 * family of the device and submitted as often as the image is presented, so that a frame makes
 * nothing. They may be pending twice: an image may be released again without an acquire (W-09).
 */
#include "adapter/image.h"

#include "adapter/export/memory.h"
#include "adapter/external.h"
#include "gpu/format.h"
#include "adapter/probe.h"
#include "adapter/tuning.h"
#include "util/alloc.h"
#include "util/log.h"

#define MAX_FAMILIES 16

/*
 * The queue families that use the image. Where one of the device can't copy, another does it for
 * that one, so the image belongs to all of them at once and nobody has to hand it over.
 */
static uint32_t
sharing_families(const struct kr_adapter_device *device, uint32_t *indices)
{
	uint32_t count = KR_MIN(device->family_count, (uint32_t)MAX_FAMILIES);

	for (uint32_t i = 0; i < count; i++)
		indices[i] = device->families[i].index;
	return count;
}

static bool
is_possible_with(const struct kr_adapter_device *device, const VkImageCreateInfo *info,
	VkImageUsageFlags usage)
{
	VkImageCreateInfo more = *info;

	more.usage |= usage;
	return kr_adapter_image_possible(device->gpu, &more, false);
}

VkResult
kr_copy_image_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info)
{
	VkImageCreateInfo optimal = *info;
	uint32_t indices[MAX_FAMILIES];
	uint32_t count = sharing_families(device, indices);

	optimal.tiling = VK_IMAGE_TILING_OPTIMAL;
	optimal.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	if (is_possible_with(device, &optimal, VK_IMAGE_USAGE_TRANSFER_DST_BIT))
		optimal.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	if (!device->can_always_transfer && count > 1) {
		optimal.sharingMode = VK_SHARING_MODE_CONCURRENT;
		optimal.queueFamilyIndexCount = count;
		optimal.pQueueFamilyIndices = indices;
	}
	if (!kr_adapter_image_possible(device->gpu, &optimal, false)) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: makes no image of format %d and usage 0x%x that could be copied",
			device->gpu->instance->icd.name, (int)info->format, optimal.usage);
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	}
	image->way = KR_IMAGE_COPY;
	image->writable = optimal.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	return device->vk.CreateImage(device->handle, &optimal, image->allocator, &image->handle);
}

VkResult
kr_adapter_export_image_create(struct kr_adapter_device *device, struct kr_adapter_image *image,
	const VkImageCreateInfo *info, bool *made)
{
	VkImageCreateInfo optimal = *info;
	struct kr_export_info export;
	const struct kr_gpu *gpu = kr_adapter_external(device);

	*made = false;
	if (!gpu || !device->helper || !kr_adapter_queue_family(device->helper)->transfer ||
		!kr_export_describe(gpu, &optimal, &image->description))
		return VK_SUCCESS;
	kr_export_info_init(gpu, &optimal, &export);
	image->way = KR_IMAGE_COPY;
	image->exportable = true;
	image->writable = optimal.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	*made = true;
	return device->vk.CreateImage(
		device->handle, &export.create, image->allocator, &image->handle);
}

/* Kinds of memory, the best first. */
struct memory_kind {
	VkMemoryPropertyFlags with, without;
};

#define COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)

static const struct memory_kind for_images[] = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0}, {0, 0}};

/*
 * The CPU reads it. What is the device's own and no cache's is the window to a card's memory: on an
 * H100 83 ms for 1280x720, where both others take 0.3. Coherent memory always exists.
 */
static const struct memory_kind for_staging[] = {
	{COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
	{COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0},
	{COHERENT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
	{COHERENT, 0},
};

static VkResult
allocate_memory(struct kr_adapter_device *device, const VkMemoryRequirements *needs,
	const struct memory_kind *kinds, size_t count, VkDeviceMemory *memory)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs->size,
	};

	for (size_t i = 0; i < count; i++) {
		if (kr_adapter_memory_type(device, needs->memoryTypeBits, kinds[i].with,
			    kinds[i].without, &info.memoryTypeIndex))
			return device->vk.AllocateMemory(
				device->handle, &info, device->allocator, memory);
	}
	return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* A VkBuffer over the buffer's mapping. */
static VkResult
stage_in_buffer(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	enum kr_said said;

	if (kr_adapter_tuning.no_host_buffer || !device->host_alignment ||
		atomic_load(&device->host_import) == KR_HOST_IMPORT_REFUSED)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	said = kr_adapter_host_buffer_said(device->gpu);
	if (said == KR_SAID_NO || (said == KR_SAID_NOTHING && !kr_host_buffer_proven(device->gpu)))
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return kr_host_buffer_create(device, image);
}

/* A VkBuffer of the ICD, mapped. */
static VkResult
stage_in_memory(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	VkMemoryRequirements needs;
	VkResult result;

	image->way = KR_IMAGE_COPY_MAPPED;
	result = kr_staging_create(device, image, NULL, &needs);
	if (result == VK_SUCCESS)
		result = allocate_memory(device, &needs, for_staging, KR_ARRAY_LEN(for_staging),
			&image->staging_memory);
	if (result == VK_SUCCESS)
		result = device->vk.BindBufferMemory(
			device->handle, image->staging, image->staging_memory, 0);
	if (result == VK_SUCCESS)
		result = device->vk.MapMemory(device->handle, image->staging_memory, 0,
			VK_WHOLE_SIZE, 0, &image->staging_map);
	return result;
}

static VkResult
allocate_image_memory(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	VkMemoryRequirements needs;

	if (image->exportable)
		return kr_export_memory_allocate(kr_adapter_external(device), image->handle,
			&image->description, &image->memory);
	device->vk.GetImageMemoryRequirements(device->handle, image->handle, &needs);
	return allocate_memory(
		device, &needs, for_images, KR_ARRAY_LEN(for_images), &image->memory);
}

VkResult
kr_copy_image_bind(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	VkResult result = allocate_image_memory(device, image);

	if (result == VK_SUCCESS)
		result =
			device->vk.BindImageMemory(device->handle, image->handle, image->memory, 0);
	if (result != VK_SUCCESS)
		return result;
	result = stage_in_buffer(device, image);
	if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
		result = stage_in_memory(device, image);
	if (result == VK_SUCCESS)
		result = kr_copy_commands_create(device, image);
	if (result == VK_SUCCESS && kr_adapter_image_may_be_stale(device, image))
		result = kr_copy_refresh_create(device, image);
	return result;
}
