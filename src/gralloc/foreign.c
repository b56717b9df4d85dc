/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dma-bufs that others made: cameras, decoders, other APIs. Such memory is a GPU's: drivers import
 * it. Who takes it in may also map it, by his own decision; who gets the buffer from him may not.
 */
#include <krafla/hardware_buffer.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gralloc/backends.h"
#include "gralloc/object.h"
#include "util/fd.h"
#include "util/log.h"

_Static_assert(sizeof(struct krafla_dma_buf_plane) == 24, "struct krafla_dma_buf_plane");
_Static_assert(sizeof(struct krafla_dma_buf) == 136, "struct krafla_dma_buf");

/* Vulkan's numbers. */
#define TILING_MODIFIER 1000158000u
#define LAYOUT_GENERAL  1u

#define IMAGE_TRANSFER_SRC 0x01u
#define IMAGE_SAMPLED      0x04u
#define IMAGE_COLOR        0x10u
#define BUFFER_TRANSFER    0x03u
#define BUFFER_DATA        0x30u /* uniform, storage */

#define CPU_READ  ((uint64_t)AHARDWAREBUFFER_USAGE_CPU_READ_MASK)
#define CPU_WRITE ((uint64_t)AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK)

/* How the usage wants it mapped. */
static int
wanted_prot(uint64_t usage)
{
	return (usage & (CPU_READ | CPU_WRITE) ? PROT_READ : 0) |
		(usage & CPU_WRITE ? PROT_WRITE : 0);
}

/* Whether it can be mapped is tried: only its exporter knows. */
static int
try_map(struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	int flags = fcntl(info->gpu_fd, F_GETFL);
	void *data;

	buffer->gpu_prot = wanted_prot(info->desc.usage);
	if (!buffer->gpu_prot)
		return 0;
	if (!kr_buffer_gpu_is_linear(info->gpu) && info->gpu->format)
		return -EOPNOTSUPP;
	if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY ||
		((buffer->gpu_prot & PROT_WRITE) && (flags & O_ACCMODE) != O_RDWR))
		return -EPERM;
	return kr_buffer_map(buffer, &data) ? -EOPNOTSUPP : 0;
}

int
kr_buffer_from_dma_buf(const struct kr_buffer_desc *desc, const struct kr_gpu_memory *memory,
	int take_fd, struct kr_buffer **buffer)
{
	struct kr_buffer *b;
	int err = kr_buffer_from_gpu(desc, memory, take_fd, &b);

	if (!err)
		err = try_map(b);
	else
		return err;
	if (err)
		kr_buffer_unref(b);
	else
		*buffer = b;
	return err;
}

/* All planes lie in one dma-buf, which has one size. */
static int
check_fds(const struct krafla_dma_buf *from)
{
	struct stat first, other;

	for (uint32_t i = 0; i < from->plane_count; i++) {
		if (kr_dma_buf_check(from->planes[i].fd) ||
			fstat(from->planes[i].fd, i ? &other : &first))
			return -EINVAL;
		if (i && (other.st_dev != first.st_dev || other.st_ino != first.st_ino))
			return -EOPNOTSUPP;
	}
	return 0;
}

/* A GPU's image, or its buffer where it is a BLOB. */
static void
describe_as_gpu(const struct krafla_dma_buf *from, struct kr_gpu_memory *memory)
{
	bool blob = from->format == AHARDWAREBUFFER_FORMAT_BLOB;
	uint32_t planes = from->modifier ? 0 : from->plane_count;

	memory->kind = KR_GPU_DMA_BUF;
	memory->dedicated = true;
	memory->width = from->width;
	memory->height = from->height;
	memory->mip_levels = memory->array_layers = memory->samples = 1;
	memory->usage = BUFFER_TRANSFER | BUFFER_DATA;
	if (blob)
		return;
	memory->format = kr_buffer_gpu_format(from->format, planes);
	memory->usage = IMAGE_TRANSFER_SRC | IMAGE_SAMPLED |
		(from->usage & AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER ? IMAGE_COLOR : 0);
	memory->tiling = TILING_MODIFIER;
	memory->layout = LAYOUT_GENERAL;
	memory->modifier = from->modifier;
	memory->plane_count = from->plane_count;
	for (uint32_t i = 0; i < from->plane_count; i++) {
		memory->planes[i].offset = from->planes[i].offset;
		memory->planes[i].row_bytes = from->planes[i].row_bytes;
	}
}

/* What kr_buffer_from_gpu doesn't look at. */
static int
check(const struct krafla_dma_buf *from, const struct kr_gpu_memory *memory)
{
	bool blob = from->format == AHARDWAREBUFFER_FORMAT_BLOB;

	if (blob)
		return from->plane_count == 1 && !from->planes[0].offset && !from->modifier
			? 0
			: -EINVAL;
	if (!kr_buffer_gpu_knows_format(from->format))
		return -EOPNOTSUPP;
	if (!memory->format)
		return -EINVAL;
	/* Pixels start where a pixel can start. */
	for (uint32_t i = 0; !from->modifier && i < from->plane_count; i++) {
		uint32_t bytes = kr_buffer_gpu_pixel_bytes(memory, from->format, i);

		if (bytes && from->planes[i].offset % (bytes & -bytes))
			return -EINVAL;
	}
	return 0;
}

/* Who made it, where the kernel tells: for logs alone. */
static void
tell_exporter(int fd)
{
	char name[KR_DMA_BUF_NAME];

	kr_gralloc_read_exporter(fd, name);
	kr_info("a dma-buf of %s was taken in", name[0] ? name : "an exporter that isn't told");
}

static int
take_in(const struct krafla_dma_buf *from, struct kr_buffer **buffer)
{
	const struct kr_buffer_desc desc = {
		from->width, from->height, 1, from->format, from->usage};
	struct kr_gpu_memory memory = {0};
	off_t size;
	int fd, err = check_fds(from);

	if (err)
		return err;
	size = lseek(from->planes[0].fd, 0, SEEK_END);
	if (size <= 0)
		return -EINVAL;
	memory.allocation_size = (uint64_t)size;
	describe_as_gpu(from, &memory);
	err = check(from, &memory);
	if (!err)
		err = kr_fd_dup(from->planes[0].fd, &fd);
	if (!err)
		err = kr_buffer_from_dma_buf(&desc, &memory, fd, buffer);
	if (!err)
		tell_exporter(from->planes[0].fd);
	return err;
}

KR_EXPORT int
krafla_hardware_buffer_from_dma_buf(const struct krafla_dma_buf *from, AHardwareBuffer **outBuffer)
{
	struct kr_buffer *buffer;
	int err;

	if (!from || !outBuffer || from->size != sizeof(*from) || from->reserved ||
		!from->plane_count || from->plane_count > KR_ARRAY_LEN(from->planes))
		return -EINVAL;
	err = take_in(from, &buffer);
	if (err)
		return err == -EOPNOTSUPP ? -ENOSYS : err;
	*outBuffer = (AHardwareBuffer *)(void *)buffer;
	return 0;
}
