/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/linear.h"

#define ALIGNMENT 64

/* Formats of one plane that lie together, up to `last`, and how many bytes a pixel has. */
static const struct {
	VkFormat last;
	uint32_t bytes;
} sizes[] = {
	{VK_FORMAT_R4G4_UNORM_PACK8, 1},
	{VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2},
	{VK_FORMAT_R8_SRGB, 1},
	{VK_FORMAT_R8G8_SRGB, 2},
	{VK_FORMAT_B8G8R8_SRGB, 3},
	{VK_FORMAT_A2B10G10R10_SINT_PACK32, 4},
	{VK_FORMAT_R16_SFLOAT, 2},
	{VK_FORMAT_R16G16_SFLOAT, 4},
	{VK_FORMAT_R16G16B16_SFLOAT, 6},
	{VK_FORMAT_R16G16B16A16_SFLOAT, 8},
	{VK_FORMAT_R32_SFLOAT, 4},
	{VK_FORMAT_R32G32_SFLOAT, 8},
	{VK_FORMAT_R32G32B32_SFLOAT, 12},
	{VK_FORMAT_R32G32B32A32_SFLOAT, 16},
	{VK_FORMAT_R64_SFLOAT, 8},
	{VK_FORMAT_R64G64_SFLOAT, 16},
	{VK_FORMAT_R64G64B64_SFLOAT, 24},
	{VK_FORMAT_R64G64B64A64_SFLOAT, 32},
	{VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4},
	{VK_FORMAT_D16_UNORM, 2},
	{VK_FORMAT_D32_SFLOAT, 4},
	{VK_FORMAT_S8_UINT, 1},
	{VK_FORMAT_D24_UNORM_S8_UINT, 4},
	{VK_FORMAT_D32_SFLOAT_S8_UINT, 5},
	/* two pixels together */
	{VK_FORMAT_B8G8R8G8_422_UNORM, 2},
};

/* Formats of several planes: bytes of a sample, and by what the planes of colour are smaller. */
static const struct planes {
	VkFormat format;
	uint32_t planes, bytes, across, down;
} planes[] = {
	{VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 3, 1, 2, 2},
	{VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, 3, 1, 2, 1},
	{VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, 3, 1, 1, 1},
	{VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 2, 1, 2, 2},
	{VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, 2, 1, 2, 1},
	{VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, 2, 1, 1, 1},
	{VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, 3, 2, 2, 2},
	{VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16, 3, 2, 2, 1},
	{VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16, 3, 2, 1, 1},
	{VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 2, 2, 2, 2},
	{VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16, 2, 2, 2, 1},
	{VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, 2, 2, 1, 1},
	{VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16, 3, 2, 2, 2},
	{VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16, 3, 2, 2, 1},
	{VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16, 3, 2, 1, 1},
	{VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16, 2, 2, 2, 2},
	{VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16, 2, 2, 2, 1},
	{VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16, 2, 2, 1, 1},
	{VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, 3, 2, 2, 2},
	{VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM, 3, 2, 2, 1},
	{VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, 3, 2, 1, 1},
	{VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, 2, 2, 2, 2},
	{VK_FORMAT_G16_B16R16_2PLANE_422_UNORM, 2, 2, 2, 1},
	{VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, 2, 2, 1, 1},
};

static const struct planes *
find(uint32_t format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(planes); i++) {
		if ((uint32_t)planes[i].format == format)
			return &planes[i];
	}
	return NULL;
}

uint32_t
kr_gpu_format_planes(uint32_t format)
{
	const struct planes *found = find(format);

	return found ? found->planes : 1;
}

/* 0: not one that rows are known of. */
static uint32_t
bytes_of(uint32_t format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(sizes); i++) {
		if (format <= (uint32_t)sizes[i].last)
			return sizes[i].bytes;
	}
	return 0;
}

/* How many bytes of each row are used, and how many rows there are. */
static void
measure(const struct kr_gpu_memory *memory, uint32_t plane, uint64_t *row, uint64_t *rows)
{
	const struct planes *found = find(memory->format);

	*row = (uint64_t)memory->width * (found ? found->bytes : bytes_of(memory->format));
	*rows = memory->height;
	if (!found || !plane)
		return;
	*row = ((uint64_t)memory->width + found->across - 1) / found->across * found->bytes *
		(found->planes == 2 ? 2 : 1);
	*rows = ((uint64_t)memory->height + found->down - 1) / found->down;
}

const char *
kr_gpu_linear_flaw(const struct kr_gpu_memory *memory)
{
	uint64_t row, rows;

	if (!memory->format)
		return NULL;
	if (memory->plane_count != kr_gpu_format_planes(memory->format))
		return "it hasn't as many planes as its format";
	if (memory->mip_levels != 1 || memory->array_layers != 1)
		return "it has mip levels or layers, and rows say where one picture lies";
	for (uint32_t i = 0; i < memory->plane_count; i++) {
		const struct kr_gpu_plane *plane = &memory->planes[i];

		measure(memory, i, &row, &rows);
		if (!row)
			return "its format has no rows of pixels";
		if (plane->offset % ALIGNMENT || plane->row_bytes % ALIGNMENT)
			return "its rows don't begin at multiples of 64 bytes";
		if (plane->row_bytes < row)
			return "its rows are shorter than their pixels";
		if (plane->row_bytes > memory->allocation_size ||
			plane->offset > memory->allocation_size ||
			(rows - 1) * plane->row_bytes + row >
				memory->allocation_size - plane->offset)
			return "its rows end behind its memory";
	}
	return NULL;
}
