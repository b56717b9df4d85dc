/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: which the driver takes, and how large their texels are. Nothing is ever drawn, so every
 * plain colour format is as good as another; those with several planes or blocks are left out. */
#include "null/null.h"

#define BITS_COLOR                                                                                 \
	(VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT | \
		VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |                                           \
		VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT | VK_FORMAT_FEATURE_BLIT_SRC_BIT |    \
		VK_FORMAT_FEATURE_BLIT_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |              \
		VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)
#define BITS_DEPTH                                                                                 \
	(VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT |    \
		VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |              \
		VK_FORMAT_FEATURE_TRANSFER_DST_BIT)
#define BITS_BUFFER                                                                                \
	(VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT |        \
		VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT)

/* Runs of consecutive VkFormat values whose texels have the same size. */
static const struct {
	VkFormat first;
	VkFormat last;
	uint8_t size;
} runs[] = {
	{VK_FORMAT_R4G4_UNORM_PACK8, VK_FORMAT_R4G4_UNORM_PACK8, 1},
	{VK_FORMAT_R4G4B4A4_UNORM_PACK16, VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2},
	{VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SRGB, 1},
	{VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8_SRGB, 2},
	{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_A2B10G10R10_SINT_PACK32, 4},
	{VK_FORMAT_R16_UNORM, VK_FORMAT_R16_SFLOAT, 2},
	{VK_FORMAT_R16G16_UNORM, VK_FORMAT_R16G16_SFLOAT, 4},
	{VK_FORMAT_R16G16B16_UNORM, VK_FORMAT_R16G16B16_SFLOAT, 6},
	{VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, 8},
	{VK_FORMAT_R32_UINT, VK_FORMAT_R32_SFLOAT, 4},
	{VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32_SFLOAT, 8},
	{VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32_SFLOAT, 12},
	{VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
	{VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4},
	{VK_FORMAT_D16_UNORM, VK_FORMAT_D16_UNORM, 2},
	{VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT, 4},
	{VK_FORMAT_S8_UINT, VK_FORMAT_S8_UINT, 1},
	{VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT, 4},
	{VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT, 8},
};

static uint32_t
texel_size(VkFormat format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(runs); i++) {
		if (format >= runs[i].first && format <= runs[i].last)
			return runs[i].size;
	}
	return 0;
}

static bool
is_depth_stencil(VkFormat format)
{
	return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}

struct null_format
null_format_get(VkFormat format)
{
	struct null_format info = {.block_size = texel_size(format)};

	if (!info.block_size)
		return info;
	if (is_depth_stencil(format)) {
		info.optimal = BITS_DEPTH;
		return info;
	}
	/* Texels of three channels are for vertices: images of them are rare enough to refuse. */
	if (info.block_size % 3) {
		info.optimal = BITS_COLOR;
		info.linear = BITS_COLOR;
	}
	info.buffer = BITS_BUFFER;
	return info;
}

static uint32_t
at_level(uint32_t size, uint32_t mip)
{
	return mip < 32 && size >> mip ? size >> mip : 1;
}

VkSubresourceLayout
null_level_layout(VkFormat format, VkExtent3D extent, uint32_t mip, uint32_t samples)
{
	VkSubresourceLayout layout = {0};

	layout.rowPitch = (VkDeviceSize)at_level(extent.width, mip) *
		null_format_get(format).block_size * samples;
	layout.rowPitch = (layout.rowPitch + NULL_ALIGNMENT - 1) / NULL_ALIGNMENT * NULL_ALIGNMENT;
	layout.depthPitch = layout.rowPitch * at_level(extent.height, mip);
	layout.size = layout.depthPitch * at_level(extent.depth, mip);
	return layout;
}

void
null_fill_compression(
	const VkImageCompressionControlEXT *control, VkImageCompressionPropertiesEXT *out)
{
	VkImageCompressionFlagsEXT flags = control ? control->flags : 0;

	out->imageCompressionFixedRateFlags = 0;
	out->imageCompressionFlags = flags & VK_IMAGE_COMPRESSION_DISABLED_EXT;
	if (flags &
		(VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT |
			VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT)) {
		out->imageCompressionFlags = VK_IMAGE_COMPRESSION_FIXED_RATE_EXPLICIT_EXT;
		out->imageCompressionFixedRateFlags = VK_IMAGE_COMPRESSION_FIXED_RATE_4BPC_BIT_EXT;
	}
}
