/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's turns with a buffer's memory, and the fences inside it. */
#include <errno.h>
#include <string.h>

#include "gralloc/backends.h"
#include "gralloc/buffer.h"
#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/fd.h"
#include "util/log.h"

/*
 * 0 or -ETIME. A fence that failed is done, and a kernel that exports none is asked to wait itself.
 */
static int
wait_for_others(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int64_t deadline_ns)
{
	int fence, err = kr_dma_buf_export_fence(info->fd, access, &fence);

	if (err)
		return err == -ENOTTY ? 0 : err;
	err = kr_fence_wait(fence, deadline_ns);
	kr_fd_close(&fence);
	return err == -ETIME ? err : 0;
}

KR_PRIVATE int
kr_buffer_begin_cpu(
	const struct kr_buffer_info *info, enum kr_dma_buf_access access, int64_t deadline_ns)
{
	int err;

	if (!kr_buffer_backend_is_dma_buf(info->backend))
		return 0;
	err = wait_for_others(info, access, deadline_ns);
	return err ? err : kr_dma_buf_begin_cpu(info->fd, access);
}

KR_PRIVATE void
kr_buffer_end_cpu(const struct kr_buffer_info *info, enum kr_dma_buf_access access)
{
	int err = 0;

	if (kr_buffer_backend_is_dma_buf(info->backend))
		err = kr_dma_buf_end_cpu(info->fd, access);
	if (err)
		kr_warn("a %s buffer's use by the CPU can't be ended (%s): devices may not see what was written",
			kr_buffer_backend_name(info->backend), strerror(-err));
}

int
kr_buffer_export_fence(const struct kr_buffer_info *info, enum kr_dma_buf_access access, int *fence)
{
	if (!kr_buffer_backend_is_dma_buf(info->backend))
		return -EOPNOTSUPP;
	return kr_dma_buf_export_fence(info->fd, access, fence);
}

int
kr_buffer_import_fence(const struct kr_buffer_info *info, enum kr_dma_buf_access access, int fence)
{
	if (!kr_buffer_backend_is_dma_buf(info->backend))
		return -EOPNOTSUPP;
	return kr_dma_buf_import_fence(info->fd, access, fence);
}
