// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Points as dma_fences: what the kernel asks of one, and how it is freed.
 *
 * The module may not go while a fence of it lives, since the fence's operations are its text: each
 * point holds the module. The last reference may be put in any context, so that freeing waits for a
 * grace period anyway; the module is let go in that callback, and the module's exit waits for such
 * callbacks (krafla_sync_exit).
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "point.h"
#include "timeline.h"

static struct krafla_point *from_fence(struct dma_fence *fence)
{
	return container_of(fence, struct krafla_point, fence);
}

static const char *get_driver_name(struct dma_fence *fence)
{
	return "krafla_sync";
}

static const char *get_timeline_name(struct dma_fence *fence)
{
	return from_fence(fence)->timeline->name;
}

void krafla_point_value_str(struct dma_fence *fence, char *str, int size)
{
	snprintf(str, size, "%llu", (unsigned long long)fence->seqno);
}

void krafla_point_timeline_value_str(struct dma_fence *fence, char *str, int size)
{
	snprintf(str, size, "%lld", atomic64_read(&from_fence(fence)->timeline->value));
}

static void free_point(struct rcu_head *rcu)
{
	struct krafla_point *point = container_of(rcu, struct krafla_point, fence.rcu);

	krafla_timeline_put(point->timeline);
	kfree(point);
	module_put(THIS_MODULE);
}

static void release(struct dma_fence *fence)
{
	struct krafla_point *point = from_fence(fence);
	unsigned long flags;

	spin_lock_irqsave(&point->timeline->points_lock, flags);
	krafla_point_unlink_locked(point);
	spin_unlock_irqrestore(&point->timeline->points_lock, flags);
	call_rcu(&fence->rcu, free_point);
}

static const struct dma_fence_ops point_ops = {
#ifdef KRAFLA_HAS_64BIT_SEQNO_OP
	/*
	 * Else later values than 2^32 would count as earlier ones, and a merge would
	 * keep the wrong one.
	 */
	.use_64bit_seqno = true,
#endif
	.get_driver_name = get_driver_name,
	.get_timeline_name = get_timeline_name,
	.release = release,
#ifdef KRAFLA_HAS_VALUE_STR
	.fence_value_str = krafla_point_value_str,
	.timeline_value_str = krafla_point_timeline_value_str,
#endif
};

static void init_fence(struct krafla_point *point, u64 context, u64 value)
{
#ifdef KRAFLA_HAS_FENCE_INIT64
	dma_fence_init64(&point->fence, &point_ops, &point->lock, context, value);
#else
	dma_fence_init(&point->fence, &point_ops, &point->lock, context, value);
#endif
}

struct krafla_point *krafla_point_create(struct krafla_timeline *timeline, u64 value,
					 u32 timeout_ms)
{
	struct krafla_point *point;

	point = kzalloc(sizeof(*point), GFP_KERNEL_ACCOUNT);
	if (!point)
		return ERR_PTR(-ENOMEM);
	if (!krafla_timeline_count_point(timeline)) {
		kfree(point);
		return ERR_PTR(-ENOSPC);
	}
	spin_lock_init(&point->lock);
	point->timeline = krafla_timeline_get(timeline);
	point->counted = true;
	RB_CLEAR_NODE(&point->by_value);
	timerqueue_init(&point->by_expiry);
	point->created = ktime_get();
	point->by_expiry.expires = ktime_add_ms(point->created, timeout_ms);
	/* The caller came by a file of this module, which holds it already. */
	__module_get(THIS_MODULE);
	init_fence(point, timeline->context, value);
	return point;
}

void krafla_point_end(struct krafla_point *point, int error)
{
	if (error)
		dma_fence_set_error(&point->fence, error);
	dma_fence_signal(&point->fence);
}

void krafla_point_link_locked(struct krafla_point *point)
{
	struct rb_root_cached *root = &point->timeline->by_value;
	struct rb_node **place = &root->rb_root.rb_node;
	struct rb_node *parent = NULL;
	bool first = true;

	while (*place) {
		parent = *place;
		if (point->fence.seqno < krafla_point_from_node(parent)->fence.seqno) {
			place = &parent->rb_left;
		} else {
			place = &parent->rb_right;
			first = false;
		}
	}
	rb_link_node(&point->by_value, parent, place);
	rb_insert_color_cached(&point->by_value, root, first);
	timerqueue_add(&point->timeline->by_expiry, &point->by_expiry);
}

void krafla_point_unlink_locked(struct krafla_point *point)
{
	if (!RB_EMPTY_NODE(&point->by_value)) {
		rb_erase_cached(&point->by_value, &point->timeline->by_value);
		RB_CLEAR_NODE(&point->by_value);
		timerqueue_del(&point->timeline->by_expiry, &point->by_expiry);
	}
	if (point->counted) {
		point->counted = false;
		point->timeline->open--;
	}
}
