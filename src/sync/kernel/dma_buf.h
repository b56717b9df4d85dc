/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fences inside a dma-buf: what its readers and writers wait for in the kernel. Raw ioctls
 * (Linux 6.0 and later have them for every dma-buf, whatever made it).
 */
#ifndef KR_SYNC_KERNEL_DMA_BUF_H
#define KR_SYNC_KERNEL_DMA_BUF_H

#include <stdint.h>
#include "util/macros.h"

enum kr_dma_buf_access {
	KR_DMA_BUF_READ = 1,
	KR_DMA_BUF_WRITE = 2,
	KR_DMA_BUF_READ_WRITE = 3,
};

/*
 * A sync_file of what somebody must wait for who wants that access: a reader for writers, a writer
 * for everybody. The caller owns *fence. 0; -ENOTTY `dma_buf` is none, or the kernel is too old.
 */
int kr_dma_buf_export_fence(int dma_buf, enum kr_dma_buf_access access, int *fence) KR_MUST_CHECK;
/*
 * From now on others wait for `fence` as for somebody with that access. The fence stays the
 * caller's; -1 is nothing to do. A user-space fence never enters the kernel (S-05): -EOPNOTSUPP. A
 * fence that has failed is that failure. 0, -ENOTTY as above, -EINVAL no fence.
 */
int kr_dma_buf_import_fence(int dma_buf, enum kr_dma_buf_access access, int fence) KR_MUST_CHECK;
/* Whether fd is a dma-buf at all. */
int kr_dma_buf_check(int fd) KR_MUST_CHECK; /* 0 or -EINVAL */
/*
 * Between these two the CPU sees what devices wrote, and devices will see what it writes. The first
 * waits, in the kernel, for the fences inside: who needs a limit waits for
 * kr_dma_buf_export_fence's before. 0 or -errno.
 */
int kr_dma_buf_begin_cpu(int dma_buf, enum kr_dma_buf_access access) KR_MUST_CHECK;
int kr_dma_buf_end_cpu(int dma_buf, enum kr_dma_buf_access access) KR_MUST_CHECK;

#endif
