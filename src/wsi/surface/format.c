/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: what the allocator has, kept where the GPU renders to it. */
#include "wsi/surface/format.h"

#include <krafla/hardware_buffer.h>

#include "gen/tables.h"
#include "gpu/format.h"
#include "gralloc/buffer.h"
#include "util/macros.h"
#include "wsi/surface/surface.h"

uint32_t
kr_wsi_format_native(VkFormat format)
{
	return kr_gpu_format_is_shown(format) ? kr_gpu_buffer_format(format) : 0;
}

bool
kr_wsi_format_usable(const struct kr_wsi_gpu *gpu, VkFormat format, VkImageUsageFlags usage,
	VkImageFormatProperties *properties)
{
	VkImageFormatProperties p = {0};

	if (gpu->functions->GetPhysicalDeviceImageFormatProperties(gpu->handle, format,
		    VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, usage, 0, &p) != VK_SUCCESS)
		return false;
	if (properties)
		*properties = p;
	return true;
}

/* Those of VK_EXT_swapchain_colorspace, and of what a driver has to say that it does. */
static bool
is_known(const struct kr_wsi_gpu *gpu, VkFormat format)
{
	switch (format) {
	case VK_FORMAT_R8_UNORM:
		return gpu->colour_spaces;
	case VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16:
		return gpu->rgba10x6;
	default:
		return true;
	}
}

static bool
allocatable(const struct kr_wsi_surface *surface, uint32_t native)
{
	struct kr_buffer_desc desc = {
		.width = 1,
		.height = 1,
		.layers = 1,
		.format = native,
		.usage = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
			(surface ? surface->consumer_usage
				 : AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY),
	};

	return kr_buffer_check(&desc) == 0;
}

static bool
renderable(const struct kr_wsi_gpu *gpu, VkFormat format)
{
	VkFormatProperties properties = {0};

	gpu->functions->GetPhysicalDeviceFormatProperties(gpu->handle, format, &properties);
	return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) &&
		kr_wsi_format_usable(gpu, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, NULL);
}

uint32_t
kr_wsi_formats_list(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	VkFormat formats[KR_WSI_MAX_FORMATS])
{
	uint32_t count = 0, native,
		 best = surface && !gpu->surfaceless ? surface->native_format : 0;
	VkFormat format;

	for (int liked = 1; liked >= 0; liked--) {
		for (size_t i = 0; kr_gpu_format_at(i, &format, &native); i++) {
			if (kr_wsi_format_native(format) == native && (native == best) == liked &&
				count < KR_WSI_MAX_FORMATS && is_known(gpu, format) &&
				allocatable(surface, native) && renderable(gpu, format))
				formats[count++] = format;
		}
	}
	return count;
}

VkImageUsageFlags
kr_wsi_format_usages(const struct kr_wsi_gpu *gpu, VkFormat format)
{
	static const VkImageUsageFlagBits candidates[] = {
		VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
		VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		VK_IMAGE_USAGE_SAMPLED_BIT,
		VK_IMAGE_USAGE_STORAGE_BIT,
		VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
	};
	VkImageUsageFlags usages = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;

	for (size_t i = 0; i < KR_ARRAY_LEN(candidates); i++) {
		if (kr_wsi_format_usable(
			    gpu, format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | candidates[i], NULL))
			usages |= candidates[i];
	}
	return usages;
}

VkImageUsageFlags
kr_wsi_common_usages(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface)
{
	VkFormat formats[KR_WSI_MAX_FORMATS];
	uint32_t count = kr_wsi_formats_list(gpu, surface, formats);
	VkImageUsageFlags usages = count ? ~(VkImageUsageFlags)0 : 0;

	for (uint32_t i = 0; i < count; i++)
		usages &= kr_wsi_format_usages(gpu, formats[i]);
	return usages;
}
