/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging two fences. The rule is S-03: signalled when both are, in error as soon as one is. What can be
 * answered at once is; the rest is the reactor's. An absent fence (-1) counts as signalled.
 *
 *   either failed                -> a user-space fence that has failed so already
 *   both signalled               -> -1, or for libsync a signalled fence with the later time
 *   one left, user-space         -> a duplicate of it, renamed; for libsync one of its own (reactor)
 *   one left, or twice, kernel   -> the kernel's self-merge: a new sync_file with the new name
 *   the same fd twice, active    -> a fence of its own, on a new description (reactor)
 *   both active                  -> reactor
 *
 * Two kernel fences go through the reactor as well. The kernel's own merge drops a member that has
 * failed already, and reports a member that fails later only when all are done, which is not S-03. What
 * it costs is that the result is no sync_file, which no kernel interface takes. Whoever needs one
 * (KMS, syncobj, SYNC_FD import) asks for it: kr_fence_merge_kernel, where a failure before the merge is
 * an error here, and one after it shows at once to those who ask for the status, but wakes waiters only
 * when the other members are done.
 *
 * Points of one timeline are not collapsed: whose timeline a user-space point is on is a label, and a
 * forged label must not drop somebody's fence.
 */
#include "sync/merge.h"

#include <errno.h>

#include "sync/fence.h"
#include "sync/kernel_fence.h"
#include "sync/points.h"
#include "sync/reactor.h"
#include "sync/status.h"
#include "sync/user_fence.h"
#include "util/clock.h"
#include "util/fd.h"

static int
status_of(int fd, int32_t *status)
{
	if (fd == -1) {
		*status = KR_FENCE_SIGNALLED;
		return 0;
	}
	return kr_sync_status(fd, status);
}

static void
append_of(struct kr_sync_points *points, int fd, bool careful)
{
	struct kr_sync_points more;

	if (fd == -1 || kr_sync_reactor_points(fd, careful, &more))
		return;
	kr_sync_points_append(points, &more);
	points->timestamp = KR_MAX(points->timestamp, more.timestamp);
}

static int
merge_done(const char *name, int fd1, int fd2, int32_t status, bool exact, int *merged)
{
	struct kr_sync_points points;

	kr_sync_points_init(&points, name);
	points.status = status;
	append_of(&points, fd1, !exact);
	if (fd2 != fd1)
		append_of(&points, fd2, !exact);
	if (!points.timestamp)
		points.timestamp = kr_clock_now();
	return kr_sync_user_create_done(&points, merged);
}

/* The same fence on a description of its own. */
static int
reissue(const char *name, int fd, int *merged)
{
	int32_t status;

	if (kr_sync_user_status(fd, &status) == -ENOTSOCK)
		return kr_sync_kernel_merge(name, fd, fd, merged);
	return kr_sync_reactor_merge(name, fd, -1, merged);
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

int
kr_sync_merge(const char *name, int fd1, int fd2, bool exact, int *merged)
{
	int32_t status1, status2;

	if (status_of(fd1, &status1) || status_of(fd2, &status2))
		return -EINVAL;
	if (status1 < 0 || status2 < 0)
		return merge_done(name, fd1, fd2, status1 < 0 ? status1 : status2, exact, merged);
	if (status1 && status2) {
		if (exact)
			return merge_done(name, fd1, fd2, KR_FENCE_SIGNALLED, true, merged);
		*merged = -1;
		return 0;
	}
	if (fd1 == fd2)
		return reissue(name, fd1, merged);
	if (!status1 && !status2)
		return kr_sync_reactor_merge(name, fd1, fd2, merged);
	if (exact)
		return reissue(name, status1 ? fd2 : fd1, merged);
	return kr_fence_rename(name, status1 ? fd2 : fd1, merged);
}

int
kr_fence_merge(const char *name, int fence1, int fence2, int *merged)
{
	return kr_sync_merge(name, fence1, fence2, false, merged);
}

int
kr_fence_merge_kernel(const char *name, int fence1, int fence2, int *merged)
{
	int32_t status1, status2;

	if (fence1 < 0 || fence2 < 0 || kr_sync_kernel_status(fence1, &status1) ||
		kr_sync_kernel_status(fence2, &status2))
		return -EINVAL;
	if (status1 < 0 || status2 < 0)
		return status1 < 0 ? status1 : status2;
	return kr_sync_kernel_merge(name, fence1, fence2, merged);
}
