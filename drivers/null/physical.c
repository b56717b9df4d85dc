/* SPDX-License-Identifier: Apache-2.0 */
/* What the physical device says of its queues, memory, formats and images. */
#include "null/mutants.h"
#include "null/null.h"

#include <unistd.h>

#include <krafla/hardware_buffer.h>

#include "null/commands.h"
#include "null/counts.h"
#include "null/hardware_buffer.h"

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceQueueFamilyProperties(
	VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *properties)
{
	const struct null_physical_device *physical = (struct null_physical_device *)device;

	null_enumerate(1, properties, count);
	if (!properties || !*count)
		return;
	properties[0] = (VkQueueFamilyProperties){
		.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
		.queueCount = NULL_QUEUE_COUNT,
		.timestampValidBits = 0, /* nothing runs, so nothing takes time */
		.minImageTransferGranularity = {1, 1, 1},
	};
	if (physical->instance->settings.protected_memory)
		properties[0].queueFlags |= VK_QUEUE_PROTECTED_BIT;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceQueueFamilyProperties2(
	VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties2 *properties)
{
	null_GetPhysicalDeviceQueueFamilyProperties(
		device, count, properties ? &properties[0].queueFamilyProperties : NULL);
}

/* Half of the machine's memory: the heap is ordinary host memory. */
VkDeviceSize
null_heap_size(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (VkDeviceSize)pages / 2 * (VkDeviceSize)size : 1u << 28;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceMemoryProperties(
	VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *properties)
{
	const struct null_physical_device *physical = (struct null_physical_device *)device;

	*properties = (VkPhysicalDeviceMemoryProperties){
		.memoryTypeCount = 1,
		.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
				VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
				VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
				VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
			0},
		.memoryHeapCount = 1,
		.memoryHeaps[0] = {null_heap_size(), VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
	};
	if (physical->instance->settings.protected_memory)
		properties->memoryTypes[properties->memoryTypeCount++].propertyFlags =
			VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceMemoryProperties2(
	VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *properties)
{
	null_GetPhysicalDeviceMemoryProperties(device, &properties->memoryProperties);
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceFormatProperties(
	VkPhysicalDevice device, VkFormat format, VkFormatProperties *properties)
{
	const struct null_abilities *abilities = null_abilities_of(device);
	struct null_format info = null_format_get(format);

	*properties = (VkFormatProperties){info.linear, info.optimal, info.buffer};
	for (uint32_t i = 0; i < abilities->format_count; i++) {
		if (abilities->formats[i].format == format)
			properties->optimalTilingFeatures = abilities->formats[i].optimal;
	}
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceFormatProperties2(
	VkPhysicalDevice device, VkFormat format, VkFormatProperties2 *properties)
{
	VkFormatProperties *plain = &properties->formatProperties;
	VkBaseOutStructure *out;

	null_GetPhysicalDeviceFormatProperties(device, format, plain);
	for (out = properties->pNext; out; out = out->pNext) {
		VkFormatProperties3 *third = (VkFormatProperties3 *)out;

		if (out->sType != VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3)
			continue;
		third->linearTilingFeatures = plain->linearTilingFeatures;
		third->optimalTilingFeatures = plain->optimalTilingFeatures;
		third->bufferFeatures = plain->bufferFeatures;
	}
}

static VkFormatFeatureFlags
features_needed(VkImageUsageFlags usage)
{
	static const struct {
		VkImageUsageFlags usage;
		VkFormatFeatureFlags feature;
	} pairs[] = {
		{VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT},
		{VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_TRANSFER_DST_BIT},
		{VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT},
		{VK_IMAGE_USAGE_STORAGE_BIT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT},
		{VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT},
		{VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
			VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT},
	};
	VkFormatFeatureFlags needed = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(pairs); i++) {
		if (usage & pairs[i].usage)
			needed |= pairs[i].feature;
	}
	return needed;
}

static uint32_t
levels_of(uint32_t size)
{
	uint32_t levels = 1;

	while (size >>= 1)
		levels++;
	return levels;
}

static VkExtent3D
max_extent(const VkPhysicalDeviceLimits *limits, VkImageType type)
{
	if (type == VK_IMAGE_TYPE_1D)
		return (VkExtent3D){limits->maxImageDimension1D, 1, 1};
	if (type == VK_IMAGE_TYPE_2D)
		return (VkExtent3D){limits->maxImageDimension2D, limits->maxImageDimension2D, 1};
	return (VkExtent3D){limits->maxImageDimension3D, limits->maxImageDimension3D,
		limits->maxImageDimension3D};
}

static VkImageCreateFlags
unsupported_flags(const struct null_settings *settings)
{
	VkImageCreateFlags flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
		VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT |
		VK_IMAGE_CREATE_DISJOINT_BIT;

	if (!settings->mutable_format)
		flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
	if (!settings->protected_memory)
		flags |= VK_IMAGE_CREATE_PROTECTED_BIT;
	if (!settings->multisampled_resolve)
		flags |= VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
	return flags;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice device, VkFormat format,
	VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkImageFormatProperties *properties)
{
	const VkPhysicalDeviceLimits *limits = &null_abilities_of(device)->limits;
	struct null_format info = null_format_get(format);
	VkFormatFeatureFlags has = tiling == VK_IMAGE_TILING_LINEAR ? info.linear : info.optimal;
	bool plain = tiling == VK_IMAGE_TILING_OPTIMAL && type == VK_IMAGE_TYPE_2D;
	VkImageCreateFlags unsupported =
		unsupported_flags(&((struct null_physical_device *)device)->instance->settings);

	if (!has || (features_needed(usage) & ~has) || (flags & unsupported) ||
		(tiling != VK_IMAGE_TILING_OPTIMAL && tiling != VK_IMAGE_TILING_LINEAR))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	*properties = (VkImageFormatProperties){
		.maxExtent = max_extent(limits, type),
		.maxMipLevels = tiling == VK_IMAGE_TILING_LINEAR
			? 1
			: levels_of(max_extent(limits, type).width),
		.maxArrayLayers = type == VK_IMAGE_TYPE_3D || tiling == VK_IMAGE_TILING_LINEAR
			? 1
			: limits->maxImageArrayLayers,
		.sampleCounts = plain && !(flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
			? VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT
			: VK_SAMPLE_COUNT_1_BIT,
		.maxResourceSize = KR_MAX(null_heap_size(), (VkDeviceSize)1 << 31),
	};
	return VK_SUCCESS;
}

/*
 * The question for AHardwareBuffers: a HAL driver of version 11 answers it for the usage, and who
 * has the extension for the memory, too.
 */
static bool
asks_for_hardware_buffer(const struct null_instance *instance, const void *chain)
{
	const VkPhysicalDeviceExternalImageFormatInfo *external = NULL;

	for (const VkBaseInStructure *in = chain; in; in = in->pNext) {
		if (in->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO)
			external = (const void *)in;
	}
	if (!external ||
		external->handleType !=
			VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID)
		return false;
	return instance->settings.hardware_buffers ||
		(instance->hal && null_settings_have_query(&instance->settings, NULL_USAGE_AHB));
}

/* What the buffers of such images are for, beside what the setting asks for. */
static void
fill_hardware_buffer_usage(const struct null_settings *settings, VkImageUsageFlags usage,
	VkAndroidHardwareBufferUsageANDROID *out)
{
	if (settings->ignores_ahb_usage || null_has_fault(ahb_usage_is_left))
		return;
	out->androidHardwareBufferUsage = settings->usage;
	if (usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT))
		out->androidHardwareBufferUsage |= AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE;
	if (usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)
		out->androidHardwareBufferUsage |= AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER;
	if (null_has_fault(ahb_usage_asks_for_video))
		out->androidHardwareBufferUsage |= AHARDWAREBUFFER_USAGE_VIDEO_ENCODE;
}

static void
fill_image_format_chain(const struct null_settings *settings,
	const VkPhysicalDeviceImageFormatInfo2 *info, bool hardware_buffer, VkBaseOutStructure *out)
{
	const VkImageCompressionControlEXT *control = NULL;

	for (const VkBaseInStructure *in = info->pNext; in; in = in->pNext) {
		if (in->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT)
			control = (const void *)in;
	}
	for (; out; out = out->pNext) {
		if (out->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
			((VkExternalImageFormatProperties *)out)->externalMemoryProperties =
				hardware_buffer && settings->hardware_buffers
				? null_hardware_properties(true)
				: (VkExternalMemoryProperties){0};
		if (out->sType == VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID &&
			hardware_buffer)
			fill_hardware_buffer_usage(settings, info->usage, (void *)out);
		if (out->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT &&
			settings->compression_control)
			null_fill_compression(control, (void *)out);
	}
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice device,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	const struct null_instance *instance = ((struct null_physical_device *)device)->instance;
	bool hardware_buffer = asks_for_hardware_buffer(instance, info->pNext);
	VkImageFormatProperties *plain = &properties->imageFormatProperties;
	const VkBaseInStructure *in;
	VkResult result;

	null_count_chain(info->pNext);
	null_count_chain(properties->pNext);
	/* No image of this driver can be shared through another handle. */
	for (in = info->pNext; in; in = in->pNext) {
		const VkPhysicalDeviceExternalImageFormatInfo *external = (const void *)in;

		if (in->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO &&
			external->handleType && !hardware_buffer)
			return VK_ERROR_FORMAT_NOT_SUPPORTED;
	}
	if (hardware_buffer) {
		null_count(usage_queries[NULL_USAGE_AHB]);
		if (null_settings_have_query(&instance->settings, NULL_USAGE_AHB) &&
			!null_settings_answer(&instance->settings, NULL_USAGE_AHB))
			return VK_ERROR_FORMAT_NOT_SUPPORTED;
	}
	fill_image_format_chain(&instance->settings, info, hardware_buffer, properties->pNext);
	result = null_GetPhysicalDeviceImageFormatProperties(
		device, info->format, info->type, info->tiling, info->usage, info->flags, plain);
	/* Buffers are of CPUs' memory: flat. */
	if (result == VK_SUCCESS && hardware_buffer && instance->settings.hardware_buffers) {
		plain->maxMipLevels = 1;
		plain->maxArrayLayers = 1;
		plain->sampleCounts = VK_SAMPLE_COUNT_1_BIT;
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice device, VkFormat format,
	VkImageType type, VkSampleCountFlagBits samples, VkImageUsageFlags usage,
	VkImageTiling tiling, uint32_t *count, VkSparseImageFormatProperties *properties)
{
	null_enumerate(0, properties, count);
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice device,
	const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
	VkSparseImageFormatProperties2 *properties)
{
	null_enumerate(0, properties, count);
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice device,
	const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *properties)
{
	const struct null_instance *instance = ((struct null_physical_device *)device)->instance;
	bool has = instance->settings.hardware_buffers && !info->flags &&
		info->handleType == NULL_HARDWARE_BUFFER;

	properties->externalMemoryProperties =
		has ? null_hardware_properties(false) : (VkExternalMemoryProperties){0};
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice device,
	const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *properties)
{
	VkExternalFenceFeatureFlags features = null_abilities_of(device)->fences;
	bool has = features && info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;

	properties->exportFromImportedHandleTypes = has ? (uint32_t)info->handleType : 0;
	properties->compatibleHandleTypes = has ? (uint32_t)info->handleType : 0;
	properties->externalFenceFeatures = has ? features : 0;
}

VKAPI_ATTR void VKAPI_CALL
null_GetPhysicalDeviceExternalSemaphoreProperties(VkPhysicalDevice device,
	const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *properties)
{
	VkExternalSemaphoreFeatureFlags features = null_abilities_of(device)->semaphores;
	bool has = features && info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;

	properties->exportFromImportedHandleTypes = has ? (uint32_t)info->handleType : 0;
	properties->compatibleHandleTypes = has ? (uint32_t)info->handleType : 0;
	properties->externalSemaphoreFeatures = has ? features : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetPhysicalDeviceToolProperties(
	VkPhysicalDevice device, uint32_t *count, VkPhysicalDeviceToolProperties *properties)
{
	return null_enumerate(0, properties, count);
}
