/* SPDX-License-Identifier: Apache-2.0 */
/* Whether GPUs' memory is what the description of a buffer says. */
#include <errno.h>
#include <krafla/hardware_buffer.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gralloc/backends.h"
#include "gralloc/gpu_memory.h"
#include "util/fd.h"

#define TILING_LINEAR   1u
#define TILING_MODIFIER 1000158000u

#define IMAGE_CUBE_COMPATIBLE 0x00000010u
#define IMAGE_PROTECTED       0x00000800u

/*
 * Which VkFormats an image of a format may have: `first` to `last`, that of the same texels in
 * other readings (UNORM, SRGB, ...). Where its rows are known: bytes of a texel by plane; the
 * second and third plane of these have half the width and half the height.
 */
static const struct family {
	uint32_t format;
	uint32_t first;
	uint32_t last;
	uint32_t planes;
	uint32_t bytes[3];
} families[] = {
	{AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 37, 43, 1, {4}}, /* R8G8B8A8_UNORM to _SRGB */
	{AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 37, 43, 1, {4}},
	{AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 23, 29, 1, {3}},       /* R8G8B8_UNORM to _SRGB */
	{AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 4, 4, 1, {2}},         /* R5G6B5_UNORM_PACK16 */
	{AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM, 44, 50, 1, {4}},     /* B8G8R8A8_UNORM to _SRGB */
	{AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 97, 97, 1, {8}}, /* R16G16B16A16_SFLOAT */
	{AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 64, 69, 1, {4}},  /* A2B10G10R10_UNORM_PACK32 */
	{AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM, 1000156009, 1000156009, 1, {8}},
	{AHARDWAREBUFFER_FORMAT_R8_UNORM, 9, 15, 1, {1}},     /* R8_UNORM to _SRGB */
	{AHARDWAREBUFFER_FORMAT_R16_UINT, 74, 74, 1, {2}},    /* R16_UINT */
	{AHARDWAREBUFFER_FORMAT_R16G16_UINT, 81, 81, 1, {4}}, /* R16G16_UINT */
	{AHARDWAREBUFFER_FORMAT_D16_UNORM, 124, 124, 1, {2}}, /* D16_UNORM */
	{AHARDWAREBUFFER_FORMAT_D24_UNORM, 125, 125, 1, {4}}, /* X8_D24_UNORM_PACK32 */
	{AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT, 129, 129, 0, {0}},
	{AHARDWAREBUFFER_FORMAT_D32_FLOAT, 126, 126, 1, {4}}, /* D32_SFLOAT */
	{AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT, 130, 130, 0, {0}},
	{AHARDWAREBUFFER_FORMAT_S8_UINT, 127, 127, 1, {1}}, /* S8_UINT */
	/* G8_B8_R8_3PLANE_420_UNORM, G8_B8R8_2PLANE_420_UNORM */
	{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1000156002, 1000156002, 3, {1, 1, 1}},
	{AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1000156003, 1000156003, 2, {1, 2}},
	/* G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16 */
	{AHARDWAREBUFFER_FORMAT_YCbCr_P010, 1000156013, 1000156013, 2, {2, 4}},
};

static const struct family *
find_family(uint32_t buffer_format, uint32_t format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(families); i++) {
		if (families[i].format == buffer_format && format >= families[i].first &&
			format <= families[i].last)
			return &families[i];
	}
	return NULL;
}

bool
kr_buffer_gpu_knows_format(uint32_t buffer_format)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(families); i++) {
		if (families[i].format == buffer_format)
			return true;
	}
	return buffer_format == AHARDWAREBUFFER_FORMAT_BLOB;
}

bool
kr_buffer_gpu_is_linear(const struct kr_gpu_memory *memory)
{
	return memory->plane_count &&
		(memory->tiling == TILING_LINEAR ||
			(memory->tiling == TILING_MODIFIER && !memory->modifier));
}

uint32_t
kr_buffer_gpu_format(uint32_t buffer_format, uint32_t planes)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(families); i++) {
		if (families[i].format == buffer_format &&
			(!planes || families[i].planes == planes))
			return families[i].first;
	}
	return 0;
}

uint32_t
kr_buffer_gpu_pixel_bytes(
	const struct kr_gpu_memory *memory, uint32_t buffer_format, uint32_t plane)
{
	const struct family *family = find_family(buffer_format, memory->format);

	return family && plane < family->planes ? family->bytes[plane] : 0;
}

uint32_t
kr_buffer_gpu_stride(const struct kr_gpu_memory *memory, uint32_t buffer_format)
{
	uint32_t bytes = kr_buffer_gpu_pixel_bytes(memory, buffer_format, 0);
	uint64_t row = memory->planes[0].row_bytes;

	return kr_buffer_gpu_is_linear(memory) && bytes && row % bytes == 0
		? (uint32_t)(row / bytes)
		: 0;
}

/* All rows of the first level of a linear image lie inside. */
static bool
rows_fit(const struct kr_gpu_memory *m, const struct family *family)
{
	if (!kr_buffer_gpu_is_linear(m) || !family->planes)
		return true;
	if (m->plane_count != family->planes)
		return false;
	for (uint32_t i = 0; i < m->plane_count; i++) {
		uint64_t width = i ? ((uint64_t)m->width + 1) / 2 : m->width;
		uint64_t rows = i ? ((uint64_t)m->height + 1) / 2 : m->height;
		uint64_t row = width * family->bytes[i], pitch = m->planes[i].row_bytes;

		/* Neither is more than INT32_MAX, nor is a height: it can't overflow. */
		if (pitch < row ||
			pitch * (rows - 1) + row > m->allocation_size - m->planes[i].offset)
			return false;
	}
	return true;
}

static bool
image_fits(const struct kr_gpu_memory *m, const struct kr_buffer_desc *desc)
{
	const struct family *family = find_family(desc->format, m->format);
	bool cube = desc->usage & AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP;
	bool mipmaps = desc->usage & AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE;
	bool protected = desc->usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT;

	return family && m->width == desc->width && m->height == desc->height &&
		m->array_layers == desc->layers && (mipmaps || m->mip_levels == 1) &&
		(!cube || m->flags & IMAGE_CUBE_COMPATIBLE) &&
		protected == ((m->flags & IMAGE_PROTECTED) != 0) && rows_fit(m, family);
}

int
kr_buffer_gpu_check_desc(const struct kr_gpu_memory *memory, const struct kr_buffer_desc *desc)
{
	bool fits;

	if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB)
		fits = !memory->format && memory->width == desc->width && desc->height == 1 &&
			desc->layers == 1;
	else
		fits = memory->format && image_fits(memory, desc);
	return fits ? 0 : -EINVAL;
}

int
kr_buffer_gpu_check_fd(const struct kr_gpu_memory *memory, int fd)
{
	struct stat status;

	if (fd < 0 || kr_fd_stat(fd, &status))
		return -EINVAL;
	if (memory->kind == KR_GPU_DMA_BUF) {
		off_t size = kr_dma_buf_check(fd) ? -1 : lseek(fd, 0, SEEK_END);

		return size < 0 || (uint64_t)size < memory->allocation_size ? -EINVAL : 0;
	}
	return S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISDIR(status.st_mode) ||
			S_ISBLK(status.st_mode)
		? -EINVAL
		: 0;
}
