/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging two fences. The rule is S-03: signalled when both are, in error as soon as one is. What
 * can be answered at once is; the rest is the reactor's. An absent fence (-1) counts as signalled.
 *
 *   only kernel fences left    -> the kernel's merge: a new sync_file with the new name. When one
 *                                 has failed, a duplicate of that one
 *   either failed              -> a user-space fence that has failed so already
 *   both signalled             -> -1, or for libsync a signalled fence with the later time
 *   one left                   -> a duplicate of it, renamed; for libsync one of its own (reactor)
 *   the same fd twice, active  -> a fence of its own, on a new description (reactor)
 *   both active                -> reactor
 *
 * A merge of kernel fences stays a kernel fence because those who merge them hand the result to a
 * kernel interface (KMS, a driver's EGL or SYNC_FD import), which refuses a socket; programs that
 * were written for Android do so with what sync_merge gives. The kernel's merge by itself is not
 * S-03 (measured on 6.12, tests/lab/test_kernel_fence.c holds it to this): it drops a member that
 * has failed already, and the answer about one that fails later depends on the order of the
 * members. Both are put right, by asking the inputs after the merge and the members for every
 * status. What remains is that a member which fails later wakes waiters, and whoever polls the fd,
 * only when the other members are done too. The kernel bounds that: its fences end in finite time
 * whatever user space does, which is why no user-space fence is ever part of one. A merge with a
 * user-space fence wakes at once on an error (the reactor).
 *
 * Of points of one timeline the kernel keeps the last alone, and so no longer knows whether an
 * earlier one has failed: a merge of those is signalled when the last is (tests/kill found it).
 *
 * Open points of one timeline of this process are told as one, but waited for each (inputs.c says
 * up to when). Otherwise whose timeline a user-space point is on is a label, and a forged label
 * must not drop somebody's fence.
 */
#include "sync/merge/merge.h"

#include <errno.h>

#include "sync/fence/fence.h"
#include "sync/fence/kernel_fence.h"
#include "sync/fence/points.h"
#include "sync/fence/status.h"
#include "sync/fence/user_fence.h"
#include "sync/merge/pending.h"
#include "util/clock.h"
#include "util/fd.h"

static int
status_of(int fd, int32_t *status, bool *kernel)
{
	if (fd == -1) {
		*status = KR_FENCE_SIGNALLED;
		*kernel = false;
		return 0;
	}
	return kr_sync_status_and_kind(fd, status, kernel);
}

static void
append_of(struct kr_sync_points *points, int fd, bool careful)
{
	struct kr_sync_points more;

	if (fd == -1 || kr_sync_pending_points(fd, careful, &more))
		return;
	kr_sync_points_append(points, &more);
	points->timestamp = KR_MAX(points->timestamp, more.timestamp);
}

static int
merge_done(const char *name, const int fd[2], int32_t status, bool exact, int *merged)
{
	struct kr_sync_points points;

	kr_sync_points_init(&points, name);
	points.status = status;
	append_of(&points, fd[0], !exact);
	if (fd[1] != fd[0])
		append_of(&points, fd[1], !exact);
	if (!points.timestamp)
		points.timestamp = kr_clock_now();
	return kr_sync_user_create_done(&points, merged);
}

/*
 * Whether no user-space fence counts: `left` are then the kernel fences that the merge comes down
 * to. A user-space fence that has signalled counts no more, except for libsync when both have.
 */
static bool
only_kernel(const int fd[2], const int32_t status[2], const bool kernel[2], int left[2])
{
	for (int i = 0; i < 2; i++) {
		left[i] = fd[i];
		if (kernel[i])
			continue;
		if (!kernel[!i] || status[i] != KR_FENCE_SIGNALLED ||
			status[!i] == KR_FENCE_SIGNALLED)
			return false;
		left[i] = fd[!i];
	}
	return true;
}

/* Of fences that aren't all of the kernel; `left` hasn't signalled. */
static int
merge_ours(const char *name, const int fd[2], const int32_t status[2], bool exact, int *merged)
{
	int left = status[0] ? fd[1] : fd[0];

	if (status[0] < 0 || status[1] < 0)
		return merge_done(name, fd, status[0] < 0 ? status[0] : status[1], exact, merged);
	if (status[0] && status[1])
		return merge_done(name, fd, KR_FENCE_SIGNALLED, exact, merged);
	if (fd[0] != fd[1] && !status[0] && !status[1])
		return kr_sync_pending_merge(name, fd[0], fd[1], merged);
	if (exact || fd[0] == fd[1])
		return kr_sync_pending_merge(name, left, -1, merged);
	return kr_fence_rename(name, left, merged);
}

int
kr_sync_merge_fences(const char *name, int fd1, int fd2, bool exact, int *merged)
{
	const int fd[2] = {fd1, fd2};
	int32_t status[2];
	bool kernel[2];
	int left[2];

	if (status_of(fd1, &status[0], &kernel[0]) || status_of(fd2, &status[1], &kernel[1]))
		return -EINVAL;
	if (!exact && status[0] == KR_FENCE_SIGNALLED && status[1] == KR_FENCE_SIGNALLED) {
		*merged = -1;
		return 0;
	}
	if (only_kernel(fd, status, kernel, left))
		return kr_sync_kernel_merge(name, left[0], left[1], merged);
	return merge_ours(name, fd, status, exact, merged);
}

int
kr_fence_merge(const char *name, int fence1, int fence2, int *merged)
{
	return kr_sync_merge_fences(name, fence1, fence2, false, merged);
}

int
kr_fence_merge_kernel(const char *name, int fence1, int fence2, int *merged)
{
	int fd, err = kr_sync_kernel_check(fence1);

	if (!err)
		err = kr_sync_kernel_check(fence2);
	if (!err)
		err = kr_sync_kernel_merge(name, fence1, fence2, &fd);
	if (err)
		return err;
	err = kr_sync_kernel_check(fd);
	if (err)
		kr_fd_close(&fd);
	else
		*merged = fd;
	return err;
}
