/* SPDX-License-Identifier: Apache-2.0 */
/* Images: their sizes, and the ways in which memory or a native buffer becomes theirs. */
#include "null/faults.h"
#include "null/native_image.h"

#include "null/commands.h"
#include "null/hardware_buffer.h"
#include "null/mutants.h"
#include "null/queue.h"

static void
init_image(struct null_image *image, const VkImageCreateInfo *info)
{
	*image = (struct null_image){
		.format = info->format,
		.extent = info->extent,
		.mip_levels = info->mipLevels,
		.layers = info->arrayLayers,
		.samples = info->samples,
		.protected_memory = info->flags & VK_IMAGE_CREATE_PROTECTED_BIT,
	};
}

/* Bytes of the first `levels` mip levels of one layer. */
static VkDeviceSize
size_of_levels(const struct null_image *image, uint32_t levels)
{
	VkDeviceSize size = 0;

	for (uint32_t mip = 0; mip < levels; mip++)
		size += null_level_layout(image->format, image->extent, mip, image->samples).size;
	return size;
}

static VkDeviceSize
size_of_image(const struct null_image *image)
{
	return size_of_levels(image, image->mip_levels) * image->layers;
}

static void
fill_requirements(VkMemoryRequirements2 *out, const struct null_image *image)
{
	null_fill_requirements(out, size_of_image(image), image->protected_memory);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateImage(VkDevice device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *out)
{
	struct null_image *image =
		kr_object_alloc(allocator, sizeof(*image), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	VkResult result;

	if (!image && null_has_fault(image_needs_memory))
		return VK_SUCCESS;
	if (!image)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	init_image(image, info);
	image->device = null_device_from_handle(device);
	result = null_image_fault(info);
	if (result == VK_SUCCESS)
		result = null_native_image_create(image, info);
	if (result == VK_SUCCESS)
		result = null_hardware_image_create(image, info);
	if (result != VK_SUCCESS) {
		kr_object_free(image);
		return result;
	}
	*out = null_handle(VkImage, image);
	return VK_SUCCESS;
}

/* What still is on its way to the image, or from it, is not to find it. */
static void
forget(struct null_device *device, const struct null_image *image)
{
	struct null_acquire *acquire;

	kr_mutex_lock(&device->lock);
	kr_list_for_each (acquire, &device->acquires, link) {
		if (acquire->image == image)
			acquire->image = NULL;
	}
	for (size_t i = 0; i < NULL_QUEUE_COUNT; i++)
		null_queue_forget_image(&device->queues[i], image);
	kr_mutex_unlock(&device->lock);
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyImage(VkDevice device, VkImage handle, const VkAllocationCallbacks *allocator)
{
	struct null_image *image = null_object(null_image, handle);

	if (!image)
		return;
	if (image->native)
		forget(image->device, image);
	null_native_image_finish(image);
	kr_object_free(image);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset)
{
	null_hardware_image_bind(null_object(null_image, image), null_object(null_memory, memory));
	return VK_SUCCESS;
}

/* W-06: without memory the chain has to have a native buffer. Every element is tried. */
VKAPI_ATTR VkResult VKAPI_CALL
null_BindImageMemory2(VkDevice device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count; i++) {
		bool native;
		VkResult bound;

		if (i && null_has_fault(binds_the_first_alone))
			break;
		bound = null_native_image_bind(
			null_object(null_image, infos[i].image), &infos[i], &native);

		if (bound == VK_SUCCESS && !native && !infos[i].memory)
			bound = VK_ERROR_INVALID_EXTERNAL_HANDLE;
		if (bound == VK_SUCCESS && !native)
			null_hardware_image_bind(null_object(null_image, infos[i].image),
				null_object(null_memory, infos[i].memory));
		result = result == VK_SUCCESS ? bound : result;
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageMemoryRequirements(VkDevice device, VkImage image, VkMemoryRequirements *requirements)
{
	VkMemoryRequirements2 out = {0};

	fill_requirements(&out, null_object(null_image, image));
	*requirements = out.memoryRequirements;
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageMemoryRequirements2(VkDevice device, const VkImageMemoryRequirementsInfo2 *info,
	VkMemoryRequirements2 *requirements)
{
	fill_requirements(requirements, null_object(null_image, info->image));
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceImageMemoryRequirements(VkDevice device, const VkDeviceImageMemoryRequirements *info,
	VkMemoryRequirements2 *requirements)
{
	struct null_image image;

	init_image(&image, info->pCreateInfo);
	fill_requirements(requirements, &image);
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageSparseMemoryRequirements(VkDevice device, VkImage image, uint32_t *count,
	VkSparseImageMemoryRequirements *requirements)
{
	null_enumerate(0, requirements, count);
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageSparseMemoryRequirements2(VkDevice device,
	const VkImageSparseMemoryRequirementsInfo2 *info, uint32_t *count,
	VkSparseImageMemoryRequirements2 *requirements)
{
	null_enumerate(0, requirements, count);
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceImageSparseMemoryRequirements(VkDevice device,
	const VkDeviceImageMemoryRequirements *info, uint32_t *count,
	VkSparseImageMemoryRequirements2 *requirements)
{
	null_enumerate(0, requirements, count);
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageSubresourceLayout(VkDevice device, VkImage handle,
	const VkImageSubresource *subresource, VkSubresourceLayout *layout)
{
	const struct null_image *image = null_object(null_image, handle);
	VkDeviceSize array_pitch = size_of_levels(image, image->mip_levels);

	*layout = null_level_layout(
		image->format, image->extent, subresource->mipLevel, image->samples);
	layout->arrayPitch = array_pitch;
	layout->offset = array_pitch * subresource->arrayLayer +
		size_of_levels(image, subresource->mipLevel);
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageSubresourceLayout2EXT(VkDevice device, VkImage handle,
	const VkImageSubresource2EXT *subresource, VkSubresourceLayout2EXT *layout)
{
	const struct kr_null_image_info *info = &null_object(null_image, handle)->info;
	const VkImageCompressionControlEXT control = {.flags = info->compression};
	VkBaseOutStructure *out;

	null_GetImageSubresourceLayout(
		device, handle, &subresource->imageSubresource, &layout->subresourceLayout);
	for (out = layout->pNext; out; out = out->pNext) {
		if (out->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
			null_fill_compression(&control, (VkImageCompressionPropertiesEXT *)out);
	}
}
