/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The question for an AHardwareBuffer's usage, as VK_ANDROID_native_buffer 11 has it (W-03): an
 * image format query for that handle type. The adapter answers for images as it makes them; every
 * other query is the ICD's.
 */
#include <string.h>

#include "adapter/foreign.h"
#include "gpu/format.h"
#include "adapter/image.h"
#include "adapter/probe.h"
#include "chain/chain.h"
#include "gpu/gpu.h"

#define HARDWARE_BUFFER VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID

static bool
is_for_buffers(const VkPhysicalDeviceImageFormatInfo2 *info)
{
	const VkPhysicalDeviceExternalImageFormatInfo *external = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);

	return external && external->handleType == HARDWARE_BUFFER;
}

static VkResult
ask_driver(const struct kr_adapter_gpu *gpu, const VkPhysicalDeviceImageFormatInfo2 *info,
	VkImageFormatProperties2 *properties)
{
	const struct kr_instance_table *vk = &gpu->instance->vk;

	if (vk->GetPhysicalDeviceImageFormatProperties2)
		return vk->GetPhysicalDeviceImageFormatProperties2(gpu->handle, info, properties);
	return vk->GetPhysicalDeviceImageFormatProperties2KHR(gpu->handle, info, properties);
}

/* What memory of hardware buffers is for an image that may lie in it. */
static VkExternalMemoryProperties
memory_of_images(void)
{
	return (VkExternalMemoryProperties){
		.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
		.exportFromImportedHandleTypes = HARDWARE_BUFFER,
		.compatibleHandleTypes = HARDWARE_BUFFER,
	};
}

/* The image as it would be made: over the buffer's memory, or beside it. */
static bool
choose_way(const struct kr_adapter_gpu *gpu, VkImageCreateInfo *create, bool *host)
{
	VkImageCreateInfo linear = *create;

	linear.tiling = VK_IMAGE_TILING_LINEAR;
	*host = !gpu->discrete && kr_adapter_image_possible(gpu, &linear, true);
	if (*host) {
		*create = linear;
		return true;
	}
	create->usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	return kr_adapter_image_possible(gpu, create, false);
}

/* An image as create_opaque of hardware_buffer/create.c makes it: in memory of the ICD's own. */
static bool
has_own_memory(struct kr_adapter_gpu *gpu, const VkPhysicalDeviceImageFormatInfo2 *info)
{
	const VkImageCreateFlags cube = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
	VkFormatProperties properties;

	if (info->tiling != VK_IMAGE_TILING_OPTIMAL || (info->flags & ~cube) ||
		!kr_gpu_buffer_format(info->format) || !kr_adapter_offers_hardware_buffers(gpu))
		return false;
	gpu->instance->vk.GetPhysicalDeviceFormatProperties(gpu->handle, info->format, &properties);
	return !(info->usage & ~kr_gpu_hardware_buffer_usage(properties.optimalTilingFeatures)) &&
		kr_adapter_image_lies_in_own_memory(gpu, info);
}

/*
 * What a program that asks for AHardwareBuffers wants to know beyond windows: whether such an image
 * may lie in them at all, and how many levels and layers it has in a GPU's memory.
 */
static void
say_memory(struct kr_adapter_gpu *gpu, const VkImageCreateInfo *create,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	bool own = has_own_memory(gpu, info);
	bool possible = own ||
		(kr_adapter_offers_hardware_buffers(gpu) &&
			kr_adapter_image_lies_in_host_memory(gpu, create));
	VkImageFormatProperties2 limits = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
	};

	if (own && kr_adapter_ask_image(gpu, create, false, &limits) == VK_SUCCESS) {
		properties->imageFormatProperties.maxMipLevels =
			limits.imageFormatProperties.maxMipLevels;
		properties->imageFormatProperties.maxArrayLayers =
			limits.imageFormatProperties.maxArrayLayers;
	}
	for (VkBaseOutStructure *out = properties->pNext; out; out = out->pNext) {
		if (out->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
			((VkExternalImageFormatProperties *)out)->externalMemoryProperties =
				possible ? memory_of_images() : (VkExternalMemoryProperties){0};
	}
}

static void
answer(const VkPhysicalDeviceImageFormatInfo2 *info,
	const VkImageCompressionPropertiesEXT *compression, const VkImageFormatProperties *limits,
	VkImageFormatProperties2 *properties)
{
	properties->imageFormatProperties = *limits;
	properties->imageFormatProperties.maxMipLevels = 1;
	properties->imageFormatProperties.maxArrayLayers = 1;
	/* With this flag they are those of rendering, and the image has one. */
	if (!(info->flags & VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT))
		properties->imageFormatProperties.sampleCounts = VK_SAMPLE_COUNT_1_BIT;
	for (VkBaseOutStructure *out = properties->pNext; out; out = out->pNext) {
		VkImageCompressionPropertiesEXT *asked = (void *)out;

		if (out->sType == VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID)
			((VkAndroidHardwareBufferUsageANDROID *)out)->androidHardwareBufferUsage =
				kr_adapter_gralloc_usage(info->usage);
		if (out->sType != VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
			continue;
		asked->imageCompressionFlags = compression->imageCompressionFlags;
		asked->imageCompressionFixedRateFlags = compression->imageCompressionFixedRateFlags;
	}
}

/* Images that no window has, and that may lie in hardware buffers all the same. */
static VkResult
answer_beyond_windows(struct kr_adapter_gpu *gpu, const VkImageCreateInfo *create,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	VkSamplerYcbcrConversionImageFormatProperties conversion = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES,
		.combinedImageSamplerDescriptorCount = 1,
	};
	VkImageFormatProperties2 limits = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = kr_gpu_format_needs_conversion(create->format) ? &conversion : NULL,
	};
	bool host = kr_adapter_image_lies_in_host_memory(gpu, create);

	if (!kr_adapter_offers_hardware_buffers(gpu) ||
		(info->flags & ~(VkImageCreateFlags)VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) ||
		(!host && !has_own_memory(gpu, info)) ||
		kr_adapter_ask_image(gpu, create, false, &limits) != VK_SUCCESS)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (host)
		limits.imageFormatProperties.maxMipLevels =
			limits.imageFormatProperties.maxArrayLayers = 1;
	limits.imageFormatProperties.sampleCounts = VK_SAMPLE_COUNT_1_BIT;
	properties->imageFormatProperties = limits.imageFormatProperties;
	for (VkBaseOutStructure *out = properties->pNext; out; out = out->pNext) {
		if (out->sType == VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID)
			((VkAndroidHardwareBufferUsageANDROID *)out)->androidHardwareBufferUsage =
				kr_adapter_hardware_buffer_usage(info->usage, info->flags);
		if (out->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
			((VkExternalImageFormatProperties *)out)->externalMemoryProperties =
				memory_of_images();
		if (out->sType ==
			VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES)
			((VkSamplerYcbcrConversionImageFormatProperties *)out)
				->combinedImageSamplerDescriptorCount =
				conversion.combinedImageSamplerDescriptorCount;
	}
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice physicalDevice,
	const VkPhysicalDeviceImageFormatInfo2 *pImageFormatInfo,
	VkImageFormatProperties2 *pImageFormatProperties)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	VkImageCompressionPropertiesEXT compression = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT,
	};
	/* Lavapipe 22.3 reads it without asking whether it is there. */
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 limits = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
	};
	VkImageCreateInfo create = {
		.pNext = pImageFormatInfo->pNext,
		.flags = pImageFormatInfo->flags,
		.imageType = pImageFormatInfo->type,
		.format = pImageFormatInfo->format,
		.extent = {1, 1, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = pImageFormatInfo->tiling,
		.usage = pImageFormatInfo->usage,
	};
	const VkImageCreateInfo asked = create;
	VkResult result;
	bool host;

	if (!is_for_buffers(pImageFormatInfo))
		return ask_driver(gpu, pImageFormatInfo, pImageFormatProperties);
	if (!kr_adapter_image_is_plain(&create) || !choose_way(gpu, &create, &host))
		return answer_beyond_windows(
			gpu, &create, pImageFormatInfo, pImageFormatProperties);
	if (host)
		limits.pNext = &memory;
	/* An ICD that doesn't know the structure leaves it as it is. */
	if (kr_chain_find(pImageFormatProperties->pNext,
		    VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)) {
		compression.pNext = limits.pNext;
		limits.pNext = &compression;
	}
	result = kr_adapter_ask_image(gpu, &create, host, &limits);
	if (result != VK_SUCCESS)
		return result;
	answer(pImageFormatInfo, &compression, &limits.imageFormatProperties,
		pImageFormatProperties);
	say_memory(gpu, &asked, pImageFormatInfo, pImageFormatProperties);
	return VK_SUCCESS;
}

/* VkBuffers over the mapping of a BLOB, where the ICD takes that. */
VKAPI_ATTR void VKAPI_CALL
kr_adapter_GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice physicalDevice,
	const VkPhysicalDeviceExternalBufferInfo *pExternalBufferInfo,
	VkExternalBufferProperties *pExternalBufferProperties)
{
	struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceExternalBufferProperties get =
		vk->GetPhysicalDeviceExternalBufferProperties;

	if (!get ||
		(gpu->api_version < VK_API_VERSION_1_1 &&
			vk->GetPhysicalDeviceExternalBufferPropertiesKHR))
		get = vk->GetPhysicalDeviceExternalBufferPropertiesKHR;
	if (pExternalBufferInfo->handleType != HARDWARE_BUFFER) {
		get(physicalDevice, pExternalBufferInfo, pExternalBufferProperties);
		return;
	}
	pExternalBufferProperties->externalMemoryProperties = (VkExternalMemoryProperties){0};
	if (pExternalBufferInfo->flags || !kr_adapter_offers_hardware_buffers(gpu) ||
		!kr_adapter_blobs_in_host_memory(gpu))
		return;
	pExternalBufferProperties->externalMemoryProperties = (VkExternalMemoryProperties){
		.externalMemoryFeatures = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
			VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
		.exportFromImportedHandleTypes = HARDWARE_BUFFER,
		.compatibleHandleTypes = HARDWARE_BUFFER,
	};
}
