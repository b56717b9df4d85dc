/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dma-bufs made of a memfd's pages, by the ioctl of linux/udmabuf.h (typed anew: struct
 * udmabuf_create). The kernel wants the memfd sealed against shrinking and not against writing, and
 * holds its pages; the memfd itself isn't needed afterwards.
 */
#include <errno.h>
#include <fcntl.h>

#include "gralloc/backends.h"
#include "util/fd.h"

#define IOC_CREATE    0x40187542u
#define FLAGS_CLOEXEC 1u

struct create {
	uint32_t memfd;
	uint32_t flags;
	uint64_t offset;
	uint64_t size;
};

_Static_assert(sizeof(struct create) == 24, "struct udmabuf_create");

static int
make_pages(uint64_t size, int *fd)
{
	int memfd, err = kr_memfd_create("krafla-udmabuf", size, &memfd);

	if (err)
		return err;
	if (fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		err = -errno;
		kr_fd_close(&memfd);
		return err;
	}
	*fd = memfd;
	return 0;
}

static int
allocate(int node, uint64_t size, int *fd)
{
	struct create data = {.flags = FLAGS_CLOEXEC, .size = size};
	int memfd, answer;
	int err = make_pages(size, &memfd);

	if (err)
		return err;
	data.memfd = (uint32_t)memfd;
	answer = kr_buffer_device_ioctl(node, IOC_CREATE, &data);
	kr_fd_close(&memfd);
	if (answer < 0)
		return answer;
	*fd = answer;
	return 0;
}

static int
check(int fd, uint64_t size)
{
	return kr_gralloc_check_dma_buf(fd, size, "udmabuf");
}

const struct kr_buffer_impl kr_udmabuf_impl = {
	.backend = KR_BUFFER_UDMABUF,
	.name = "udmabuf",
	.node = "udmabuf",
	.dma_buf = true,
	.allocate = allocate,
	.check = check,
};
