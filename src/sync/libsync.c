/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsync's functions (S-08), exported by libkrafla.so.0. Nothing inside the platform calls them:
 * an application may bring its own.
 */
#include <krafla/sync.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sync/fence/kernel_fence.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "sync/merge/merge.h"
#include "sync/merge/pending.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "util/macros.h"

static int
fail(int err)
{
	errno = -err;
	return -1;
}

KR_EXPORT int
sync_wait(int fd, int timeout_ms)
{
	int64_t deadline = KR_FOREVER;
	struct kr_fence_watchdog watchdog = {0};
	int32_t status;
	int err;

	if (timeout_ms >= 0)
		deadline = kr_deadline_in((uint64_t)timeout_ms * KR_NSEC_PER_MSEC);
	err = kr_sync_wait_watched(fd, deadline, &watchdog, "sync_wait", &status);
	return err ? fail(err) : 0;
}

KR_EXPORT int
sync_merge(const char *name, int fd1, int fd2)
{
	int merged, err;

	if (fd1 < 0 || fd2 < 0)
		return fail(-EINVAL);
	err = kr_sync_merge_fences(name, fd1, fd2, true, &merged);
	return err ? fail(err) : merged;
}

static struct sync_file_info *
info_from_points(const struct kr_sync_points *points)
{
	size_t size = points->count * sizeof(points->point[0]);
	struct sync_file_info *info = calloc(1, sizeof(*info) + size);

	if (!info)
		return NULL;
	memcpy(info->name, points->name, sizeof(info->name));
	info->status = points->status;
	info->num_fences = points->count;
	info->sync_fence_info = (uintptr_t)(info + 1);
	memcpy(info + 1, points->point, size);
	return info;
}

KR_EXPORT struct sync_file_info *
sync_file_info(int32_t fd)
{
	struct sync_file_info *info = NULL;
	struct kr_sync_points points;
	int32_t status;
	int err = fd < 0 ? -EINVAL : kr_sync_user_status(fd, &status);

	if (err == -ENOTSOCK) {
		err = kr_sync_kernel_info(fd, &info);
		if (err && err != -ENOMEM)
			err = -EINVAL;
	} else if (!err) {
		err = kr_sync_pending_points(fd, false, &points);
		info = err ? NULL : info_from_points(&points);
		if (!err && !info)
			err = -ENOMEM;
	}
	if (err)
		errno = -err;
	return err ? NULL : info;
}

KR_EXPORT void
sync_file_info_free(struct sync_file_info *info)
{
	free(info);
}
