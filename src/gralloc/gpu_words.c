/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of GPUs' memory as words. */
#include "gralloc/gpu_memory.h"

#include <errno.h>
#include <string.h>

#include "gralloc/backends.h"

/* The order of the words. */
enum word {
	KIND,
	DEVICE_UUID,
	DRIVER_UUID = DEVICE_UUID + KR_GPU_UUID_SIZE / 4,
	ALLOCATION_SIZE = DRIVER_UUID + KR_GPU_UUID_SIZE / 4,
	MEMORY_TYPE = ALLOCATION_SIZE + 2,
	DEDICATED,
	FORMAT,
	WIDTH,
	HEIGHT,
	FLAGS,
	USAGE,
	TILING,
	MIP_LEVELS,
	ARRAY_LAYERS,
	SAMPLES,
	LAYOUT,
	VIEW_FORMAT_COUNT,
	VIEW_FORMATS,
	MODIFIER = VIEW_FORMATS + KR_GPU_MAX_VIEW_FORMATS,
	PLANE_COUNT = MODIFIER + 2,
	PLANES,
	WORDS = PLANES + 4 * KR_GPU_MAX_PLANES,
};

_Static_assert(WORDS == KR_GPU_MEMORY_WORDS, "words of struct kr_gpu_memory");

/* Vulkan's numbers, as far as they are looked at. */
#define TILING_OPTIMAL  0u
#define TILING_LINEAR   1u
#define TILING_MODIFIER 1000158000u

#define MEMORY_TYPES       32u /* VK_MAX_MEMORY_TYPES */
#define LAYOUT_UNDEFINED   0u  /* content that nobody has to keep */
#define LAYOUT_INITIALIZED 8u  /* PREINITIALIZED: of a driver that hasn't seen it yet */

static void
put64(int *at, uint64_t value)
{
	at[0] = (int)(uint32_t)value;
	at[1] = (int)(uint32_t)(value >> 32);
}

static uint64_t
get64(const int *at)
{
	return (uint32_t)at[0] | (uint64_t)(uint32_t)at[1] << 32;
}

void
kr_buffer_gpu_encode(int *words, const struct kr_gpu_memory *memory)
{
	memset(words, 0, sizeof(int) * KR_GPU_MEMORY_WORDS);
	words[KIND] = (int)memory->kind;
	memcpy(words + DEVICE_UUID, memory->device_uuid, KR_GPU_UUID_SIZE);
	memcpy(words + DRIVER_UUID, memory->driver_uuid, KR_GPU_UUID_SIZE);
	put64(words + ALLOCATION_SIZE, memory->allocation_size);
	words[MEMORY_TYPE] = (int)memory->memory_type;
	words[DEDICATED] = memory->dedicated;
	words[FORMAT] = (int)memory->format;
	words[WIDTH] = (int)memory->width;
	words[HEIGHT] = (int)memory->height;
	words[FLAGS] = (int)memory->flags;
	words[USAGE] = (int)memory->usage;
	words[TILING] = (int)memory->tiling;
	words[MIP_LEVELS] = (int)memory->mip_levels;
	words[ARRAY_LAYERS] = (int)memory->array_layers;
	words[SAMPLES] = (int)memory->samples;
	words[LAYOUT] = (int)memory->layout;
	words[VIEW_FORMAT_COUNT] = (int)memory->view_format_count;
	for (uint32_t i = 0; i < KR_MIN(memory->view_format_count, KR_GPU_MAX_VIEW_FORMATS); i++)
		words[VIEW_FORMATS + i] = (int)memory->view_formats[i];
	put64(words + MODIFIER, memory->modifier);
	words[PLANE_COUNT] = (int)memory->plane_count;
	for (uint32_t i = 0; i < KR_MIN(memory->plane_count, KR_GPU_MAX_PLANES); i++) {
		put64(words + PLANES + 4 * i, memory->planes[i].offset);
		put64(words + PLANES + 4 * i + 2, memory->planes[i].row_bytes);
	}
}

static void
read_words(const int *words, struct kr_gpu_memory *memory)
{
	memory->kind = (enum kr_gpu_memory_kind)words[KIND];
	memcpy(memory->device_uuid, words + DEVICE_UUID, KR_GPU_UUID_SIZE);
	memcpy(memory->driver_uuid, words + DRIVER_UUID, KR_GPU_UUID_SIZE);
	memory->allocation_size = get64(words + ALLOCATION_SIZE);
	memory->memory_type = (uint32_t)words[MEMORY_TYPE];
	memory->dedicated = words[DEDICATED] != 0;
	memory->format = (uint32_t)words[FORMAT];
	memory->width = (uint32_t)words[WIDTH];
	memory->height = (uint32_t)words[HEIGHT];
	memory->flags = (uint32_t)words[FLAGS];
	memory->usage = (uint32_t)words[USAGE];
	memory->tiling = (uint32_t)words[TILING];
	memory->mip_levels = (uint32_t)words[MIP_LEVELS];
	memory->array_layers = (uint32_t)words[ARRAY_LAYERS];
	memory->samples = (uint32_t)words[SAMPLES];
	memory->layout = (uint32_t)words[LAYOUT];
	memory->view_format_count = (uint32_t)words[VIEW_FORMAT_COUNT];
	for (uint32_t i = 0; i < KR_GPU_MAX_VIEW_FORMATS; i++)
		memory->view_formats[i] = (uint32_t)words[VIEW_FORMATS + i];
	memory->modifier = get64(words + MODIFIER);
	memory->plane_count = (uint32_t)words[PLANE_COUNT];
	for (uint32_t i = 0; i < KR_GPU_MAX_PLANES; i++) {
		memory->planes[i].offset = get64(words + PLANES + 4 * i);
		memory->planes[i].row_bytes = get64(words + PLANES + 4 * i + 2);
	}
}

static bool
is_zero(const uint8_t uuid[KR_GPU_UUID_SIZE])
{
	static const uint8_t zero[KR_GPU_UUID_SIZE];

	return !memcmp(uuid, zero, sizeof(zero));
}

/* Whose memory it is, and how large. */
static bool
is_memory(const struct kr_gpu_memory *m)
{
	bool known = !is_zero(m->device_uuid) && !is_zero(m->driver_uuid);

	if (m->kind != KR_GPU_OPAQUE_FD && m->kind != KR_GPU_DMA_BUF)
		return false;
	if (m->kind == KR_GPU_OPAQUE_FD && (!known || m->modifier))
		return false;
	return m->modifier != KR_BUFFER_MODIFIER_NONE && m->memory_type < MEMORY_TYPES &&
		m->allocation_size && m->allocation_size <= KR_BUFFER_MAX_SIZE;
}

static bool
has_good_planes(const struct kr_gpu_memory *m)
{
	if (m->plane_count > KR_GPU_MAX_PLANES)
		return false;
	if (m->kind == KR_GPU_DMA_BUF && m->format && !m->plane_count)
		return false;
	for (uint32_t i = 0; i < m->plane_count; i++) {
		const struct kr_gpu_plane *plane = &m->planes[i];

		if (plane->offset >= m->allocation_size || plane->row_bytes > INT32_MAX ||
			plane->row_bytes > m->allocation_size - plane->offset)
			return false;
	}
	return true;
}

/* Levels as deep as they can go: down to one pixel. */
static uint32_t
max_levels(uint32_t width, uint32_t height)
{
	uint32_t levels = 1;

	for (uint32_t side = KR_MAX(width, height); side > 1; side /= 2)
		levels++;
	return levels;
}

static bool
has_good_views(const struct kr_gpu_memory *m)
{
	if (m->view_format_count > KR_GPU_MAX_VIEW_FORMATS)
		return false;
	for (uint32_t i = 0; i < m->view_format_count; i++) {
		if (!m->view_formats[i])
			return false;
	}
	return true;
}

static bool
is_tiling(const struct kr_gpu_memory *m)
{
	if (m->tiling == TILING_MODIFIER)
		return m->kind == KR_GPU_DMA_BUF;
	return m->tiling == TILING_OPTIMAL || m->tiling == TILING_LINEAR;
}

static bool
is_image(const struct kr_gpu_memory *m)
{
	return m->width && m->height && m->width <= KR_BUFFER_MAX_EXTENT &&
		m->height <= KR_BUFFER_MAX_EXTENT && m->usage && is_tiling(m) && m->mip_levels &&
		m->mip_levels <= max_levels(m->width, m->height) && m->array_layers &&
		m->array_layers <= KR_BUFFER_MAX_LAYERS && m->samples == 1 &&
		m->layout != LAYOUT_UNDEFINED && m->layout != LAYOUT_INITIALIZED &&
		has_good_views(m);
}

/* A VkBuffer has a size, and nothing else that an image has. */
static bool
is_vk_buffer(const struct kr_gpu_memory *m)
{
	return m->width && m->width <= m->allocation_size && m->usage && m->height == 1 &&
		m->array_layers == 1 && m->mip_levels == 1 && m->samples == 1 && !m->tiling &&
		!m->layout && !m->view_format_count && !m->plane_count && !m->modifier;
}

int
kr_buffer_gpu_decode(const int *words, struct kr_gpu_memory *memory)
{
	struct kr_gpu_memory read = {0};
	int again[KR_GPU_MEMORY_WORDS];

	read_words(words, &read);
	if (!is_memory(&read) || !has_good_planes(&read) ||
		!(read.format ? is_image(&read) : is_vk_buffer(&read)))
		return -EINVAL;
	/* Whatever isn't used is 0, so that it may mean something some day. */
	kr_buffer_gpu_encode(again, &read);
	if (memcmp(again, words, sizeof(again)))
		return -EINVAL;
	*memory = read;
	return 0;
}
