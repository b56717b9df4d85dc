/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A timeline: a value that only grows, and the open points that wait for it.
 *
 * Order. Points end in the order of their values, whatever ends them; none ends before an earlier
 * one. Merging relies on that: of several points of one timeline it keeps the last.
 *   - The owner moves the timeline: what is passed signals; at the new value it may fail.
 *   - A point runs out of time: it fails with -ETIMEDOUT, those before it too, and the timeline
 *     stands at its value, as if the owner had moved it there. Later points stay as they are. The
 *     owner, when it comes late, is told by EINVAL (behind) or has nothing to do (at the value).
 *   - The owner dies: all fail with -EOWNERDEAD, the value stays.
 *
 * Locks. `lock` orders the ends; it is taken in the path that ends points, so that nothing may
 * allocate, fault or wait for a fence while holding it. `points_lock`, inside it, keeps the trees;
 * a point's release takes it in any context, so that no fence is touched under it. A fence's own
 * lock is taken under `lock`, never under `points_lock`.
 */
#ifndef KRAFLA_SYNC_TIMELINE_H
#define KRAFLA_SYNC_TIMELINE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/timerqueue.h>
#include <linux/workqueue.h>

#include "../uapi/krafla_sync.h"

struct krafla_point;

struct krafla_timeline {
	struct kref ref; /* its file's and one a point */
	struct list_head link; /* krafla_timelines */
	u64 context;
	pid_t owner;
	char name[KRAFLA_SYNC_NAME_LEN]; /* by lock; constant from the first fence on */

	struct mutex lock;
	atomic64_t value; /* written under lock */
	u64 last; /* the highest value that a point was made for */
	bool named;
	/*
	 * The values that ended in error last: a point made for one of them later
	 * fails as they did.
	 */
	u64 failed_first, failed_last;
	int failed_error; /* 0: none has */

	spinlock_t points_lock;
	struct rb_root_cached by_value; /* krafla_point.by_value */
	struct timerqueue_head by_expiry; /* krafla_point.by_expiry */
	unsigned int open; /* points that were made and haven't ended */

	struct delayed_work expiry;
};

int krafla_timelines_init(void);
/* When no timeline is left. */
void krafla_timelines_exit(void);

struct krafla_timeline *krafla_timeline_create(void);
/* Its owner is gone: fails what is open. The caller's reference goes. */
void krafla_timeline_close(struct krafla_timeline *timeline);

struct krafla_timeline *krafla_timeline_get(struct krafla_timeline *timeline);
/* In any context. */
void krafla_timeline_put(struct krafla_timeline *timeline);

/* -EBUSY: a fence has shown the name already. `name` is NUL ended. */
int krafla_timeline_set_name(struct krafla_timeline *timeline, const char *name);
/* Counts a point that is being made; false: there are too many. */
bool krafla_timeline_count_point(struct krafla_timeline *timeline);
/* Lets the point wait for its value, or ends it at once when that is reached. */
void krafla_timeline_add(struct krafla_timeline *timeline, struct krafla_point *point);
/* -EINVAL: `value` lies behind. */
int krafla_timeline_move(struct krafla_timeline *timeline, u64 value, int error);
void krafla_timeline_info(struct krafla_timeline *timeline, struct krafla_sync_info *info);

/* All timelines, for debugfs; krafla_timelines_lock is never taken in the path that ends points. */
extern struct list_head krafla_timelines; /* krafla_timeline.link */
extern struct mutex krafla_timelines_lock;

#endif
