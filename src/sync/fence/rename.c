/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renaming a fence that its holder keeps (S-07), as a BufferQueue does for each frame: nothing is
 * duplicated but a kernel fence, whose name can't be changed.
 */
#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/fence/kernel_fence.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

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
