/* SPDX-License-Identifier: Apache-2.0 */
/* The ioctls of linux/dma-buf.h, declared here because old headers lack two of them. */
#include "sync/kernel/dma_buf.h"

#include <errno.h>

#include "sync/fence/kernel_calls.h"
#include "sync/fence/kernel_fence.h"

#define IOC_SYNC             0x40086200u
#define IOC_EXPORT_SYNC_FILE 0xC0086202u
#define IOC_IMPORT_SYNC_FILE 0x40086203u
#define SYNC_END             4u
#define DMA_BUF_MAGIC        0x444d4142 /* "DMAB", linux/magic.h */

struct sync_data {
	uint64_t flags;
};

struct sync_file_data {
	uint32_t flags;
	int32_t fd;
};

_Static_assert(sizeof(struct sync_data) == 8, "struct dma_buf_sync");
_Static_assert(sizeof(struct sync_file_data) == 8, "struct dma_buf_export_sync_file");

int
kr_dma_buf_export_fence(int dma_buf, enum kr_dma_buf_access access, int *fence)
{
	struct sync_file_data data = {.flags = access, .fd = -1};
	int err = kr_sync_ioctl(dma_buf, IOC_EXPORT_SYNC_FILE, &data);

	if (!err)
		*fence = data.fd;
	return err;
}

int
kr_dma_buf_import_fence(int dma_buf, enum kr_dma_buf_access access, int fence)
{
	struct sync_file_data data = {.flags = access, .fd = fence};
	int err;

	if (fence == -1)
		return 0;
	err = kr_sync_kernel_check(fence);
	return err ? err : kr_sync_ioctl(dma_buf, IOC_IMPORT_SYNC_FILE, &data);
}

/* All dma-bufs, and nothing else, lie in a file system of their own (Linux 5.3). */
int
kr_dma_buf_check(int fd)
{
	long type;
	int err = fd < 0 ? -EINVAL : kr_sync_file_system(fd, &type);

	return err || type != DMA_BUF_MAGIC ? -EINVAL : 0;
}

static int
sync_cpu(int dma_buf, uint64_t flags)
{
	struct sync_data data = {.flags = flags};

	return kr_sync_ioctl(dma_buf, IOC_SYNC, &data);
}

int
kr_dma_buf_begin_cpu(int dma_buf, enum kr_dma_buf_access access)
{
	return sync_cpu(dma_buf, access);
}

int
kr_dma_buf_end_cpu(int dma_buf, enum kr_dma_buf_access access)
{
	return sync_cpu(dma_buf, access | SYNC_END);
}
