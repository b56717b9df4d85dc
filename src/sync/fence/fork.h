/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule for fork: a child drops the producer ends of its parent, and knows nothing of the merges
 * that its parent's reactor serves. Fences (consumer ends) stay usable in both. So a fence fails with
 * its parent's death, whatever children are left; and a child that wants to signal makes its own.
 * Holds for fork(); vfork and posix_spawn share no descriptors past exec (O_CLOEXEC).
 */
#ifndef KR_SYNC_FORK_H
#define KR_SYNC_FORK_H

#include "util/macros.h"

/* Before the first producer end is made; cheap afterwards. 0 or -ENOMEM. */
int kr_sync_fork_init(void) KR_MUST_CHECK;

#endif
