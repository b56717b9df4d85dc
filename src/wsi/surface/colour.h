/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colour spaces of surfaces (VK_EXT_swapchain_colorspace): which of them come with which formats,
 * by what their windows' far ends show, and the data spaces that windows know them by
 * (android-platform 4.3). Without the extension there is sRGB alone.
 */
#ifndef KR_WSI_COLOUR_H
#define KR_WSI_COLOUR_H

#include <stdbool.h>
#include <stdint.h>
#include "util/vulkan.h"
#include "wsi/surface/format.h"
#include "wsi/wsi.h"

/* Upper bound of what kr_wsi_colours_list gives: each format in each of 14 colour spaces. */
#define KR_WSI_MAX_COLOURS (KR_WSI_MAX_FORMATS * 14u)

/*
 * The HAL_DATASPACE_* of images of such a format; HAL_DATASPACE_ARBITRARY where none is said, so
 * that the window's own applies, and HAL_DATASPACE_UNKNOWN for what is no colour space of ours.
 */
int32_t kr_wsi_dataspace(VkFormat format, VkColorSpaceKHR space);

/*
 * The formats of a surface with their colour spaces: first those of sRGB, in the order of
 * kr_wsi_formats_list, then the others. Each pair is there once. Without a surface, and with
 * VK_GOOGLE_surfaceless_query for each, what every surface shows.
 */
uint32_t kr_wsi_colours_list(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	VkSurfaceFormatKHR list[KR_WSI_MAX_COLOURS]);

#endif
