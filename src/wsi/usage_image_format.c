/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gralloc usage from version 11 on: what AHardwareBuffers that such images are made of need. A
 * driver that doesn't know VkAndroidHardwareBufferUsageANDROID leaves it as it was, which is zero,
 * and is then asked in the older way.
 */
#include "wsi/usage.h"

#include "gralloc/buffer.h"
#include "wsi/surface/format.h"

#define ASKS_FROM_VERSION 11
#define FRONT_BUFFER      (UINT64_C(1) << 32) /* AHARDWAREBUFFER_USAGE_FRONT_BUFFER */

/* AHardwareBuffers have no sRGB formats: these are views of the same bits. */
static VkFormat
without_srgb(VkFormat format)
{
	switch (format) {
	case VK_FORMAT_R8G8B8A8_SRGB:
		return VK_FORMAT_R8G8B8A8_UNORM;
	case VK_FORMAT_B8G8R8A8_SRGB:
		return VK_FORMAT_B8G8R8A8_UNORM;
	default:
		return format;
	}
}

/*
 * Images that the far end reads while they are drawn to. The old question of a driver knows such
 * images, so it is left to that where the allocator has no buffers for them. It is asked in its own
 * formats.
 */
static bool
add_front_buffer(VkFormat format, uint64_t *usage)
{
	const struct kr_buffer_desc desc = {
		.width = 1,
		.height = 1,
		.layers = 1,
		.format = kr_wsi_format_native(format),
		.usage = *usage | FRONT_BUFFER,
	};

	if (kr_buffer_check(&desc))
		return false;
	*usage = desc.usage;
	return true;
}

bool
kr_wsi_usage_from_image_format(
	const struct kr_wsi_gpu *gpu, const struct kr_wsi_image_info *image, uint64_t *usage)
{
	PFN_vkGetPhysicalDeviceImageFormatProperties2 ask = kr_wsi_image_format2(gpu);
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.pNext = image->create.pNext,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID,
	};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = without_srgb(image->create.format),
		.type = image->create.imageType,
		.tiling = image->create.tiling,
		.usage = image->create.usage,
		.flags = image->create.flags,
	};
	VkAndroidHardwareBufferUsageANDROID answer = {
		.sType = VK_STRUCTURE_TYPE_ANDROID_HARDWARE_BUFFER_USAGE_ANDROID};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &answer};

	if (!ask || (gpu->native_buffer_version < ASKS_FROM_VERSION && !gpu->hardware_buffers) ||
		ask(gpu->handle, &info, &properties) != VK_SUCCESS ||
		!answer.androidHardwareBufferUsage)
		return false;
	if (image->shared &&
		!add_front_buffer(image->create.format, &answer.androidHardwareBufferUsage))
		return false;
	*usage = answer.androidHardwareBufferUsage;
	return true;
}
