// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Timelines: how points end, in order and in time (timeline.h). */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "point.h"
#include "timeline.h"

static unsigned int max_points = 16384;
module_param(max_points, uint, 0644);
MODULE_PARM_DESC(max_points, "The most open points that a timeline may have");

LIST_HEAD(krafla_timelines);
DEFINE_MUTEX(krafla_timelines_lock);

static struct workqueue_struct *expiry_queue;

int krafla_timelines_init(void)
{
	/* Memory may be waited for behind one of our fences: a thread to end them must be there. */
	expiry_queue = alloc_workqueue("krafla_sync", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	return expiry_queue ? 0 : -ENOMEM;
}

void krafla_timelines_exit(void)
{
	destroy_workqueue(expiry_queue);
}

/* The first open point up to `upto`, taken out, with a reference; NULL: there is none. */
static struct krafla_point *take_first(struct krafla_timeline *timeline, u64 upto)
{
	struct krafla_point *point = NULL;
	struct rb_node *node;

	spin_lock_irq(&timeline->points_lock);
	while ((node = rb_first_cached(&timeline->by_value))) {
		point = krafla_point_from_node(node);
		if (point->fence.seqno > upto) {
			point = NULL;
			break;
		}
		krafla_point_unlink_locked(point);
		if (dma_fence_get_rcu(&point->fence))
			break;
		/* Its last reference is gone, its release waits for points_lock. */
		point = NULL;
	}
	spin_unlock_irq(&timeline->points_lock);
	return point;
}

/* Ends all points up to `upto`; those from `failing` on with `error`. */
static void end_points(struct krafla_timeline *timeline, u64 upto, u64 failing, int error)
{
	struct krafla_point *point;

	lockdep_assert_held(&timeline->lock);
	while ((point = take_first(timeline, upto))) {
		krafla_point_end(point, point->fence.seqno >= failing ? error : 0);
		dma_fence_put(&point->fence);
	}
}

static void move(struct krafla_timeline *timeline, u64 value, u64 failing, int error)
{
	if (error) {
		timeline->failed_first = failing;
		timeline->failed_last = value;
		timeline->failed_error = error;
	}
	atomic64_set(&timeline->value, value);
	end_points(timeline, value, failing, error);
}

static u64 value_of(struct krafla_timeline *timeline)
{
	return (u64)atomic64_read(&timeline->value);
}

/* The next point to run out of time: its value and when. */
static bool next_expiry(struct krafla_timeline *timeline, u64 *value, ktime_t *when)
{
	struct timerqueue_node *node;

	spin_lock_irq(&timeline->points_lock);
	node = timerqueue_getnext(&timeline->by_expiry);
	if (node) {
		*value = krafla_point_from_expiry(node)->fence.seqno;
		*when = node->expires;
	}
	spin_unlock_irq(&timeline->points_lock);
	return node;
}

static void arm(struct krafla_timeline *timeline)
{
	ktime_t when;
	u64 value;
	s64 left;

	lockdep_assert_held(&timeline->lock);
	if (!next_expiry(timeline, &value, &when))
		return;
	left = max_t(s64, 0, ktime_to_ns(ktime_sub(when, ktime_get())));
	/* One more, so that it doesn't fire within the jiffy before. */
	mod_delayed_work(expiry_queue, &timeline->expiry, nsecs_to_jiffies(left) + 1);
}

static void expire(struct work_struct *work)
{
	struct krafla_timeline *timeline =
		container_of(to_delayed_work(work), struct krafla_timeline, expiry);
	bool cookie = dma_fence_begin_signalling();
	ktime_t when;
	u64 value;

	mutex_lock(&timeline->lock);
	while (next_expiry(timeline, &value, &when) && ktime_compare(when, ktime_get()) <= 0)
		move(timeline, value, value_of(timeline) + 1, -ETIMEDOUT);
	arm(timeline);
	mutex_unlock(&timeline->lock);
	dma_fence_end_signalling(cookie);
}

struct krafla_timeline *krafla_timeline_create(void)
{
	struct krafla_timeline *timeline;
	char comm[TASK_COMM_LEN];

	timeline = kzalloc(sizeof(*timeline), GFP_KERNEL_ACCOUNT);
	if (!timeline)
		return NULL;
	kref_init(&timeline->ref);
	timeline->context = dma_fence_context_alloc(1);
	timeline->owner = task_tgid_nr(current);
	strscpy(timeline->name, get_task_comm(comm, current), sizeof(timeline->name));
	mutex_init(&timeline->lock);
	spin_lock_init(&timeline->points_lock);
	timeline->by_value = RB_ROOT_CACHED;
	timerqueue_init_head(&timeline->by_expiry);
	INIT_DELAYED_WORK(&timeline->expiry, expire);
	mutex_lock(&krafla_timelines_lock);
	list_add_tail(&timeline->link, &krafla_timelines);
	mutex_unlock(&krafla_timelines_lock);
	return timeline;
}

void krafla_timeline_close(struct krafla_timeline *timeline)
{
	mutex_lock(&timeline->lock);
	end_points(timeline, U64_MAX, 0, -EOWNERDEAD);
	mutex_unlock(&timeline->lock);
	cancel_delayed_work_sync(&timeline->expiry);
	mutex_lock(&krafla_timelines_lock);
	list_del(&timeline->link);
	mutex_unlock(&krafla_timelines_lock);
	krafla_timeline_put(timeline);
}

struct krafla_timeline *krafla_timeline_get(struct krafla_timeline *timeline)
{
	kref_get(&timeline->ref);
	return timeline;
}

static void free_timeline(struct kref *ref)
{
	kfree(container_of(ref, struct krafla_timeline, ref));
}

void krafla_timeline_put(struct krafla_timeline *timeline)
{
	kref_put(&timeline->ref, free_timeline);
}

int krafla_timeline_set_name(struct krafla_timeline *timeline, const char *name)
{
	int ret = -EBUSY;

	mutex_lock(&timeline->lock);
	if (!timeline->named) {
		strscpy(timeline->name, name, sizeof(timeline->name));
		ret = 0;
	}
	mutex_unlock(&timeline->lock);
	return ret;
}

bool krafla_timeline_count_point(struct krafla_timeline *timeline)
{
	bool fits;

	spin_lock_irq(&timeline->points_lock);
	fits = timeline->open < READ_ONCE(max_points);
	if (fits)
		timeline->open++;
	spin_unlock_irq(&timeline->points_lock);
	return fits;
}

static int error_at(struct krafla_timeline *timeline, u64 value)
{
	bool failed = value >= timeline->failed_first && value <= timeline->failed_last;

	return failed ? timeline->failed_error : 0;
}

void krafla_timeline_add(struct krafla_timeline *timeline, struct krafla_point *point)
{
	u64 value = point->fence.seqno;
	bool reached;

	mutex_lock(&timeline->lock);
	timeline->named = true;
	timeline->last = max(timeline->last, value);
	reached = value <= value_of(timeline);
	spin_lock_irq(&timeline->points_lock);
	if (reached)
		krafla_point_unlink_locked(point);
	else
		krafla_point_link_locked(point);
	spin_unlock_irq(&timeline->points_lock);
	if (reached)
		krafla_point_end(point, error_at(timeline, value));
	else
		arm(timeline);
	mutex_unlock(&timeline->lock);
}

int krafla_timeline_move(struct krafla_timeline *timeline, u64 value, int error)
{
	int ret = 0;

	mutex_lock(&timeline->lock);
	if (value < value_of(timeline))
		ret = -EINVAL;
	else if (value > value_of(timeline))
		move(timeline, value, value, error);
	mutex_unlock(&timeline->lock);
	return ret;
}

void krafla_timeline_info(struct krafla_timeline *timeline, struct krafla_sync_info *info)
{
	mutex_lock(&timeline->lock);
	memcpy(info->name, timeline->name, sizeof(info->name));
	info->value = value_of(timeline);
	info->last = timeline->last;
	spin_lock_irq(&timeline->points_lock);
	info->open = timeline->open;
	spin_unlock_irq(&timeline->points_lock);
	mutex_unlock(&timeline->lock);
}
