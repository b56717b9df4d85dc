/* SPDX-License-Identifier: Apache-2.0 */
/* What an fd is, asked of the fd each time, and the questions that both kinds of fence answer. */
#include "sync/fence/status.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/fence/kernel_fence.h"
#include "sync/fence/user_fence.h"

int
kr_sync_status_and_kind(int fd, int32_t *status, bool *kernel)
{
	int err = fd < 0 ? -EINVAL : kr_sync_user_status(fd, status);

	*kernel = err == -ENOTSOCK;
	if (*kernel)
		err = kr_sync_kernel_status(fd, status);
	return err ? -EINVAL : 0;
}

int
kr_sync_status(int fd, int32_t *status)
{
	bool kernel;

	return kr_sync_status_and_kind(fd, status, &kernel);
}

int
kr_sync_status_ready(int fd, int32_t *status)
{
	bool kernel;
	int err = kr_sync_status_and_kind(fd, status, &kernel);

	if (!err && kernel && *status == KR_FENCE_ACTIVE)
		*status = -EOWNERDEAD;
	return err;
}

int
kr_sync_points_read(int fd, bool careful, struct kr_sync_points *points)
{
	int err = kr_sync_user_read(fd, careful, points);

	if (err == -ENOTSOCK)
		err = kr_sync_kernel_read(fd, points);
	return err ? -EINVAL : 0;
}
