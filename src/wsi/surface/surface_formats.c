/* SPDX-License-Identifier: Apache-2.0 */
/* The queries about the formats of surfaces. */
#include "wsi/wsi.h"

#include "util/macros.h"
#include "wsi/surface/colour.h"
#include "wsi/surface/image_info.h"

VkResult
kr_wsi_surface_formats(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkSurfaceFormatKHR *formats)
{
	VkSurfaceFormatKHR list[KR_WSI_MAX_COLOURS];
	uint32_t total = kr_wsi_colours_list(gpu, surface, list);

	if (!formats) {
		*count = total;
		return VK_SUCCESS;
	}
	*count = KR_MIN(*count, total);
	for (uint32_t i = 0; i < *count; i++)
		formats[i] = list[i];
	return *count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

/* How the driver compresses images of such a format when nobody says how. */
static void
fill_compression(
	const struct kr_wsi_gpu *gpu, VkFormat format, VkImageCompressionPropertiesEXT *out)
{
	PFN_vkGetPhysicalDeviceImageFormatProperties2 ask = kr_wsi_image_format2(gpu);
	VkImageCompressionControlEXT control = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
		.flags = VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT,
	};
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &control,
		.format = format,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};
	VkImageCompressionPropertiesEXT answer = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &answer};

	/* A driver that doesn't know the structure compresses nothing that one could tell. */
	if (ask && ask(gpu->handle, &info, &properties) != VK_SUCCESS)
		answer.imageCompressionFlags = answer.imageCompressionFixedRateFlags = 0;
	out->imageCompressionFlags = answer.imageCompressionFlags;
	out->imageCompressionFixedRateFlags = answer.imageCompressionFixedRateFlags;
}

static void
fill_chain(const struct kr_wsi_gpu *gpu, VkSurfaceFormat2KHR *format)
{
	VkBaseOutStructure *s = format->pNext;

	for (; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT)
			fill_compression(gpu, format->surfaceFormat.format,
				(VkImageCompressionPropertiesEXT *)s);
	}
}

VkResult
kr_wsi_surface_formats2(const struct kr_wsi_gpu *gpu, struct kr_wsi_surface *surface,
	uint32_t *count, VkSurfaceFormat2KHR *formats)
{
	VkSurfaceFormatKHR list[KR_WSI_MAX_COLOURS];
	uint32_t n = formats ? KR_MIN(*count, KR_WSI_MAX_COLOURS) : 0;
	VkResult result =
		kr_wsi_surface_formats(gpu, surface, formats ? &n : count, formats ? list : NULL);

	if (!formats)
		return result;
	for (uint32_t i = 0; i < n; i++) {
		formats[i].surfaceFormat = list[i];
		fill_chain(gpu, &formats[i]);
	}
	*count = n;
	return result;
}
