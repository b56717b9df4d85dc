/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges that wait: a merged fence is a user-space fence whose producer end the reactor holds. It
 * watches the inputs and signals when all are done, or as soon as one has failed (S-03).
 */
#ifndef KR_SYNC_REACTOR_H
#define KR_SYNC_REACTOR_H

#include <stdbool.h>
#include "sync/points.h"
#include "util/macros.h"

/*
 * The fence of both inputs, which are borrowed; fd2 -1 for a fence of the first alone on a description
 * of its own. 0 or -errno (-EMFILE, -ENFILE, -ENOMEM, -EAGAIN no thread).
 */
int kr_sync_reactor_merge(const char *name, int fd1, int fd2, int *merged) KR_MUST_CHECK;
/* As kr_sync_points_read, and an active merge of this process tells its points. */
int kr_sync_reactor_points(int fd, bool careful, struct kr_sync_points *points) KR_MUST_CHECK;

/*
 * A duplicate of what holds up an active merge of this process, and how many inputs that has; without
 * receiving anything. 0; -ENOENT: `fd` isn't one; -EMFILE.
 */
int kr_sync_reactor_blame(int fd, int *input, uint32_t *count) KR_MUST_CHECK;

/* From fork.c. */
void kr_sync_reactor_init(void);
void kr_sync_reactor_before_fork(void);
void kr_sync_reactor_after_fork(bool child);

#endif
