/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fences are open points of which timeline of this process. Merges count points of one
 * timeline as one (merge/points.c), and may do so only for what is certain: the name of a fence is
 * a label that anybody can choose, its socket cookie is the kernel's and given once.
 *
 * A forked child has none: the points are its parent's.
 */
#ifndef KR_SYNC_FENCE_OWN_POINTS_H
#define KR_SYNC_FENCE_OWN_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include "sync/fence/producers.h"
#include "util/macros.h"

struct kr_own_point {
	uint64_t cookie;   /* of the fence, the consumer end; 0: none */
	uint64_t timeline; /* a number of its own; 0: none */
	uint64_t value;
};

/* A number for a timeline that none before it has had. */
uint64_t kr_own_points_new_timeline(void);
/* 0 or -ENOMEM. */
int kr_own_points_add(const struct kr_own_point *point) KR_EXCLUDES(kr_sync_producers_lock)
	KR_MUST_CHECK;
void kr_own_points_remove(uint64_t cookie) KR_EXCLUDES(kr_sync_producers_lock);
/* Whether the fence with that cookie (0: none) is one that is open still, and which. */
bool kr_own_points_find(uint64_t cookie, struct kr_own_point *point)
	KR_EXCLUDES(kr_sync_producers_lock);

#endif
