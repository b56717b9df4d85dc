/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a fence of either kind, and its newer names (S-07). */
#include "sync/fence/fence.h"

#include <errno.h>
#include <unistd.h>

#include "sync/fence/kernel_fence.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

KR_PRIVATE int
kr_fence_status(int fence)
{
	int32_t status;

	if (fence == -1)
		return KR_FENCE_SIGNALLED;
	if (fence >= 0 && kr_sync_user_is_active(fence))
		return KR_FENCE_ACTIVE;
	return kr_sync_status(fence, &status) ? -EINVAL : status;
}

int64_t
kr_fence_signal_time(int fence)
{
	struct kr_sync_points points;
	int32_t status;
	pid_t owner;

	if (fence < 0)
		return 0;
	/* Another process's socket has nothing to tell: the short way for most frames. */
	owner = kr_sync_user_owner(fence);
	if (owner && owner != getpid())
		return 0;
	if (!kr_sync_user_status(fence, &status) && kr_sync_user_owner(fence) != getpid())
		return 0;
	if (kr_sync_points_read(fence, true, &points) || points.status == KR_FENCE_ACTIVE)
		return 0;
	return points.timestamp;
}

int
kr_fence_rename(const char *name, int fence, int *renamed)
{
	int32_t status;
	int copy, err;

	if (fence == -1) {
		*renamed = -1;
		return 0;
	}
	err = fence < 0 ? -EINVAL : kr_sync_user_status(fence, &status);
	if (err == -ENOTSOCK) {
		err = kr_sync_kernel_status(fence, &status);
		return err ? -EINVAL : kr_sync_kernel_merge(name, fence, fence, renamed);
	}
	if (err)
		return err;
	err = kr_fd_dup(fence, &copy);
	if (err)
		return err;
	kr_sync_user_rename(copy, name);
	*renamed = copy;
	return 0;
}

/* The kernel's merge drops a point that has failed (S-03): then the fence stays what it is. */
static void
rename_kernel(const char *name, int *fence)
{
	int32_t status;
	int renamed;

	if (kr_sync_kernel_status(*fence, &status) || status != KR_FENCE_ACTIVE ||
		kr_sync_kernel_merge(name, *fence, *fence, &renamed))
		return;
	if (kr_sync_kernel_status(*fence, &status) || status < 0) {
		kr_fd_close(&renamed);
		return;
	}
	kr_fd_close(fence);
	*fence = renamed;
}

/* As a BufferQueue does for each frame: nothing is duplicated but a kernel fence. */
void
kr_fence_rename_held(const char *name, int *fence)
{
	int32_t status;
	int err = *fence < 0 ? -EINVAL : kr_sync_user_status(*fence, &status);

	if (err == -ENOTSOCK)
		rename_kernel(name, fence);
	else if (!err && status == KR_FENCE_ACTIVE)
		kr_sync_user_rename(*fence, name);
}
