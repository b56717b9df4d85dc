/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging, once what the two inputs are is known. See merge.c for the table.
 */
#ifndef KR_SYNC_MERGE_H
#define KR_SYNC_MERGE_H

#include <stdbool.h>
#include "util/macros.h"

/*
 * `fd1` and `fd2` are fences or -1. `exact` is for libsync: always a new fd on a description of its own,
 * with that name, even where -1 or a duplicate would do. 0 or -errno.
 */
int kr_sync_merge(const char *name, int fd1, int fd2, bool exact, int *merged) KR_MUST_CHECK;

#endif
