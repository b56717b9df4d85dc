/* SPDX-License-Identifier: Apache-2.0 */
/* Merging two fences: merge.c has the table. Any thread. */
#ifndef KR_SYNC_MERGE_MERGE_H
#define KR_SYNC_MERGE_MERGE_H

#include <stdbool.h>
#include "util/macros.h"

/*
 * The fence of both, in *merged, owned by the caller; -1 when both are signalled and neither
 * failed. In error as soon as one is in error. 0 or -errno.
 *
 * Two kernel fences give a kernel fence, which may be handed to a kernel interface: the
 * kernel's merge, or a duplicate of the one that has failed. What fails after such a merge
 * is told by kr_fence_status at once, but wakes waiters only when all its members are done
 * (why: merge.c). With a user-space fence among them the result is a user-space fence,
 * unless only a kernel fence is left.
 *
 * Where one is left the result may share the description of that input (and name it); the same fd
 * twice gives a new description: that is how a fence is re-issued to a client that others distrust.
 * A failed kernel fence is duplicated instead, since the kernel would make a success of it.
 */
int kr_fence_merge(const char *name, int fence1, int fence2, int *merged) KR_MUST_CHECK;

/*
 * As kr_fence_merge, for those who hand the result to a kernel interface and therefore take nothing
 * else: 0; -EOPNOTSUPP one is a user-space fence; -EINVAL no fence, also -1; the status of one that
 * has failed; -errno of the kernel.
 */
int kr_fence_merge_kernel(const char *name, int fence1, int fence2, int *merged) KR_MUST_CHECK;

/*
 * `fd1` and `fd2` are fences or -1. `exact` is for libsync: always a new fd on a description of its
 * own, with that name, even where -1 or a duplicate would do. 0 or -errno.
 */
int kr_sync_merge_fences(const char *name, int fd1, int fd2, bool exact, int *merged) KR_MUST_CHECK;

#endif
