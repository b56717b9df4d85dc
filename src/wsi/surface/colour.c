/* SPDX-License-Identifier: Apache-2.0 */
/* See colour.h. */
#include "wsi/surface/colour.h"

#include <krafla/native_window.h>

#include "util/macros.h"
#include "wsi/surface/abilities.h"
#include "wsi/surface/surface.h"

/* In the order in which they are listed: sRGB, what is the same to a window, and the others. */
static const struct colour {
	VkColorSpaceKHR space;
	int32_t dataspace;
	int32_t of_half; /* of R16G16B16A16_SFLOAT, whose values go beyond 0 and 1 */
} colours[] = {
#define SAME(vulkan, hal)                                                                          \
	{                                                                                          \
		VK_COLOR_SPACE_##vulkan, HAL_DATASPACE_##hal, HAL_DATASPACE_##hal                  \
	}
	SAME(SRGB_NONLINEAR_KHR, V0_SRGB),
	SAME(BT709_NONLINEAR_EXT, V0_SRGB),
	SAME(PASS_THROUGH_EXT, ARBITRARY),
	SAME(DISPLAY_P3_NONLINEAR_EXT, DISPLAY_P3),
	/* VK_COLOR_SPACE_DCI_P3_LINEAR_EXT is another name of it. */
	SAME(DISPLAY_P3_LINEAR_EXT, DCI_P3_LINEAR),
	SAME(DCI_P3_NONLINEAR_EXT, DCI_P3),
	SAME(BT709_LINEAR_EXT, SRGB_LINEAR),
	{VK_COLOR_SPACE_BT2020_LINEAR_EXT, HAL_DATASPACE_BT2020_LINEAR,
		HAL_DATASPACE_BT2020_LINEAR_EXTENDED},
	SAME(HDR10_ST2084_EXT, BT2020_PQ),
	SAME(HDR10_HLG_EXT, BT2020_HLG),
	SAME(ADOBERGB_LINEAR_EXT, ADOBE_RGB_LINEAR),
	SAME(ADOBERGB_NONLINEAR_EXT, ADOBE_RGB),
	/* Where others have no place for what is beyond 1. */
	{VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT, HAL_DATASPACE_UNKNOWN,
		HAL_DATASPACE_SCRGB_LINEAR},
	{VK_COLOR_SPACE_EXTENDED_SRGB_NONLINEAR_EXT, HAL_DATASPACE_UNKNOWN, HAL_DATASPACE_SCRGB},
#undef SAME
};

_Static_assert(KR_ARRAY_LEN(colours) * KR_WSI_MAX_FORMATS == KR_WSI_MAX_COLOURS, "as in colour.h");

static int32_t
dataspace_of(VkFormat format, const struct colour *colour)
{
	/* One channel of whatever it is. */
	if (format == VK_FORMAT_R8_UNORM && colour->dataspace != HAL_DATASPACE_ARBITRARY)
		return HAL_DATASPACE_UNKNOWN;
	return format == VK_FORMAT_R16G16B16A16_SFLOAT ? colour->of_half : colour->dataspace;
}

int32_t
kr_wsi_dataspace(VkFormat format, VkColorSpaceKHR space)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(colours); i++) {
		if (colours[i].space == space)
			return dataspace_of(format, &colours[i]);
	}
	return HAL_DATASPACE_UNKNOWN;
}

/* Bits of enum kr_present_colour. What all surfaces show is sRGB, whatever the one at hand does. */
static uint32_t
shown(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface)
{
	struct kr_abilities abilities;

	if (!surface || gpu->surfaceless)
		return KR_ABILITY(KR_COLOUR_SRGB);
	(void)kr_wsi_window_abilities(surface->window, &abilities);
	return abilities.colours | KR_ABILITY(KR_COLOUR_SRGB);
}

static bool
is_shown(uint32_t shown, VkFormat format, const struct colour *colour)
{
	int32_t dataspace = dataspace_of(format, colour);
	int index = kr_present_colour_index(dataspace);

	return dataspace != HAL_DATASPACE_UNKNOWN && index >= 0 && shown & KR_ABILITY(index);
}

uint32_t
kr_wsi_colours_list(const struct kr_wsi_gpu *gpu, const struct kr_wsi_surface *surface,
	VkSurfaceFormatKHR list[KR_WSI_MAX_COLOURS])
{
	VkFormat formats[KR_WSI_MAX_FORMATS];
	uint32_t format_count = kr_wsi_formats_list(gpu, surface, formats), count = 0;
	uint32_t colour_count = gpu->colour_spaces ? KR_ARRAY_LEN(colours) : 1;
	uint32_t can = shown(gpu, surface);

	for (uint32_t c = 0; c < colour_count; c++) {
		for (uint32_t f = 0; f < format_count; f++) {
			if (is_shown(can, formats[f], &colours[c]))
				list[count++] = (VkSurfaceFormatKHR){formats[f], colours[c].space};
		}
	}
	return count;
}
