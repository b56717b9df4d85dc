/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the ICD what it can share. */
#include "adapter/probe.h"

#include "adapter/device.h"
#include "adapter/tuning.h"
#include "chain/chain.h"
#include "util/clock.h"

struct kr_adapter_tuning kr_adapter_tuning = {
	.acquire_limit_ns = 5 * KR_NSEC_PER_SEC,
	.landing_limit_ns = 5 * KR_NSEC_PER_SEC,
};

bool
kr_adapter_has_sync_fd_semaphore(const struct kr_adapter_gpu *gpu)
{
	const VkExternalSemaphoreFeatureFlags both = VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
		VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceExternalSemaphoreProperties get =
		vk->GetPhysicalDeviceExternalSemaphoreProperties;
	const VkPhysicalDeviceExternalSemaphoreInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalSemaphoreProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES,
	};

	if (!get || gpu->api_version < VK_API_VERSION_1_1)
		get = vk->GetPhysicalDeviceExternalSemaphorePropertiesKHR;
	if (!get)
		return false;
	get(gpu->handle, &info, &properties);
	return (properties.externalSemaphoreFeatures & both) == both;
}

bool
kr_adapter_has_sync_fd_fence(const struct kr_adapter_gpu *gpu)
{
	const VkExternalFenceFeatureFlags both =
		VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT;
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceExternalFenceProperties get =
		vk->GetPhysicalDeviceExternalFenceProperties;
	const VkPhysicalDeviceExternalFenceInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
		.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalFenceProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES,
	};

	if (!get || gpu->api_version < VK_API_VERSION_1_1)
		get = vk->GetPhysicalDeviceExternalFencePropertiesKHR;
	if (!get)
		return false;
	get(gpu->handle, &info, &properties);
	return (properties.externalFenceFeatures & both) == both;
}

bool
kr_adapter_can_import(const struct kr_adapter_gpu *gpu, const struct kr_enabled *enabled)
{
	return !kr_adapter_tuning.no_sync_fd &&
		kr_enabled_has(enabled, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
		kr_enabled_has(enabled, VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME) &&
		kr_adapter_has_sync_fd_semaphore(gpu) && kr_adapter_has_sync_fd_fence(gpu);
}

VkDeviceSize
kr_adapter_host_alignment(const struct kr_adapter_gpu *gpu)
{
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceProperties2 get = vk->GetPhysicalDeviceProperties2;
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &host,
	};

	if (!get || gpu->api_version < VK_API_VERSION_1_1)
		get = vk->GetPhysicalDeviceProperties2KHR;
	if (get)
		get(gpu->handle, &properties);
	return host.minImportedHostPointerAlignment;
}

/*
 * Dedicated memory must have the size that the image wants, imported memory that of the mapping,
 * and memory that an application's image shares (W-06) can't be one image's alone.
 */
static bool
importable(const VkExternalMemoryProperties *memory)
{
	const VkExternalMemoryFeatureFlags both = VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT |
		VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;

	return (memory->externalMemoryFeatures & both) == VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

static bool
large_enough(const VkImageFormatProperties *properties, const VkImageCreateInfo *info)
{
	return properties->maxExtent.width >= info->extent.width &&
		properties->maxExtent.height >= info->extent.height;
}

/* What an application may do with an image of a usage beyond what the usage itself says. */
static VkFormatFeatureFlags
features_of(VkImageUsageFlags usage)
{
	static const struct {
		VkImageUsageFlags usage;
		VkFormatFeatureFlags features;
	} table[] = {
		{VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_FORMAT_FEATURE_BLIT_SRC_BIT},
		{VK_IMAGE_USAGE_TRANSFER_DST_BIT, VK_FORMAT_FEATURE_BLIT_DST_BIT},
		{VK_IMAGE_USAGE_SAMPLED_BIT, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT},
		{VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT},
	};
	VkFormatFeatureFlags features = 0;

	for (size_t i = 0; i < KR_ARRAY_LEN(table); i++)
		features |= usage & table[i].usage ? table[i].features : 0;
	return features;
}

static bool
linear_does_the_same_for(
	const struct kr_adapter_gpu *gpu, VkFormat format, VkFormatFeatureFlags wanted)
{
	const struct kr_instance_table *vk = &gpu->instance->vk;
	VkFormatProperties properties;

	if (!vk->GetPhysicalDeviceFormatProperties)
		return false;
	vk->GetPhysicalDeviceFormatProperties(gpu->handle, format, &properties);
	wanted &= properties.optimalTilingFeatures;
	return (properties.linearTilingFeatures & wanted) == wanted;
}

/* Views of other formats are asked about, too; without a list nobody knows which they are. */
bool
kr_adapter_linear_does_the_same(const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info)
{
	const VkImageFormatListCreateInfo *list =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
	VkFormatFeatureFlags wanted = features_of(info->usage);
	uint32_t count = list ? list->viewFormatCount : 0;

	if ((info->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) && !count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!linear_does_the_same_for(gpu, list->pViewFormats[i], wanted))
			return false;
	}
	return linear_does_the_same_for(gpu, info->format, wanted);
}

static PFN_vkGetPhysicalDeviceImageFormatProperties2
get_image_format(const struct kr_adapter_gpu *gpu)
{
	const struct kr_instance_table *vk = &gpu->instance->vk;

	if (vk->GetPhysicalDeviceImageFormatProperties2 && gpu->api_version >= VK_API_VERSION_1_1)
		return vk->GetPhysicalDeviceImageFormatProperties2;
	return vk->GetPhysicalDeviceImageFormatProperties2KHR;
}

/* The question for an image with all that its chain says of it. */
struct question {
	VkPhysicalDeviceImageFormatInfo2 info;
	VkImageFormatListCreateInfo list;
	VkImageCompressionControlEXT compression;
	VkPhysicalDeviceExternalImageFormatInfo external;
};

static void
init_question(struct question *question, const VkImageCreateInfo *info, bool host)
{
	const VkImageFormatListCreateInfo *list =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
	const VkImageCompressionControlEXT *compression =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT);

	*question = (struct question){
		.info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
			.format = info->format,
			.type = info->imageType,
			.tiling = info->tiling,
			.usage = info->usage,
			.flags = info->flags},
		.external = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
			.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT},
	};
	if (list) {
		question->list = *list;
		question->list.pNext = question->info.pNext;
		question->info.pNext = &question->list;
	}
	if (compression) {
		question->compression = *compression;
		question->compression.pNext = question->info.pNext;
		question->info.pNext = &question->compression;
	}
	if (host) {
		question->external.pNext = question->info.pNext;
		question->info.pNext = &question->external;
	}
}

VkResult
kr_adapter_ask_image(const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info, bool host,
	VkImageFormatProperties2 *properties)
{
	PFN_vkGetPhysicalDeviceImageFormatProperties2 get = get_image_format(gpu);
	struct question question;

	init_question(&question, info, host);
	if (get && (question.info.pNext || properties->pNext || info->flags))
		return get(gpu->handle, &question.info, properties);
	if (host)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return gpu->instance->vk.GetPhysicalDeviceImageFormatProperties(gpu->handle, info->format,
		info->imageType, info->tiling, info->usage, info->flags,
		&properties->imageFormatProperties);
}

/* Of multisampled rendering into the image, which LINEAR ones may do with fewer samples or none. */
static bool
linear_has_the_samples(
	const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info, VkSampleCountFlags samples)
{
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
	};
	VkImageCreateInfo optimal = *info;

	if (!(info->flags & VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT))
		return true;
	optimal.tiling = VK_IMAGE_TILING_OPTIMAL;
	return kr_adapter_ask_image(gpu, &optimal, false, &properties) != VK_SUCCESS ||
		!(properties.imageFormatProperties.sampleCounts & ~samples);
}

bool
kr_adapter_image_possible(
	const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info, bool host)
{
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = host ? &memory : NULL,
	};

	if (host && !kr_adapter_linear_does_the_same(gpu, info))
		return false;
	return kr_adapter_ask_image(gpu, info, host, &properties) == VK_SUCCESS &&
		large_enough(&properties.imageFormatProperties, info) &&
		(!host ||
			(importable(&memory.externalMemoryProperties) &&
				linear_has_the_samples(
					gpu, info, properties.imageFormatProperties.sampleCounts)));
}

/* A type that the ICD knows is at least compatible with itself. */
static enum kr_said
what_was_said(const VkExternalMemoryProperties *memory)
{
	if (importable(memory))
		return KR_SAID_YES;
	return memory->externalMemoryFeatures || memory->compatibleHandleTypes ? KR_SAID_NO
									       : KR_SAID_NOTHING;
}

enum kr_said
kr_adapter_host_image_said(const struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info)
{
	VkExternalImageFormatProperties memory = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
		.pNext = &memory,
	};

	if (kr_adapter_ask_image(gpu, info, true, &properties) != VK_SUCCESS ||
		!large_enough(&properties.imageFormatProperties, info))
		return KR_SAID_NO;
	return what_was_said(&memory.externalMemoryProperties);
}

enum kr_said
kr_adapter_host_buffer_said(const struct kr_adapter_gpu *gpu)
{
	const struct kr_instance_table *vk = &gpu->instance->vk;
	PFN_vkGetPhysicalDeviceExternalBufferProperties get =
		vk->GetPhysicalDeviceExternalBufferProperties;
	const VkPhysicalDeviceExternalBufferInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkExternalBufferProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
	};

	if (!get || gpu->api_version < VK_API_VERSION_1_1)
		get = vk->GetPhysicalDeviceExternalBufferPropertiesKHR;
	if (!get)
		return KR_SAID_NO;
	get(gpu->handle, &info, &properties);
	return what_was_said(&properties.externalMemoryProperties);
}

void
kr_adapter_probe(struct kr_adapter_device *device, const struct kr_enabled *enabled)
{
	const struct kr_adapter_gpu *gpu = device->gpu;
	const struct kr_device_table *vk = &device->vk;

	gpu->instance->vk.GetPhysicalDeviceMemoryProperties(gpu->handle, &device->memory);
	device->memory.memoryTypeCount =
		KR_MIN(device->memory.memoryTypeCount, (uint32_t)VK_MAX_MEMORY_TYPES);
	device->sync_fd_semaphore = !kr_adapter_tuning.no_sync_fd && vk->ImportSemaphoreFdKHR &&
		vk->GetSemaphoreFdKHR &&
		kr_enabled_has(enabled, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
		kr_adapter_has_sync_fd_semaphore(gpu);
	device->sync_fd_fence = !kr_adapter_tuning.no_sync_fd && vk->ImportFenceFdKHR &&
		vk->GetFenceFdKHR &&
		kr_enabled_has(enabled, VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME) &&
		kr_adapter_has_sync_fd_fence(gpu);
	if (vk->GetMemoryHostPointerPropertiesEXT &&
		kr_enabled_has(enabled, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
		device->host_alignment = kr_adapter_host_alignment(gpu);
}
