/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's turns with a buffer's memory, and the fences inside it. */
#include <errno.h>
#include <string.h>

#include "gralloc/backends.h"
#include "gralloc/buffer.h"
#include "gralloc/gpu_memory.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"
#include "util/log.h"

/*
 * 0 or -ETIME. A fence that failed is done, and a kernel that exports none is asked to wait itself.
 */
static int
wait_for_others(int dma_buf, enum kr_dma_buf_access access, int64_t deadline_ns)
{
	int fence, err = kr_dma_buf_export_fence(dma_buf, access, &fence);

	if (err)
		return err == -ENOTTY ? 0 : err;
	err = kr_fence_wait(fence, deadline_ns);
	kr_fd_close(&fence);
	return err == -ETIME ? err : 0;
}

/* The dma-buf that the CPU maps; -1: it maps none. */
static int
mapped_dma_buf(const struct kr_buffer_info *info)
{
	if (kr_buffer_backend_is_dma_buf(info->backend))
		return info->fd;
	return info->backend == KR_BUFFER_GPU && info->gpu->kind == KR_GPU_DMA_BUF ? info->gpu_fd
										   : -1;
}

KR_PRIVATE int
kr_buffer_begin_cpu(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int64_t deadline_ns)
{
	int dma_buf = mapped_dma_buf(info), err;

	if (dma_buf < 0)
		return 0;
	err = wait_for_others(dma_buf, access, deadline_ns);
	return err ? err : kr_dma_buf_begin_cpu(dma_buf, access);
}

KR_PRIVATE void
kr_buffer_end_cpu(const struct kr_buffer_info *info, enum kr_dma_buf_access access)
{
	int dma_buf = mapped_dma_buf(info), err = 0;

	if (dma_buf >= 0)
		err = kr_dma_buf_end_cpu(dma_buf, access);
	if (err)
		kr_warn("a %s buffer's use by the CPU can't be ended (%s): devices may not see what was written",
			kr_buffer_backend_name(info->backend), strerror(-err));
}

/* The descriptor whose fences are the buffer's; -1: there is none. */
static int
fences_of(const struct kr_buffer_info *info)
{
	if (kr_buffer_backend_is_dma_buf(info->backend))
		return info->fd;
	return info->gpu && info->gpu->kind == KR_GPU_DMA_BUF ? info->gpu_fd : -1;
}

int
kr_buffer_export_fence(const struct kr_buffer_info *info, enum kr_dma_buf_access access, int *fence)
{
	int fd = fences_of(info);

	return fd < 0 ? -EOPNOTSUPP : kr_dma_buf_export_fence(fd, access, fence);
}

int
kr_buffer_import_fence(const struct kr_buffer_info *info, enum kr_dma_buf_access access, int fence)
{
	int fd = fences_of(info);

	return fd < 0 ? -EOPNOTSUPP : kr_dma_buf_import_fence(fd, access, fence);
}
