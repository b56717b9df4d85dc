/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer ends that this process holds, so that a forked child can drop its copies:
 * a child that kept one would keep the fence alive past the death of its parent, and
 * whoever waits would hang.
 *
 * Callers may close a producer end with plain close(), so an entry can be stale and its number
 * belong to something else by then. A child closes an fd only when its socket cookie, which the
 * kernel never gives twice, is still the registered one.
 */
#ifndef KR_SYNC_FENCE_PRODUCERS_H
#define KR_SYNC_FENCE_PRODUCERS_H

#include <stdbool.h>
#include "util/macros.h"
#include "util/mutex.h"

/* Held from the making of a producer end to its registration, so that no fork comes between. */
extern struct kr_mutex kr_sync_producers_lock;

/* 0, -ENOMEM or -EMFILE (an fd number past 2^20). */
int kr_sync_producers_add_locked(int fd) KR_REQUIRES(kr_sync_producers_lock) KR_MUST_CHECK;
/*
 * Closes an end, then forgets it: a fork in between finds the entry stale. Takes no lock, so that a
 * signal handler may end a fence.
 */
void kr_sync_producers_close(int take_fd);
/* Whether fd still is a producer end of ours. */
bool kr_sync_producers_has(int fd);

#endif
