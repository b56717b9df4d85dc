/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gralloc usage of swapchain images (W-03). Whatever the image is used for, its memory is reached
 * through a mapping, by the ICD's import or by the copy; the GPU bits say what the image is for.
 * Writing by the CPU isn't asked for: that is what others say who do it (refresh.c).
 */
#include "adapter/native.h"

#include "adapter/device.h"
#include "gpu/format.h"
#include "adapter/probe.h"
#include "adapter/shared.h"

/*
 * As Android's gralloc.h (0) and gralloc1.h have them. The 64-bit usage has its CPU bits from the
 * former.
 */
#define SW_READ_OFTEN        0x3
#define HW_TEXTURE           (1 << 8)
#define HW_RENDER            (1 << 9)
#define PRODUCER_CPU_READ    0x6
#define PRODUCER_GPU_RENDER  (1 << 9)
#define CONSUMER_GPU_TEXTURE (1 << 8)

static bool
is_sampled(VkImageUsageFlags usage)
{
	return usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
}

/* Whether such an image can be made at all: with the copy it needs no more than any image. */
static VkResult
check(VkDevice device, VkFormat format, VkImageUsageFlags usage,
	VkSwapchainImageUsageFlagsANDROID swapchain_usage)
{
	const struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkImageCreateInfo info = {
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = usage,
	};

	if (!kr_gpu_format_is_shown(format) || !kr_adapter_image_possible(state->gpu, &info, false))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (!(swapchain_usage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID))
		return VK_SUCCESS;
	/* A shared image has to lie in the buffer itself (shared.h). */
	info.tiling = VK_IMAGE_TILING_LINEAR;
	if (!kr_adapter_shares_images(state->gpu) ||
		!kr_adapter_image_possible(state->gpu, &info, true))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return VK_SUCCESS;
}

/* All bits in one number, as version 9 and later want them; those of version 5 are the same. */
uint64_t
kr_adapter_gralloc_usage(VkImageUsageFlags usage)
{
	return SW_READ_OFTEN | HW_RENDER | (is_sampled(usage) ? HW_TEXTURE : 0);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSwapchainGrallocUsageANDROID(
	VkDevice device, VkFormat format, VkImageUsageFlags imageUsage, int *grallocUsage)
{
	VkResult result = check(device, format, imageUsage, 0);

	if (result == VK_SUCCESS)
		*grallocUsage = (int)kr_adapter_gralloc_usage(imageUsage);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSwapchainGrallocUsage2ANDROID(VkDevice device, VkFormat format,
	VkImageUsageFlags imageUsage, VkSwapchainImageUsageFlagsANDROID swapchainImageUsage,
	uint64_t *grallocConsumerUsage, uint64_t *grallocProducerUsage)
{
	VkResult result = check(device, format, imageUsage, swapchainImageUsage);

	if (result != VK_SUCCESS)
		return result;
	*grallocConsumerUsage = is_sampled(imageUsage) ? CONSUMER_GPU_TEXTURE : 0;
	*grallocProducerUsage = PRODUCER_CPU_READ | PRODUCER_GPU_RENDER;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSwapchainGrallocUsage3ANDROID(
	VkDevice device, const VkGrallocUsageInfoANDROID *grallocUsageInfo, uint64_t *grallocUsage)
{
	VkResult result = check(device, grallocUsageInfo->format, grallocUsageInfo->imageUsage, 0);

	if (result == VK_SUCCESS)
		*grallocUsage = kr_adapter_gralloc_usage(grallocUsageInfo->imageUsage);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSwapchainGrallocUsage4ANDROID(
	VkDevice device, const VkGrallocUsageInfo2ANDROID *grallocUsageInfo, uint64_t *grallocUsage)
{
	VkResult result = check(device, grallocUsageInfo->format, grallocUsageInfo->imageUsage,
		grallocUsageInfo->swapchainImageUsage);

	if (result == VK_SUCCESS)
		*grallocUsage = kr_adapter_gralloc_usage(grallocUsageInfo->imageUsage);
	return result;
}
