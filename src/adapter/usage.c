/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gralloc usage of swapchain images (W-03). Whatever the image is used for, its memory is reached
 * through a mapping, by the ICD's import or by the copy; the GPU bits say what the image is for.
 */
#include "adapter/native.h"

#include "adapter/device.h"
#include "adapter/format.h"
#include "adapter/probe.h"

/*
 * As Android's gralloc.h (0) and gralloc1.h have them. The 64-bit usage has its CPU bits from the
 * former.
 */
#define SW_READ_OFTEN        0x3
#define SW_WRITE_OFTEN       0x30
#define HW_TEXTURE           (1 << 8)
#define HW_RENDER            (1 << 9)
#define PRODUCER_CPU_READ    0x6
#define PRODUCER_CPU_WRITE   0x60
#define PRODUCER_GPU_RENDER  (1 << 9)
#define CONSUMER_GPU_TEXTURE (1 << 8)

static bool
is_sampled(VkImageUsageFlags usage)
{
	return usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
}

/* Whether such an image can be made at all: with the copy it needs no more than any image. */
static VkResult
check(VkDevice device, VkFormat format, VkImageUsageFlags usage)
{
	const struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	const VkImageCreateInfo info = {
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = usage,
	};

	if (!kr_adapter_format_bytes(format) ||
		!kr_adapter_image_possible(state->gpu, &info, false))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSwapchainGrallocUsageANDROID(
	VkDevice device, VkFormat format, VkImageUsageFlags imageUsage, int *grallocUsage)
{
	VkResult result = check(device, format, imageUsage);

	if (result == VK_SUCCESS)
		*grallocUsage = SW_READ_OFTEN | SW_WRITE_OFTEN | HW_RENDER |
			(is_sampled(imageUsage) ? HW_TEXTURE : 0);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_GetSwapchainGrallocUsage2ANDROID(VkDevice device, VkFormat format,
	VkImageUsageFlags imageUsage, VkSwapchainImageUsageFlagsANDROID swapchainImageUsage,
	uint64_t *grallocConsumerUsage, uint64_t *grallocProducerUsage)
{
	VkResult result = check(device, format, imageUsage);

	/* sharedImage is false (W-10). */
	if (swapchainImageUsage & VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (result != VK_SUCCESS)
		return result;
	*grallocConsumerUsage = is_sampled(imageUsage) ? CONSUMER_GPU_TEXTURE : 0;
	*grallocProducerUsage = PRODUCER_CPU_READ | PRODUCER_CPU_WRITE | PRODUCER_GPU_RENDER;
	return VK_SUCCESS;
}
