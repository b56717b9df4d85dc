/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel sync_files. Whether an fd is one is asked of the fd each time: numbers are reused, and a
 * process may hold both kinds.
 */
#ifndef KR_SYNC_KERNEL_FENCE_H
#define KR_SYNC_KERNEL_FENCE_H

#include <stdint.h>
#include <krafla/sync.h>
#include "util/macros.h"

/*
 * In error as soon as one point is, also where the kernel's own answer is still "active": it reports
 * the first member that isn't done, and depends on their order. 0, or -errno: no sync_file.
 */
int kr_sync_kernel_status(int fd, int32_t *status) KR_MUST_CHECK;
/* One heap block with all points behind it (free), status as above. 0 or -errno. */
int kr_sync_kernel_info(int fd, struct sync_file_info **info) KR_MUST_CHECK;
/* A new description of the points of both. 0 or -errno. */
int kr_sync_kernel_merge(const char *name, int fd1, int fd2, int *merged) KR_MUST_CHECK;

#endif
