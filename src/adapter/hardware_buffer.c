/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The question for an AHardwareBuffer's usage, as VK_ANDROID_native_buffer 11 has it (W-03): an
 * image format query for that handle type. The adapter answers for images as it makes them; every
 * other query is the ICD's.
 */
#include <string.h>

#include "adapter/format.h"
#include "adapter/image.h"
#include "adapter/probe.h"
#include "chain/chain.h"

static bool
is_for_buffers(const VkPhysicalDeviceImageFormatInfo2 *info)
{
	const VkPhysicalDeviceExternalImageFormatInfo *external = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);

	return external &&
		external->handleType ==
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID;
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
		/* As memory of its own, without the platform, such a buffer isn't imported. */
		if (out->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
			((VkExternalImageFormatProperties *)out)->externalMemoryProperties =
				(VkExternalMemoryProperties){0};
		if (out->sType != VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
			continue;
		asked->imageCompressionFlags = compression->imageCompressionFlags;
		asked->imageCompressionFixedRateFlags = compression->imageCompressionFixedRateFlags;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice physicalDevice,
	const VkPhysicalDeviceImageFormatInfo2 *pImageFormatInfo,
	VkImageFormatProperties2 *pImageFormatProperties)
{
	const struct kr_adapter_gpu *gpu = kr_adapter_gpu_from_handle(physicalDevice);
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
	VkResult result;
	bool host;

	if (!is_for_buffers(pImageFormatInfo))
		return ask_driver(gpu, pImageFormatInfo, pImageFormatProperties);
	if (!kr_adapter_image_is_plain(&create) || !choose_way(gpu, &create, &host))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (host)
		limits.pNext = &memory;
	/* An ICD that doesn't know the structure leaves it as it is. */
	if (kr_chain_find(pImageFormatProperties->pNext,
		    VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)) {
		compression.pNext = limits.pNext;
		limits.pNext = &compression;
	}
	result = kr_adapter_ask_image(gpu, &create, host, &limits);
	if (result == VK_SUCCESS)
		answer(pImageFormatInfo, &compression, &limits.imageFormatProperties,
			pImageFormatProperties);
	return result;
}
