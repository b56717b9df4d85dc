/* SPDX-License-Identifier: Apache-2.0 */
/* Formats. */
#include "adapter/format.h"

#include <krafla/hardware_buffer.h>

#include "gralloc/buffer.h"

static const struct {
	VkFormat format;
	uint32_t buffer_format;
} formats[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{VK_FORMAT_R8G8B8A8_SRGB, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM},
	{VK_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM},
	{VK_FORMAT_R8G8B8A8_SRGB, AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM},
	{VK_FORMAT_B8G8R8A8_UNORM, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM},
	{VK_FORMAT_B8G8R8A8_SRGB, AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM},
	{VK_FORMAT_R16G16B16A16_SFLOAT, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT},
};

bool
kr_adapter_format_matches(VkFormat format, uint32_t buffer_format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format && formats[i].buffer_format == buffer_format)
			return true;
	}
	return false;
}

uint32_t
kr_adapter_buffer_format(VkFormat format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(formats); i++) {
		if (formats[i].format == format)
			return formats[i].buffer_format;
	}
	return 0;
}

uint32_t
kr_adapter_format_bytes(VkFormat format)
{
	return kr_format_bytes(kr_adapter_buffer_format(format));
}
