/* SPDX-License-Identifier: Apache-2.0 */
/* Images: their sizes, and the ways in which memory or a native buffer becomes theirs. */
#include "null/null.h"

#include "null/commands.h"

static void
init_image(struct null_image *image, const VkImageCreateInfo *info)
{
	*image = (struct null_image){
		.format = info->format,
		.extent = info->extent,
		.mip_levels = info->mipLevels,
		.layers = info->arrayLayers,
		.samples = info->samples,
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

static const VkNativeBufferANDROID *
find_native_buffer(const struct null_device *device, const void *chain)
{
	const VkBaseInStructure *in;

	for (in = device->native_buffer ? chain : NULL; in; in = in->pNext) {
		if ((int)in->sType == (int)VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID)
			return (const VkNativeBufferANDROID *)in;
	}
	return NULL;
}

/* The buffer's content means nothing to this driver, but a handle that is none would to another. */
static VkResult
check_native_buffer(const VkNativeBufferANDROID *native)
{
	const native_handle_t *handle = native->handle;

	if (!handle || handle->version != (int)sizeof(*handle) || handle->numFds < 0 ||
		handle->numFds > NATIVE_HANDLE_MAX_FDS || handle->numInts < 0 ||
		handle->numInts > NATIVE_HANDLE_MAX_INTS || native->stride <= 0)
		return VK_ERROR_INVALID_EXTERNAL_HANDLE;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateImage(VkDevice device, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *out)
{
	const VkNativeBufferANDROID *native =
		find_native_buffer(null_device_from_handle(device), info->pNext);
	struct null_image *image;
	VkResult result = native ? check_native_buffer(native) : VK_SUCCESS;

	if (result != VK_SUCCESS)
		return result;
	image = kr_object_alloc(allocator, sizeof(*image), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!image)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	init_image(image, info);
	image->native = native != NULL;
	*out = null_handle(VkImage, image);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *allocator)
{
	kr_object_free(null_object(null_image, image));
}

VKAPI_ATTR VkResult VKAPI_CALL
null_BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset)
{
	return VK_SUCCESS;
}

/* W-06: without memory the chain has to have a native buffer. Every element is tried. */
VKAPI_ATTR VkResult VKAPI_CALL
null_BindImageMemory2(VkDevice device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count; i++) {
		const VkNativeBufferANDROID *native =
			find_native_buffer(null_device_from_handle(device), infos[i].pNext);
		VkResult bound = VK_SUCCESS;

		if (native)
			bound = check_native_buffer(native);
		else if (!infos[i].memory)
			bound = VK_ERROR_INVALID_EXTERNAL_HANDLE;
		if (native && bound == VK_SUCCESS)
			null_object(null_image, infos[i].image)->native = true;
		result = result == VK_SUCCESS ? bound : result;
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageMemoryRequirements(VkDevice device, VkImage image, VkMemoryRequirements *requirements)
{
	VkMemoryRequirements2 out = {0};

	null_fill_requirements(&out, size_of_image(null_object(null_image, image)));
	*requirements = out.memoryRequirements;
}

VKAPI_ATTR void VKAPI_CALL
null_GetImageMemoryRequirements2(VkDevice device, const VkImageMemoryRequirementsInfo2 *info,
	VkMemoryRequirements2 *requirements)
{
	null_fill_requirements(requirements, size_of_image(null_object(null_image, info->image)));
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceImageMemoryRequirements(VkDevice device, const VkDeviceImageMemoryRequirements *info,
	VkMemoryRequirements2 *requirements)
{
	struct null_image image;

	init_image(&image, info->pCreateInfo);
	null_fill_requirements(requirements, size_of_image(&image));
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
