/* SPDX-License-Identifier: Apache-2.0 */
/* Which gralloc usage the driver asks for, in each version's way (W-03). */
#include "null/null.h"

#include "null/commands.h"
#include "null/counts.h"
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

	if (result == VK_SUCCESS)
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
		*producer = settings->usage;
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
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetSwapchainGrallocUsage4ANDROID(
	VkDevice device, const VkGrallocUsageInfo2ANDROID *info, uint64_t *usage)
{
	const struct null_settings *settings = settings_of(device);
	VkResult result = check(settings, NULL_USAGE_4, info->format, info->swapchainImageUsage);

	if (result == VK_SUCCESS)
		*usage = settings->usage;
	return result;
}
