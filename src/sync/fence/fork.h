/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule for fork: a child drops the producer ends of its parent, and knows nothing of the merges
 * that its parent's reactor serves. Fences (consumer ends) stay usable in both. So a fence fails
 * with its parent's death, whatever children are left; and a child that wants to signal makes its
 * own. Holds for fork(); vfork and posix_spawn share no descriptors past exec (O_CLOEXEC).
 *
 * Who has a lock, or something that a child must let go of, says so with a hook. Hooks stand in the
 * order of their locks (docs/threading.md): a fork goes down the list, and on both sides back up.
 */
#ifndef KR_SYNC_FENCE_FORK_H
#define KR_SYNC_FENCE_FORK_H

#include <stdbool.h>
#include "util/macros.h"

enum kr_sync_fork_rank {
	KR_SYNC_FORK_EGL_FUNCTIONS, /* egl/vendor */
	KR_SYNC_FORK_EGL_JUMPS,     /* egl/calls */
	KR_SYNC_FORK_EGL_DISPLAYS,  /* egl/vendor */
	KR_SYNC_FORK_EGL_WINDOWS,   /* egl/window */
	KR_SYNC_FORK_EGL_IMAGES,    /* egl/image */
	KR_SYNC_FORK_EGL_COPIES,    /* egl/window */
	KR_SYNC_FORK_EGL,           /* egl/fence */
	KR_SYNC_FORK_FLIGHTS,       /* of the adapter */
	KR_SYNC_FORK_SW_SYNC,
	KR_SYNC_FORK_FAULTS,
	KR_SYNC_FORK_HELD_FENCES,
	KR_SYNC_FORK_REACTOR,
	KR_SYNC_FORK_OWN_POINTS,
	KR_SYNC_FORK_PRODUCERS,
	KR_SYNC_FORK_RANKS,
};

/*
 * Both are called by the thread that forks, the second in parent and child; they call nobody else.
 */
struct kr_sync_fork_hook {
	void (*before)(void); /* takes the lock; NULL: there is none */
	void (*after)(bool child);
};

/*
 * For constructors alone: the table stays as it is from the first fence on, so that no fork finds
 * it otherwise after than before. The hook is kept, not copied.
 */
void kr_sync_fork_register(enum kr_sync_fork_rank rank, const struct kr_sync_fork_hook *hook);

/* Before the first producer end is made; cheap afterwards. 0 or -ENOMEM. */
int kr_sync_fork_init(void) KR_MUST_CHECK;

#endif
