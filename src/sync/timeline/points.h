/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open points of a timeline of user-space fences, first the lowest value and among equals the
 * one that came first, and the values that failed. The caller's lock is held around all of it.
 */
#ifndef KR_SYNC_TIMELINE_POINTS_H
#define KR_SYNC_TIMELINE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_timeline_point {
	uint64_t value;
	uint64_t order;  /* of arrival */
	uint64_t cookie; /* of its fence: own_points.h */
	int producer;    /* owned */
};

/* A binary heap. All zeroes is an empty one. */
struct kr_timeline_points {
	struct kr_timeline_point *heap;
	size_t count;
	size_t room;
	uint64_t arrived;
};

/* Makes room for one more; may sweep. 0 or -ENOMEM. */
int kr_timeline_points_reserve(struct kr_timeline_points *points) KR_MUST_CHECK;
/* Into room that was reserved. */
void kr_timeline_points_push(
	struct kr_timeline_points *points, uint64_t value, uint64_t cookie, int take_producer);
/* The first, when its value is at most `upto`; its producer end is the caller's then. */
bool kr_timeline_points_pop(
	struct kr_timeline_points *points, uint64_t upto, struct kr_timeline_point *first);
/* Drops the points whose fences nobody holds any more. Whether there were any. */
bool kr_timeline_points_sweep(struct kr_timeline_points *points);
/* Of an empty heap. */
void kr_timeline_points_finish(struct kr_timeline_points *points);

/*
 * Values that failed, for fences of them that are asked for later: a point ends once, one way
 * (S-02). Neighbours with one error, which is what a lost device leaves behind, are one entry.
 */
struct kr_timeline_failure {
	uint64_t first;
	uint64_t last;
	int error;
};

struct kr_timeline_failures {
	struct kr_timeline_failure *list; /* in order */
	size_t count;
	size_t room;
};

/* A value beyond all that were added. 0 or -ENOMEM. */
int kr_timeline_failures_add(struct kr_timeline_failures *failures, uint64_t value, int error)
	KR_MUST_CHECK;
/* Its error, or 0. */
int kr_timeline_failures_find(const struct kr_timeline_failures *failures, uint64_t value);
void kr_timeline_failures_finish(struct kr_timeline_failures *failures);

#endif
