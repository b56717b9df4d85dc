/* SPDX-License-Identifier: Apache-2.0 */
/* Pixel formats that both the allocator of buffers and the GPU can do. */
#ifndef KR_WSI_FORMAT_H
#define KR_WSI_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "util/vulkan.h"
#include "wsi/wsi.h"

/* Upper bound of what kr_wsi_formats_list gives. */
#define KR_WSI_MAX_FORMATS 9u

/*
 * The formats of a surface on a device, the one that its far end likes best first; without a
 * surface those of a display's windows. Returns how many; none when the device can't render to any.
 */
uint32_t kr_wsi_formats_list(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	VkFormat formats[KR_WSI_MAX_FORMATS]);

/* The AHARDWAREBUFFER_FORMAT_* of a Vulkan format, 0 when buffers can't have it. */
uint32_t kr_wsi_format_native(VkFormat format);

/*
 * Whether the device has images as swapchains use them, and their limits. `properties` may be NULL.
 */
bool kr_wsi_format_usable(const struct kr_wsi_gpu *gpu, VkFormat format, VkImageUsageFlags usage,
	VkImageFormatProperties *properties);

/* The usages that images of a format can have, beside being rendered to. */
VkImageUsageFlags kr_wsi_format_usages(const struct kr_wsi_gpu *gpu, VkFormat format);
/* Those that images of each format of a surface (NULL: of all) can have. */
VkImageUsageFlags kr_wsi_common_usages(
	const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface);

#endif
