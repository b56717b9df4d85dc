/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel is asked about its fences, in one place, so that tests can put a kernel of their
 * own there: this machine's may have neither drivers that make fences nor dma-bufs.
 */
#ifndef KR_SYNC_FENCE_KERNEL_CALLS_H
#define KR_SYNC_FENCE_KERNEL_CALLS_H

#include "util/macros.h"

/* Both answer 0 or -errno, are called from any thread, and hold no lock of Krafla's. */
struct kr_sync_kernel_calls {
	/* ioctl(2). `request` is one of linux/sync_file.h, linux/dma-buf.h or drm/drm.h. */
	int (*ioctl)(int fd, unsigned long request, void *data);
	/* f_type of fstatfs(2). */
	int (*file_system)(int fd, long *type);
};

/* For tests; NULL puts the real kernel back. */
void kr_sync_set_kernel_calls(const struct kr_sync_kernel_calls *calls);

/* Asked again when a signal interrupts: limits of time in `data` must be absolute. */
int kr_sync_ioctl(int fd, unsigned long request, void *data) KR_MUST_CHECK;
int kr_sync_file_system(int fd, long *type) KR_MUST_CHECK;

#endif
