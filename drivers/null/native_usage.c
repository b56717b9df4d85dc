/* SPDX-License-Identifier: Apache-2.0 */
/* Which gralloc usage the driver asks for, in each version's way (W-03). */
#include "null/null.h"

#include <krafla/hardware_buffer.h>
#include <stdlib.h>

#include "null/commands.h"
#include "null/counts.h"
#include "null/mutants.h"
#include "null/settings.h"

static const struct null_settings *
settings_of(VkDevice device)
{
	return &null_device_from_handle(device)->physical_device->instance->settings;
}

static VkResult
check(const struct null_settings *settings, enum null_usage_query query, VkFormat format,
	VkSwapchainImageUsageFlagsANDROID swapchain)
{
	bool shared = swapchain & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID;

	null_count(usage_queries[query]);
	if (!null_settings_answer(settings, query) || (shared && !settings->shared) ||
		!(null_format_get(format).optimal & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return VK_SUCCESS;
}

/* It never touches a buffer of its own accord: what it asks for is a setting. */
VKAPI_ATTR VkResult VKAPI_CALL
null_GetSwapchainGrallocUsageANDROID(
	VkDevice device, VkFormat format, VkImageUsageFlags image_usage, int *usage)
{
	const struct null_settings *settings = settings_of(device);
	VkResult result = check(settings, NULL_USAGE_1, format, 0);

	if (!null_format_get(format).block_size && null_has_fault(usage1_of_no_format_crashes))
		abort();
	if (result == VK_SUCCESS && !null_has_fault(usage1_says_nothing))
		*usage = (int)settings->usage;
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetSwapchainGrallocUsage2ANDROID(VkDevice device, VkFormat format,
	VkImageUsageFlags image_usage, VkSwapchainImageUsageFlagsANDROID swapchain_usage,
	uint64_t *consumer, uint64_t *producer)
{
	const struct null_settings *settings = settings_of(device);
	VkResult result = check(settings, NULL_USAGE_2, format, swapchain_usage);

	if (result == VK_SUCCESS) {
		*consumer = 0;
		if (!null_has_fault(usage2_says_half))
			*producer = settings->usage;
		if (null_has_fault(usage2_asks_for_more))
			*producer |= AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY;
	}
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetSwapchainGrallocUsage3ANDROID(
	VkDevice device, const VkGrallocUsageInfoANDROID *info, uint64_t *usage)
{
	const struct null_settings *settings = settings_of(device);
	VkResult result = check(settings, NULL_USAGE_3, info->format, 0);

	if (result == VK_SUCCESS)
		*usage = settings->usage;
	if (result == VK_SUCCESS && null_has_fault(usage3_asks_for_protection))
		*usage |= AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;
	if (result == VK_SUCCESS && null_has_fault(usage3_asks_for_video))
		*usage |= AHARDWAREBUFFER_USAGE_VIDEO_ENCODE;
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetSwapchainGrallocUsage4ANDROID(
	VkDevice device, const VkGrallocUsageInfo2ANDROID *info, uint64_t *usage)
{
	const struct null_settings *settings = settings_of(device);
	VkResult result = check(settings, NULL_USAGE_4, info->format, info->swapchainImageUsage);
	static unsigned asked;

	if (info->swapchainImageUsage && null_has_fault(usage4_refuses_shared))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (result == VK_SUCCESS)
		*usage = settings->usage;
	if (result == VK_SUCCESS && null_has_fault(usage4_asks_for_cubes))
		*usage |= AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP;
	if (result == VK_SUCCESS && null_has_fault(usage4_changes) && ++asked % 2)
		*usage |= AHARDWAREBUFFER_USAGE_CPU_READ_RARELY;
	return result;
}
