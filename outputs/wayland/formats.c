/* SPDX-License-Identifier: Apache-2.0 */
/* See formats.h. The names are those of drm_fourcc.h, whose words are little-endian. */
#include "outputs/wayland/formats.h"

#include <krafla/hardware_buffer.h>
#include <stddef.h>
#include <wayland-client-protocol.h>

#define FOURCC(a, b, c, d)                                                                         \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define XRGB FOURCC('X', 'R', '2', '4')
#define ARGB FOURCC('A', 'R', '2', '4')

static const struct {
	uint32_t format;
	uint32_t fourcc[2]; /* without, with alpha */
} names[WAYLAND_FORMATS] = {
	{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, {XRGB, ARGB}},
	{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		{FOURCC('X', 'B', '2', '4'), FOURCC('A', 'B', '2', '4')}},
	{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM,
		{FOURCC('X', 'B', '2', '4'), FOURCC('X', 'B', '2', '4')}},
	{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM,
		{FOURCC('R', 'G', '1', '6'), FOURCC('R', 'G', '1', '6')}},
	{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM,
		{FOURCC('X', 'B', '3', '0'), FOURCC('A', 'B', '3', '0')}},
	{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT,
		{FOURCC('X', 'B', '4', 'H'), FOURCC('A', 'B', '4', 'H')}},
};

void
wayland_formats_add(struct wayland_formats *formats, uint32_t fourcc)
{
	for (size_t i = 0; i < WAYLAND_FORMATS; i++) {
		for (size_t k = 0; k < 2; k++)
			formats->taken[i][k] |= names[i].fourcc[k] == fourcc;
	}
}

uint32_t
wayland_formats_find(const struct wayland_formats *formats, uint32_t format, bool blended)
{
	for (size_t i = 0; i < WAYLAND_FORMATS; i++) {
		if (names[i].format == format)
			return formats->taken[i][blended] ? names[i].fourcc[blended] : 0;
	}
	return 0;
}

uint32_t
wayland_shm_format(uint32_t fourcc)
{
	return fourcc == XRGB    ? WL_SHM_FORMAT_XRGB8888
		: fourcc == ARGB ? WL_SHM_FORMAT_ARGB8888
				 : fourcc;
}

uint32_t
wayland_fourcc_of_shm(uint32_t format)
{
	return format == WL_SHM_FORMAT_XRGB8888    ? XRGB
		: format == WL_SHM_FORMAT_ARGB8888 ? ARGB
						   : format;
}
