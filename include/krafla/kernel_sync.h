/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences of the kernel, for those who talk to it themselves: compositors, and drivers
 * that are ported to Krafla. Merges that a kernel interface takes, the fences inside
 * dma-bufs, and DRM syncobjs.
 *
 * A fence is a file descriptor (<krafla/sync.h>). Where no kernel driver makes fences Krafla's are
 * sockets, which user space signals; those never enter the kernel (S-05), because what waits there
 * couldn't rely on their end. Every function here that hands a fence to the kernel refuses them
 * with -EOPNOTSUPP: wait for such a fence (sync_wait) and pass -1 instead.
 *
 * Ownership: every fd argument is borrowed, every fd that comes back belongs to the caller and is
 * O_CLOEXEC. -1 as a fence means "signalled". Thread-safety: all functions may be called from any
 * thread at the same time. Errors come back as negative errno, and what goes out through a
 * pointer is untouched then.
 *
 * Sources: S-03, S-04, S-05; linux/sync_file.h, linux/dma-buf.h and drm/drm.h of Linux 6.12.
 */
#ifndef KRAFLA_KERNEL_SYNC_H
#define KRAFLA_KERNEL_SYNC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether an interface of the kernel (KMS IN_FENCE_FD, a syncobj, a driver's SYNC_FD import) may
 * be handed this fence. 0 yes; the fence's own negative status when it has failed, so that its
 * failure isn't forgotten there (KMS shows the frame all the same); -EOPNOTSUPP a user-space
 * fence; -EINVAL no fence, -1 too.
 */
int krafla_fence_check_kernel(int fence);

/*
 * The kernel fence of two kernel fences, in *merged, under `name` (cut to 31 bytes; NULL none).
 * Refuses what krafla_fence_check_kernel refuses. A member that fails later is told by
 * sync_file_info at once; it wakes who waits only when the other has ended too. 0 or -errno (S-03).
 */
int krafla_fence_merge_kernel(const char *name, int fence1, int fence2, int *merged);

/*
 * Tells the driver behind a kernel fence until when somebody wants it signalled (CLOCK_MONOTONIC
 * ns), so that it may hurry. A hint: 0 says nothing of whether the driver heeds it. -EOPNOTSUPP for
 * a user-space fence and before Linux 6.6; -EINVAL no fence.
 */
int krafla_fence_set_deadline(int fence, int64_t deadline_ns);

/* What somebody does with a dma-buf. */
enum krafla_dma_buf_access {
	KRAFLA_DMA_BUF_READ = 1,
	KRAFLA_DMA_BUF_WRITE = 2,
	KRAFLA_DMA_BUF_READ_WRITE = 3,
};

/*
 * The fences inside a dma-buf (Linux 6.0), as one kernel fence in *fence: what somebody must wait
 * for who wants that access, a reader for writers, a writer for everybody. It has signalled when
 * there is nothing to wait for. 0; -ENOTTY no dma-buf, or an older kernel; -EINVAL no such
 * access; -EMFILE, -ENOMEM.
 */
int krafla_dma_buf_export_fence(int dma_buf, enum krafla_dma_buf_access access, int *fence);

/*
 * From now on others wait for `fence` as for somebody with that access; -1 is nothing to do. 0; the
 * errors of krafla_fence_check_kernel; -ENOTTY, -EINVAL as above.
 */
int krafla_dma_buf_import_fence(int dma_buf, enum krafla_dma_buf_access access, int fence);

/*
 * DRM syncobjs: `drm` is an open device, a handle (never 0) names a syncobj there. A point is a
 * number above 0 on the syncobj's timeline; 0 stands for the single fence of a binary syncobj.
 * Points are submitted in rising order.
 *
 * Errors of all: -ENOTTY `drm` is no DRM device; -EOPNOTSUPP it has no syncobjs, or none with
 * timelines; -ENOENT no such handle; -EINVAL a point that nobody has submitted.
 */

/* 0 when the device has syncobjs; `timeline` other than 0: when they have timelines. */
int krafla_syncobj_check(int drm, int timeline);

/* A new syncobj, without a fence. Lives until it is destroyed, or the device closed. */
int krafla_syncobj_create(int drm, uint32_t *handle);
/* -EINVAL (not -ENOENT) no such handle. */
int krafla_syncobj_destroy(int drm, uint32_t handle);

/*
 * A descriptor that stands for the syncobj, for another process or device, and the
 * handle of such a one.
 */
int krafla_syncobj_export(int drm, uint32_t handle, int *fd);
int krafla_syncobj_import(int drm, int fd, uint32_t *handle);

/* Submits `to_point`, which signals when `from_point` of the other (or the same) syncobj does. */
int krafla_syncobj_transfer(
	int drm, uint32_t from, uint64_t from_point, uint32_t to, uint64_t to_point);

/* The last point that has ended (*reached) and the last that was submitted (*last); 0 none. */
int krafla_syncobj_query(int drm, uint32_t handle, uint64_t *reached, uint64_t *last);

/* Submits `point` as signalled: it ends with those before it. */
int krafla_syncobj_signal(int drm, uint32_t handle, uint64_t point);

/*
 * Submits `point`, which signals when the kernel fence does; -1 is krafla_syncobj_signal. Beside
 * the errors above those of krafla_fence_check_kernel: then nothing was submitted.
 */
int krafla_syncobj_import_fence(int drm, uint32_t handle, uint64_t point, int fence);

/*
 * A kernel fence of that point, or of the first that was submitted after it, in *fence. Its status
 * (of <krafla/sync.h>: sync_file_info) tells also a failure of the fence that was imported as that
 * very point; of those before it the kernel only knows that they have ended.
 */
int krafla_syncobj_export_fence(int drm, uint32_t handle, uint64_t point, int *fence);

/* What a wait is for. */
enum krafla_syncobj_until {
	KRAFLA_SYNCOBJ_WAIT_DONE = 0,      /* that the point ends; it must be submitted */
	KRAFLA_SYNCOBJ_WAIT_SUBMIT = 2,    /* the same, and until then that it is submitted */
	KRAFLA_SYNCOBJ_WAIT_AVAILABLE = 4, /* only that it is submitted */
};

/*
 * Waits until `deadline_ns` (CLOCK_MONOTONIC; INT64_MAX without limit). 0, -ETIME. A point that has
 * failed has ended: who wants to know exports its fence.
 */
int krafla_syncobj_wait(int drm, uint32_t handle, uint64_t point, enum krafla_syncobj_until until,
	int64_t deadline_ns);

/*
 * The same as an event: the kernel writes 1 to `eventfd`, once, and keeps what it needs of it. A
 * point that isn't submitted is waited for. -EINVAL no eventfd; -EOPNOTSUPP before Linux 6.6.
 */
int krafla_syncobj_watch(
	int drm, uint32_t handle, uint64_t point, enum krafla_syncobj_until until, int eventfd);

#ifdef __cplusplus
}
#endif

#endif
