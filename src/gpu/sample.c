/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sync/kernel/dma_buf.h"
#include "util/fd.h"

#define SIZE_SEALS  (F_SEAL_SHRINK | F_SEAL_GROW)
#define SAMPLE_SIZE 4096

/* The words in front of lavapipe's memory, as they stand in the file. */
struct header {
	uint64_t size;
	uint64_t offset;
	uint8_t whose[16];
};

static bool
read_header(int fd, struct header *header)
{
	return pread(fd, header, sizeof(*header), 0) == (ssize_t)sizeof(*header);
}

static bool
is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SIZE_SEALS) == SIZE_SEALS;
}

static void
look_into(struct kr_gpu_sample *sample, int fd, uint64_t size, uint64_t file_size)
{
	struct header header;

	if (file_size < size)
		return;
	sample->file = true;
	sample->sealed = is_sealed(fd);
	sample->more = file_size - size;
	if (!read_header(fd, &header) || header.size != file_size ||
		header.offset < sizeof(header) || header.offset > sample->more)
		return;
	sample->header_known = true;
	sample->offset = header.offset;
	memcpy(sample->whose, header.whose, sizeof(sample->whose));
}

static void
look_at(struct kr_gpu_sample *sample, int fd, uint64_t size)
{
	struct stat status;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || kr_fd_stat(fd, &status))
		return;
	sample->type = status.st_mode & S_IFMT;
	sample->access = flags & O_ACCMODE;
	sample->device = status.st_dev;
	sample->special = status.st_rdev;
	sample->dma_buf = !kr_dma_buf_check(fd);
	if (S_ISREG(status.st_mode) && !sample->dma_buf)
		look_into(sample, fd, size, (uint64_t)status.st_size);
	sample->known = !S_ISREG(status.st_mode) || sample->dma_buf || sample->file;
}

void
kr_gpu_sample_take(const struct kr_gpu *gpu, struct kr_gpu_sample *sample)
{
	const struct kr_gpu_memory wanted = {
		.kind = KR_GPU_OPAQUE_FD,
		.width = SAMPLE_SIZE,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	struct kr_gpu_image image;
	int fd;

	*sample = (struct kr_gpu_sample){0};
	if (kr_gpu_image_create(gpu, &wanted, &image) != VK_SUCCESS)
		return;
	if (kr_gpu_image_export(gpu, &image, &fd) == VK_SUCCESS) {
		look_at(sample, fd, image.description.allocation_size);
		kr_fd_close(&fd);
	}
	kr_gpu_image_destroy(gpu, &image);
}

static int
check_file(const struct kr_gpu_sample *sample, int fd, const struct stat *status,
	uint64_t allocation_size, const char **reason)
{
	struct header header;

	if ((uint64_t)status->st_size < sample->more ||
		(uint64_t)status->st_size - sample->more != allocation_size) {
		*reason = "its file isn't as long as memory of that size is";
		return -EINVAL;
	}
	if (!is_sealed(fd)) {
		*reason = sample->sealed ? "its file can be shrunk by whoever has it"
					 : "this driver's files can be shrunk by whoever has them";
		return -EPERM;
	}
	if (fcntl(fd, F_GET_SEALS) & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) {
		*reason = "its file can't be written";
		return -EINVAL;
	}
	if (sample->header_known &&
		(!read_header(fd, &header) || header.size != (uint64_t)status->st_size ||
			header.offset != sample->offset ||
			memcmp(header.whose, sample->whose, sizeof(header.whose)) != 0)) {
		*reason = "its file doesn't begin as this driver's files do";
		return -EINVAL;
	}
	return 0;
}

/* Drivers of the kernel's direct rendering manager. */
static int
check_dma_buf(int fd, uint64_t allocation_size, const char **reason)
{
	off_t size = kr_dma_buf_check(fd) ? -1 : lseek(fd, 0, SEEK_END);

	if (size >= 0 && (uint64_t)size >= allocation_size)
		return 0;
	*reason = "its descriptor is no dma-buf of that size, as this driver's are";
	return -EINVAL;
}

int
kr_gpu_sample_check(
	const struct kr_gpu_sample *sample, int fd, uint64_t allocation_size, const char **reason)
{
	struct stat status;
	int flags = fcntl(fd, F_GETFL);

	if (!sample->known) {
		*reason = "this device exports no memory that it could be compared with";
		return -EOPNOTSUPP;
	}
	if (flags < 0 || kr_fd_stat(fd, &status)) {
		*reason = "its descriptor is none";
		return -EINVAL;
	}
	if ((status.st_mode & S_IFMT) != sample->type || (flags & O_PATH) ||
		(sample->file && status.st_dev != sample->device) ||
		(flags & O_ACCMODE) != sample->access) {
		*reason = "its descriptor is of another kind than this driver's are";
		return -EINVAL;
	}
	if (sample->dma_buf)
		return check_dma_buf(fd, allocation_size, reason);
	if (sample->file)
		return check_file(sample, fd, &status, allocation_size, reason);
	if (status.st_rdev != sample->special) {
		*reason = "its descriptor is of another device than this driver's are";
		return -EINVAL;
	}
	return 0;
}

/* Of lavapipe it is known that images lie in memory of the host as they do in its own. */
bool
kr_gpu_sample_can_be_mapped(const struct kr_gpu *gpu)
{
	return gpu->sample.header_known && gpu->driver == VK_DRIVER_ID_MESA_LLVMPIPE &&
		gpu->host_alignment && gpu->sample.offset % gpu->host_alignment == 0 &&
		gpu->sample.offset % (uint64_t)sysconf(_SC_PAGESIZE) == 0;
}

int
kr_gpu_sample_map(const struct kr_gpu *gpu, int fd, struct kr_gpu_image *image)
{
	const uint64_t alignment = gpu->host_alignment;
	uint64_t size = image->description.allocation_size;
	void *map;

	/* What is beyond the file's end, but in its last page, can be read and written. */
	size = (size + alignment - 1) / alignment * alignment;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)gpu->sample.offset);
	if (map == MAP_FAILED)
		return -errno;
	image->map = map;
	image->map_size = size;
	return 0;
}
