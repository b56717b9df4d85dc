/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges that aren't done: a merged fence is a user-space fence whose producer end the reactor's
 * thread holds. It watches the inputs and signals when all are done, or as soon as one fails
 * (S-03).
 *
 * All functions may be called from any thread.
 */
#ifndef KR_SYNC_MERGE_PENDING_H
#define KR_SYNC_MERGE_PENDING_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/fence/points.h"
#include "util/macros.h"

/*
 * The fence of both inputs, which are borrowed; fd2 -1 for a fence of the first alone on a
 * description of its own. 0 or -errno (-EMFILE, -ENFILE, -ENOMEM, -EAGAIN no thread).
 */
int kr_sync_pending_merge(const char *name, int fd1, int fd2, int *merged) KR_MUST_CHECK;
/* As kr_sync_points_read, and an active merge of this process tells its points. */
int kr_sync_pending_points(int fd, bool careful, struct kr_sync_points *points) KR_MUST_CHECK;

/*
 * A duplicate of what holds up an active merge of this process, and how many inputs that has;
 * without receiving anything. 0; -ENOENT: `fd` isn't one; -EMFILE.
 */
int kr_sync_pending_blame(int fd, int *input, uint32_t *count) KR_MUST_CHECK;

#endif
