/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A point of a timeline: a dma_fence with a time limit.
 *
 * Each point has a fence lock of its own, not the timeline's: callbacks run under the
 * fence's lock, and one that puts, asks or waits for another point of the same timeline must
 * not find that lock taken.
 *
 * A timeline doesn't hold its points: one that nobody holds any more is freed, and taken out of the
 * timeline by its release. What ends a point takes a reference first.
 */
#ifndef KRAFLA_SYNC_POINT_H
#define KRAFLA_SYNC_POINT_H

#include <linux/dma-fence.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/timerqueue.h>

struct krafla_timeline;

struct krafla_point {
	struct dma_fence fence; /* seqno: the point's value */
	spinlock_t lock; /* the fence's */
	struct krafla_timeline *timeline; /* a reference */

	/* All by the timeline's points_lock. */
	bool counted; /* among the timeline's open points */
	struct rb_node by_value; /* empty: not in the timeline */
	struct timerqueue_node by_expiry;
	ktime_t created;
};

/*
 * An open point, counted but not yet in its timeline (krafla_timeline_add). -ENOSPC: the
 * timeline has as many open points as it may have. Its reference is the caller's;
 * putting it gives everything up.
 */
struct krafla_point *krafla_point_create(struct krafla_timeline *timeline, u64 value,
					 u32 timeout_ms);

/* Ends the point, with `error` if that is negative. Never under points_lock. */
void krafla_point_end(struct krafla_point *point, int error);

/* In the timeline, by value; those of one value in the order in which they came. */
void krafla_point_link_locked(struct krafla_point *point);
/* Out of the timeline and its count; also when it isn't there. */
void krafla_point_unlink_locked(struct krafla_point *point);

static inline struct krafla_point *krafla_point_from_node(struct rb_node *node)
{
	return rb_entry(node, struct krafla_point, by_value);
}

static inline struct krafla_point *krafla_point_from_expiry(struct timerqueue_node *node)
{
	return container_of(node, struct krafla_point, by_expiry);
}

/* What the fence's value and timeline_value texts say; also what debugfs prints. */
void krafla_point_value_str(struct dma_fence *fence, char *str, int size);
void krafla_point_timeline_value_str(struct dma_fence *fence, char *str, int size);

#endif
