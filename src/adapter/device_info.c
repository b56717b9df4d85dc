/* SPDX-License-Identifier: Apache-2.0 */
/* Translating a VkDeviceCreateInfo. */
#include "adapter/device_info.h"

#include <string.h>

#include <krafla/native_buffer.h>

#include "adapter/external.h"
#include "adapter/foreign.h"
#include "adapter/hidden_features.h"
#include "adapter/probe.h"
#include "chain/chain.h"
#include "gen/handle_reach.h"
#include "util/log.h"

/* Before Vulkan 1.1 the base extensions must be enabled by name. */
static const char *const wanted_by_1_0[] = {
	VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
	VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME,
	VK_KHR_EXTERNAL_FENCE_EXTENSION_NAME,
	NULL,
};

static const char *const wanted_extensions[] = {
	VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
	VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
	VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME,
	NULL,
};

#define WANTED_MAX 16

static bool
asks_for(const VkDeviceCreateInfo *info, const char *name)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		if (!strcmp(info->ppEnabledExtensionNames[i], name))
			return true;
	}
	return false;
}

/* The platform sees to the first extensions of swapchains itself, and leaves them to be dropped. */
static bool
is_hidden(const struct kr_adapter_instance *instance, const char *name)
{
	return kr_device_extension_is_hidden(name) ||
		(!instance->options.keep_driver_wsi && kr_device_extension_is_handled(name) &&
			!kr_adapter_is_swapchain_extension(name));
}

/* What the ICD doesn't hear of. */
static bool
is_our_own(const struct kr_adapter_gpu *gpu, const char *name)
{
	return !strcmp(name, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME) ||
		!strcmp(name, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME) ||
		(!strcmp(name, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME) &&
			!kr_adapter_has_foreign(gpu));
}

/* The application's extensions that the ICD shall have. */
static VkResult
keep_extensions(struct kr_enabled *enabled, const struct kr_adapter_gpu *gpu,
	const VkDeviceCreateInfo *info)
{
	const struct kr_adapter_instance *instance = gpu->instance;

	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];

		if (is_hidden(instance, name)) {
			kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
				"vkCreateDevice: %s is not had by the platform's swapchains", name);
			return VK_ERROR_EXTENSION_NOT_PRESENT;
		}
		if (is_our_own(gpu, name))
			continue;
		if (instance->options.keep_driver_wsi || !kr_adapter_is_swapchain_extension(name))
			kr_enabled_add(enabled, name);
	}
	return VK_SUCCESS;
}

static VkResult
choose_extensions(struct kr_adapter_device_info *device_info, const struct kr_adapter_gpu *gpu,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator)
{
	struct kr_enabled *enabled = &device_info->enabled;
	struct kr_offered offered;
	VkResult result;

	result = kr_enabled_init(enabled, info->enabledExtensionCount + WANTED_MAX, allocator);
	if (result != VK_SUCCESS)
		return result;
	result = keep_extensions(enabled, gpu, info);
	if (result != VK_SUCCESS || !device_info->engaged)
		return result;
	result = kr_offered_device(gpu->instance, gpu->handle, allocator, &offered);
	if (result != VK_SUCCESS)
		return result;
	if (gpu->api_version < VK_API_VERSION_1_1)
		kr_enabled_add_offered(enabled, &offered, wanted_by_1_0);
	kr_enabled_add_offered(enabled, &offered, wanted_extensions);
	kr_adapter_external_enable(gpu, &offered, enabled);
	/* For the layout of shared images. */
	if (!gpu->discrete && kr_offered_shared_layout(&offered, gpu->instance)) {
		kr_enabled_add(enabled, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
		kr_enabled_add(enabled, VK_KHR_SHARED_PRESENTABLE_IMAGE_EXTENSION_NAME);
	}
	kr_offered_finish(&offered);
	/* With SYNC_FD an acquire needs no queue, unless it has to take an image back. */
	device_info->helper = device_info->presents &&
		(!kr_adapter_can_import(gpu, enabled) ||
			kr_enabled_has(enabled, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME));
	return VK_SUCCESS;
}

/* As a structure of its own, or as one of those of Vulkan 1.1. */
static bool
asks_for_conversions(const VkDeviceCreateInfo *info)
{
	const VkPhysicalDeviceSamplerYcbcrConversionFeatures *alone = kr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES);
	const VkPhysicalDeviceVulkan11Features *all =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);

	return (alone && alone->samplerYcbcrConversion) || (all && all->samplerYcbcrConversion);
}

VkResult
kr_adapter_device_info_init(struct kr_adapter_device_info *device_info,
	const struct kr_adapter_gpu *gpu, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator)
{
	kr_chain_test hidden = kr_adapter_hidden_features(gpu->instance);
	VkResult result;

	*device_info = (struct kr_adapter_device_info){.info = *info};
	kr_arena_init(&device_info->arena, allocator);
	device_info->presents = asks_for(info, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME) ||
		asks_for(info, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
	device_info->hardware_buffers =
		asks_for(info, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME);
	device_info->engaged = device_info->presents || device_info->hardware_buffers;
	device_info->conversions = asks_for_conversions(info);
	result = kr_adapter_check_hidden_features(info->pNext, hidden);
	if (result != VK_SUCCESS)
		return result;
	result = choose_extensions(device_info, gpu, info, allocator);
	if (result != VK_SUCCESS)
		goto err_finish;
	result = kr_chain_strip(&device_info->arena, info->pNext, hidden, "vkCreateDevice",
		&device_info->info.pNext);
	if (result != VK_SUCCESS)
		goto err_finish;
	device_info->info.enabledExtensionCount = device_info->enabled.count;
	device_info->info.ppEnabledExtensionNames = device_info->enabled.names;
	result = kr_adapter_queue_plan_init(&device_info->queues, gpu, info, device_info->presents,
		device_info->helper, allocator);
	if (result != VK_SUCCESS)
		goto err_finish;
	device_info->info.queueCreateInfoCount = device_info->queues.count;
	device_info->info.pQueueCreateInfos = device_info->queues.infos;
	return VK_SUCCESS;

err_finish:
	kr_adapter_device_info_finish(device_info);
	return result;
}

void
kr_adapter_device_info_finish(struct kr_adapter_device_info *device_info)
{
	kr_adapter_queue_plan_finish(&device_info->queues);
	kr_arena_finish(&device_info->arena);
	kr_enabled_finish(&device_info->enabled);
}
