/* SPDX-License-Identifier: Apache-2.0 */
/* Gralloc usage: the driver translates format and image usage into buffer usage (W-03). */
#include "wsi/swapchain.h"

#include "util/log.h"

/* Gralloc 1's halves to one set of bits: "often" is spelled 6 and 0x60 there, 3 and 0x30 here. */
static uint64_t
merge_halves(uint64_t consumer, uint64_t producer)
{
	uint64_t merged = consumer | producer;

	if ((merged & 0x6) == 0x6)
		merged = (merged & ~UINT64_C(0x6)) | 0x3;
	if ((merged & 0x60) == 0x60)
		merged = (merged & ~UINT64_C(0x60)) | 0x30;
	return merged;
}

static VkResult
ask_usage2(
	const struct kr_wsi_device *device, const VkSwapchainCreateInfoKHR *info, uint64_t *usage)
{
	uint64_t consumer = 0, producer = 0;
	VkResult result = device->native.usage2(
		device->info.device, info->imageFormat, info->imageUsage, 0, &consumer, &producer);

	if (result == VK_SUCCESS)
		*usage = merge_halves(consumer, producer);
	return result;
}

static VkResult
ask_usage1(
	const struct kr_wsi_device *device, const VkSwapchainCreateInfoKHR *info, uint64_t *usage)
{
	int bits = 0;
	VkResult result = device->native.usage(
		device->info.device, info->imageFormat, info->imageUsage, &bits);

	if (result == VK_SUCCESS)
		*usage = (uint32_t)bits;
	return result;
}

/* The newest function that the driver has. */
static VkResult
ask(const struct kr_wsi_device *device, const VkSwapchainCreateInfoKHR *info, uint64_t *usage)
{
	const VkGrallocUsageInfo2ANDROID info4 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.format = info->imageFormat,
		.imageUsage = info->imageUsage,
	};
	const VkGrallocUsageInfoANDROID info3 = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID,
		.format = info->imageFormat,
		.imageUsage = info->imageUsage,
	};

	if (device->native.usage4)
		return device->native.usage4(device->info.device, &info4, usage);
	if (device->native.usage3)
		return device->native.usage3(device->info.device, &info3, usage);
	if (device->native.usage2)
		return ask_usage2(device, info, usage);
	return ask_usage1(device, info, usage);
}

VkResult
kr_wsi_driver_usage(
	struct kr_wsi_device *device, const VkSwapchainCreateInfoKHR *info, uint64_t *usage)
{
	uint64_t answer = 0;
	VkResult result = ask(device, info, &answer);

	switch (result) {
	case VK_SUCCESS:
		*usage = answer;
		return VK_SUCCESS;
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
	case VK_ERROR_DEVICE_LOST:
		return kr_wsi_note_result(device, result);
	default:
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"the driver has no gralloc usage for format %d, usage %#x (%d)",
			info->imageFormat, info->imageUsage, result);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
}
