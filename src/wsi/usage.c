/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gralloc usage: the driver translates format and image usage into buffer usage (W-03). It is asked
 * in the newest way that it has; one that refuses is asked in the next.
 */
#include "wsi/usage.h"

#include "util/log.h"
#include "util/macros.h"

static VkSwapchainImageUsageFlagsANDROID
swapchain_usage(const struct kr_wsi_image_info *image)
{
	return image->shared ? VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID : 0;
}

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
ask_image_format(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	return kr_wsi_usage_from_image_format(&device->info.gpu, image, usage)
		? VK_SUCCESS
		: VK_ERROR_FORMAT_NOT_SUPPORTED;
}

/* Compression control may be chained to the two structures. */
static VkResult
ask_usage4(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	VkImageCompressionControlEXT compression = image->compression;
	const VkGrallocUsageInfo2ANDROID info = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_2_ANDROID,
		.pNext = compression.sType ? &compression : NULL,
		.format = image->create.format,
		.imageUsage = image->create.usage,
		.swapchainImageUsage = swapchain_usage(image),
	};

	compression.pNext = NULL;
	if (!device->native.usage4)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	return device->native.usage4(device->info.device, &info, usage);
}

static VkResult
ask_usage3(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	VkImageCompressionControlEXT compression = image->compression;
	const VkGrallocUsageInfoANDROID info = {
		.sType = VK_STRUCTURE_TYPE_GRALLOC_USAGE_INFO_ANDROID,
		.pNext = compression.sType ? &compression : NULL,
		.format = image->create.format,
		.imageUsage = image->create.usage,
	};

	compression.pNext = NULL;
	if (!device->native.usage3)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	return device->native.usage3(device->info.device, &info, usage);
}

static VkResult
ask_usage2(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	uint64_t consumer = 0, producer = 0;
	VkResult result;

	if (!device->native.usage2)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	result = device->native.usage2(device->info.device, image->create.format,
		image->create.usage, swapchain_usage(image), &consumer, &producer);
	if (result == VK_SUCCESS)
		*usage = merge_halves(consumer, producer);
	return result;
}

static VkResult
ask_usage1(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	int bits = 0;
	VkResult result;

	if (!device->native.usage)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	result = device->native.usage(
		device->info.device, image->create.format, image->create.usage, &bits);
	if (result == VK_SUCCESS)
		*usage = (uint32_t)bits;
	return result;
}

typedef VkResult (*ask_function)(
	const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage);

static bool
is_refused(VkResult result)
{
	return result != VK_SUCCESS && result != VK_ERROR_OUT_OF_HOST_MEMORY &&
		result != VK_ERROR_OUT_OF_DEVICE_MEMORY && result != VK_ERROR_DEVICE_LOST;
}

/* Until one isn't refused. */
static VkResult
ask(const struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	/* Versions 3 and 1 can't be told that an image is shared: the others go first then. */
	static const ask_function newest_first[] = {
		ask_image_format, ask_usage4, ask_usage3, ask_usage2, ask_usage1};
	static const ask_function of_shared[] = {
		ask_image_format, ask_usage4, ask_usage2, ask_usage3, ask_usage1};
	const ask_function *order = image->shared ? of_shared : newest_first;
	VkResult result = VK_ERROR_FORMAT_NOT_SUPPORTED;

	for (size_t i = 0; i < KR_ARRAY_LEN(newest_first) && is_refused(result); i++) {
		uint64_t answer = 0;

		result = order[i](device, image, &answer);
		if (result == VK_SUCCESS)
			*usage = answer;
	}
	return result;
}

VkResult
kr_wsi_driver_usage(
	struct kr_wsi_device *device, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	VkResult result = ask(device, image, usage);

	if (!is_refused(result))
		return kr_wsi_note_result(device, result);
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"the driver has no gralloc usage for format %d, usage %#x", image->create.format,
		image->create.usage);
	return VK_ERROR_INITIALIZATION_FAILED;
}
