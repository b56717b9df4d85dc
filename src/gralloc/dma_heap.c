/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dma-bufs from the kernel's system heap, by the one ioctl of linux/dma-heap.h (typed anew: struct
 * dma_heap_allocation_data). The heap zeroes what it gives, and a dma-buf never changes its size.
 */
#include <errno.h>
#include <fcntl.h>

#include "gralloc/backends.h"

#define IOC_ALLOC 0xC0184800u

struct allocation {
	uint64_t len;
	uint32_t fd; /* out */
	uint32_t fd_flags;
	uint64_t heap_flags;
};

_Static_assert(sizeof(struct allocation) == 24, "struct dma_heap_allocation_data");

static int
allocate(int node, uint64_t size, int *fd)
{
	struct allocation data = {.len = size, .fd_flags = O_RDWR | O_CLOEXEC};
	int err = kr_buffer_device_ioctl(node, IOC_ALLOC, &data);

	if (err < 0)
		return err;
	*fd = (int)data.fd;
	return 0;
}

static int
check(int fd, uint64_t size)
{
	return kr_gralloc_check_dma_buf(fd, size, "system");
}

const struct kr_buffer_impl kr_dma_heap_impl = {
	.backend = KR_BUFFER_DMA_HEAP,
	.name = "dma-heap",
	.node = "dma_heap/system",
	.dma_buf = true,
	.allocate = allocate,
	.check = check,
};
