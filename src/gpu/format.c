/* SPDX-License-Identifier: Apache-2.0 */
/* Formats. */
#include "gpu/format.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"
#include "util/macros.h"

#define BUFFER(name) AHARDWAREBUFFER_FORMAT_##name

/* In the order in which swapchains offer them. */
static const struct {
	VkFormat format;
	uint32_t buffer_format;
} formats[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, BUFFER(R8G8B8A8_UNORM)},
	{VK_FORMAT_R8G8B8A8_SRGB, BUFFER(R8G8B8A8_UNORM)},
	{VK_FORMAT_R8G8B8A8_UNORM, BUFFER(R8G8B8X8_UNORM)},
	{VK_FORMAT_R8G8B8A8_SRGB, BUFFER(R8G8B8X8_UNORM)},
	{VK_FORMAT_B8G8R8A8_UNORM, BUFFER(B8G8R8A8_UNORM)},
	{VK_FORMAT_B8G8R8A8_SRGB, BUFFER(B8G8R8A8_UNORM)},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, BUFFER(R5G6B5_UNORM)},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, BUFFER(R10G10B10A2_UNORM)},
	{VK_FORMAT_R16G16B16A16_SFLOAT, BUFFER(R16G16B16A16_FLOAT)},

	{VK_FORMAT_R8G8B8_UNORM, BUFFER(R8G8B8_UNORM)},
	{VK_FORMAT_R8G8B8_SRGB, BUFFER(R8G8B8_UNORM)},
	{VK_FORMAT_R8_UNORM, BUFFER(R8_UNORM)},
	{VK_FORMAT_R16_UINT, BUFFER(R16_UINT)},
	{VK_FORMAT_R16G16_UINT, BUFFER(R16G16_UINT)},
	{VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16, BUFFER(R10G10B10A10_UNORM)},

	/* Memory of CPUs has two planes of YCbCr; others' may have three. */
	{VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, BUFFER(Y8Cb8Cr8_420)},
	{VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, BUFFER(Y8Cb8Cr8_420)},
	{VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, BUFFER(YCbCr_P010)},

	{VK_FORMAT_D16_UNORM, BUFFER(D16_UNORM)},
	{VK_FORMAT_X8_D24_UNORM_PACK32, BUFFER(D24_UNORM)},
	{VK_FORMAT_D24_UNORM_S8_UINT, BUFFER(D24_UNORM_S8_UINT)},
	{VK_FORMAT_D32_SFLOAT, BUFFER(D32_FLOAT)},
	{VK_FORMAT_D32_SFLOAT_S8_UINT, BUFFER(D32_FLOAT_S8_UINT)},
	{VK_FORMAT_S8_UINT, BUFFER(S8_UINT)},
};

bool
kr_gpu_format_at(size_t i, VkFormat *format, uint32_t *buffer_format)
{
	if (i >= KR_ARRAY_LEN(formats))
		return false;
	*format = formats[i].format;
	*buffer_format = formats[i].buffer_format;
	return true;
}

VkFormat
kr_gpu_format_of_buffer(uint32_t buffer_format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].buffer_format == buffer_format)
			return formats[i].format;
	}
	return VK_FORMAT_UNDEFINED;
}

uint32_t
kr_gpu_buffer_format(VkFormat format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format)
			return formats[i].buffer_format;
	}
	return 0;
}

bool
kr_gpu_format_matches(VkFormat format, uint32_t buffer_format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format && formats[i].buffer_format == buffer_format)
			return true;
	}
	return false;
}

bool
kr_gpu_format_is_shown(VkFormat format)
{
	return kr_format_is_shown(kr_gpu_buffer_format(format));
}

bool
kr_gpu_format_needs_conversion(VkFormat format)
{
	return kr_gpu_format_planes(format) > 1 ||
		format == VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16;
}

bool
kr_gpu_format_is_depth(VkFormat format)
{
	return format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
}
