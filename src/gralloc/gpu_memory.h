/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a GPU's driver behind a buffer (tier T1): what a handle of version 2 says of it, so
 * that whoever imports it makes the very image, or VkBuffer, that its maker has. Numbers are
 * Vulkan's (VkFormat, VkImageTiling, ...), kept as integers: this room knows no Vulkan.
 *
 * A buffer may have memory of CPUs (memfd, dma-heap, ...), of a GPU, or both: then they are two
 * faces of one picture (one layer, and no depth), and who hands the buffer on says which of them
 * hold it (the maker of frames by no_pixels). One descriptor each.
 */
#ifndef KR_GRALLOC_GPU_MEMORY_H
#define KR_GRALLOC_GPU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_GPU_UUID_SIZE        16
#define KR_GPU_MAX_PLANES       4u
#define KR_GPU_MAX_VIEW_FORMATS 4u

enum kr_gpu_memory_kind {
	KR_GPU_OPAQUE_FD = 1, /* of the same device and driver alone: the UUIDs say which */
	KR_GPU_DMA_BUF = 2,   /* with a DRM format modifier, or linear */
};

struct kr_gpu_plane {
	uint64_t offset;
	uint64_t row_bytes;
};

struct kr_gpu_memory {
	enum kr_gpu_memory_kind kind;
	uint8_t device_uuid[KR_GPU_UUID_SIZE]; /* zero: not known (a dma-buf of somebody else's) */
	uint8_t driver_uuid[KR_GPU_UUID_SIZE];
	uint64_t allocation_size;
	uint32_t memory_type; /* index; of KR_GPU_OPAQUE_FD */
	bool dedicated;
	/* The image; a `format` of 0: a VkBuffer of that usage, as large as the buffer is wide. */
	uint32_t format; /* VkFormat */
	uint32_t width;
	uint32_t height;
	uint32_t flags;             /* VkImageCreateFlags */
	uint32_t usage;             /* VkImageUsageFlags, or VkBufferUsageFlags */
	uint32_t tiling;            /* VkImageTiling; that of modifiers too */
	uint32_t mip_levels;        /* 1 at least */
	uint32_t array_layers;      /* 1 at least */
	uint32_t samples;           /* 1 */
	uint32_t layout;            /* VkImageLayout in which it changes hands */
	uint32_t view_format_count; /* VkImageFormatListCreateInfo; 0: none */
	uint32_t view_formats[KR_GPU_MAX_VIEW_FORMATS];
	uint64_t modifier;    /* of KR_GPU_DMA_BUF */
	uint32_t plane_count; /* of the memory; 0 where the driver alone knows (opaque) */
	struct kr_gpu_plane planes[KR_GPU_MAX_PLANES];
};

/*
 * The same as words that cross processes: in handles of version 2, and in the display's protocol.
 * 64-bit values low half first; what isn't used is 0.
 */
#define KR_GPU_MEMORY_WORDS 47 /* so many are read or written */

void kr_buffer_gpu_encode(int *words, const struct kr_gpu_memory *memory);
/* Reads and checks what can be checked of it alone. Nothing is believed: 0 or -EINVAL. */
int kr_buffer_gpu_decode(const int *words, struct kr_gpu_memory *memory) KR_MUST_CHECK;

struct kr_buffer_desc;
/*
 * Whether it is memory that a buffer of this description can have: size, layers, family of
 * formats, bounds of planes and rows. 0 or -EINVAL.
 */
int kr_buffer_gpu_check_desc(const struct kr_gpu_memory *memory, const struct kr_buffer_desc *desc)
	KR_MUST_CHECK;
/* Whether an image, or VkBuffer, of a GPU can be behind a buffer of this format at all. */
bool kr_buffer_gpu_knows_format(uint32_t buffer_format);
/* The first VkFormat of a format with so many planes (0: any); 0: there is none. */
uint32_t kr_buffer_gpu_format(uint32_t buffer_format, uint32_t planes);
/* Whether CPUs could make something of its rows, whose places `planes` tells. */
bool kr_buffer_gpu_is_linear(const struct kr_gpu_memory *memory);
/* Bytes from a pixel of a plane to the next; 0: there is no such plane. */
uint32_t kr_buffer_gpu_pixel_bytes(
	const struct kr_gpu_memory *memory, uint32_t buffer_format, uint32_t plane);
/* The stride in pixels; 0: it has none, or no whole number. */
uint32_t kr_buffer_gpu_stride(const struct kr_gpu_memory *memory, uint32_t buffer_format);
/*
 * What can be known of the descriptor without a driver: a dma-buf is one, and large enough; what
 * else there is is no socket, pipe or directory. 0 or -EINVAL.
 */
int kr_buffer_gpu_check_fd(const struct kr_gpu_memory *memory, int fd) KR_MUST_CHECK;

#endif
