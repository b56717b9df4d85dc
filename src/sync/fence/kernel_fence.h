/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel sync_files. Whether an fd is one is asked of the fd each time: numbers are reused, and a
 * process may hold both kinds.
 */
#ifndef KR_SYNC_FENCE_KERNEL_FENCE_H
#define KR_SYNC_FENCE_KERNEL_FENCE_H

#include <stdint.h>
#include <krafla/sync.h>
#include "sync/fence/points.h"
#include "util/macros.h"

/*
 * In error as soon as one point is, also where the kernel's own answer is "active" (it reports the
 * first member that isn't done, and depends on their order) or "signalled" (a point of a DRM
 * syncobj's timeline forgets how its fence ended). 0, or -errno: no sync_file.
 */
int kr_sync_kernel_status(int fd, int32_t *status) KR_MUST_CHECK;
/* One heap block with all points behind it (free), status as above. 0 or -errno. */
int kr_sync_kernel_info(int fd, struct sync_file_info **info) KR_MUST_CHECK;
/* The same as points; time is that of its latest point. 0 or -errno. */
int kr_sync_kernel_read(int fd, struct kr_sync_points *points) KR_MUST_CHECK;
/*
 * The kernel fence of two kernel fences. When one of them has failed, before or while they
 * were merged, a duplicate of that one, which keeps its name: the kernel's merge would drop
 * the failure. 0 or -errno.
 */
int kr_sync_kernel_merge(const char *name, int fd1, int fd2, int *merged) KR_MUST_CHECK;
/*
 * Whether an interface of the kernel may be handed this fence (S-05). 0 yes: a sync_file
 * that hasn't failed; its own status when it has; -EOPNOTSUPP a user-space fence;
 * -EINVAL no fence, -1 too.
 */
int kr_sync_kernel_check(int fd) KR_MUST_CHECK;
/*
 * SYNC_IOC_SET_DEADLINE: 0; -EOPNOTSUPP not a kernel fence, or before Linux 6.6; -EINVAL no fence.
 */
int kr_sync_kernel_set_deadline(int fd, int64_t deadline_ns) KR_MUST_CHECK;

#endif
