/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla/kernel_sync.h, exported by libkrafla.so.0 alone. What an application hands in is checked
 * here: the rooms' own enumerations have no other values.
 */
#include <krafla/kernel_sync.h>

#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/fence/kernel_fence.h"
#include "sync/kernel/dma_buf.h"
#include "sync/kernel/syncobj.h"
#include "sync/merge/merge.h"
#include "util/macros.h"

_Static_assert((int)KRAFLA_DMA_BUF_READ == KR_DMA_BUF_READ &&
		(int)KRAFLA_DMA_BUF_WRITE == KR_DMA_BUF_WRITE &&
		(int)KRAFLA_DMA_BUF_READ_WRITE == KR_DMA_BUF_READ_WRITE,
	"the same numbers");
_Static_assert((int)KRAFLA_SYNCOBJ_WAIT_DONE == KR_SYNCOBJ_WAIT_DONE &&
		(int)KRAFLA_SYNCOBJ_WAIT_SUBMIT == KR_SYNCOBJ_WAIT_SUBMIT &&
		(int)KRAFLA_SYNCOBJ_WAIT_AVAILABLE == KR_SYNCOBJ_WAIT_AVAILABLE,
	"the same numbers");

static bool
is_access(int access)
{
	return access >= KR_DMA_BUF_READ && access <= KR_DMA_BUF_READ_WRITE;
}

static bool
is_wait(int until)
{
	return until == KR_SYNCOBJ_WAIT_DONE || until == KR_SYNCOBJ_WAIT_SUBMIT ||
		until == KR_SYNCOBJ_WAIT_AVAILABLE;
}

KR_EXPORT int
krafla_fence_check_kernel(int fence)
{
	return kr_sync_kernel_check(fence);
}

KR_EXPORT int
krafla_fence_merge_kernel(const char *name, int fence1, int fence2, int *merged)
{
	return kr_fence_merge_kernel(name, fence1, fence2, merged);
}

KR_EXPORT int
krafla_fence_set_deadline(int fence, int64_t deadline_ns)
{
	return kr_sync_kernel_set_deadline(fence, deadline_ns);
}

KR_EXPORT int
krafla_dma_buf_export_fence(int dma_buf, enum krafla_dma_buf_access access, int *fence)
{
	if (!is_access((int)access))
		return -EINVAL;
	return kr_dma_buf_export_fence(dma_buf, (enum kr_dma_buf_access)access, fence);
}

KR_EXPORT int
krafla_dma_buf_import_fence(int dma_buf, enum krafla_dma_buf_access access, int fence)
{
	if (!is_access((int)access))
		return -EINVAL;
	return kr_dma_buf_import_fence(dma_buf, (enum kr_dma_buf_access)access, fence);
}

KR_EXPORT int
krafla_syncobj_check(int drm, int timeline)
{
	return kr_syncobj_check(drm, timeline != 0);
}

KR_EXPORT int
krafla_syncobj_create(int drm, uint32_t *handle)
{
	return kr_syncobj_create(drm, handle);
}

KR_EXPORT int
krafla_syncobj_destroy(int drm, uint32_t handle)
{
	return kr_syncobj_destroy(drm, handle);
}

KR_EXPORT int
krafla_syncobj_export(int drm, uint32_t handle, int *fd)
{
	return kr_syncobj_export(drm, handle, fd);
}

KR_EXPORT int
krafla_syncobj_import(int drm, int fd, uint32_t *handle)
{
	return kr_syncobj_import(drm, fd, handle);
}

KR_EXPORT int
krafla_syncobj_transfer(int drm, uint32_t from, uint64_t from_point, uint32_t to, uint64_t to_point)
{
	return kr_syncobj_transfer(drm, from, from_point, to, to_point);
}

KR_EXPORT int
krafla_syncobj_query(int drm, uint32_t handle, uint64_t *reached, uint64_t *last)
{
	return kr_syncobj_query(drm, handle, reached, last);
}

KR_EXPORT int
krafla_syncobj_signal(int drm, uint32_t handle, uint64_t point)
{
	return kr_syncobj_signal(drm, handle, point);
}

KR_EXPORT int
krafla_syncobj_import_fence(int drm, uint32_t handle, uint64_t point, int fence)
{
	return kr_syncobj_import_fence(drm, handle, point, fence);
}

KR_EXPORT int
krafla_syncobj_export_fence(int drm, uint32_t handle, uint64_t point, int *fence)
{
	return kr_syncobj_export_fence(drm, handle, point, fence);
}

KR_EXPORT int
krafla_syncobj_wait(int drm, uint32_t handle, uint64_t point, enum krafla_syncobj_until until,
	int64_t deadline_ns)
{
	if (!is_wait((int)until))
		return -EINVAL;
	return kr_syncobj_wait(drm, handle, point, (enum kr_syncobj_until)until, deadline_ns);
}

KR_EXPORT int
krafla_syncobj_watch(
	int drm, uint32_t handle, uint64_t point, enum krafla_syncobj_until until, int eventfd)
{
	if (!is_wait((int)until))
		return -EINVAL;
	return kr_syncobj_watch(drm, handle, point, (enum kr_syncobj_until)until, eventfd);
}
