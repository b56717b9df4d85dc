/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fence consists of: name, status, time and its points. A user-space fence that is still
 * active says no more than its label; the points of an active merge are known to the reactor of
 * the process that made it.
 */
#ifndef KR_SYNC_FENCE_POINTS_H
#define KR_SYNC_FENCE_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <krafla/sync.h>
#include "sync/fence/name.h"
#include "util/macros.h"

/* More points than these are folded into the last one. */
#define KR_SYNC_MAX_POINTS 64

struct kr_sync_points {
	char name[KR_SYNC_TEXT];
	int32_t status;
	uint32_t count;
	int64_t timestamp; /* CLOCK_MONOTONIC ns; 0 not known */
	struct sync_fence_info point[KR_SYNC_MAX_POINTS];
};

/* Adds one. */
void kr_sync_points_add(struct kr_sync_points *points, const struct sync_fence_info *point);
/* Adds those of `more`; its name, status and time are left alone. */
void kr_sync_points_append(struct kr_sync_points *points, const struct kr_sync_points *more);
/* An empty list with that name. */
void kr_sync_points_init(struct kr_sync_points *points, const char *name);

#endif
