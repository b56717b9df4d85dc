// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The out-fence of a frame. The module stays while one lives, as with krafla_sync's points: the
 * last reference may be put in any context, so that the frame is freed and the module let go a
 * grace period later, which the module's exit waits for.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "display.h"

static struct krafla_frame *from_fence(struct dma_fence *fence)
{
	return container_of(fence, struct krafla_frame, fence);
}

static const char *get_driver_name(struct dma_fence *fence)
{
	return "krafla_display";
}

static const char *get_timeline_name(struct dma_fence *fence)
{
	return "screen";
}

#ifdef KRAFLA_HAS_VALUE_STR
static void value_str(struct dma_fence *fence, char *str, int size)
{
	snprintf(str, size, "frame %llu", (unsigned long long)fence->seqno);
}

static void timeline_value_str(struct dma_fence *fence, char *str, int size)
{
	snprintf(str, size, "frame %llu",
		 (unsigned long long)READ_ONCE(from_fence(fence)->display->shown_frame));
}
#endif

static void free_frame(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct krafla_frame, fence.rcu));
	module_put(THIS_MODULE);
}

static void release(struct dma_fence *fence)
{
	call_rcu(&fence->rcu, free_frame);
}

static const struct dma_fence_ops frame_ops = {
#ifdef KRAFLA_HAS_64BIT_SEQNO_OP
	.use_64bit_seqno = true,
#endif
	.get_driver_name = get_driver_name,
	.get_timeline_name = get_timeline_name,
	.release = release,
#ifdef KRAFLA_HAS_VALUE_STR
	.fence_value_str = value_str,
	.timeline_value_str = timeline_value_str,
#endif
};

void krafla_frame_fence_init(struct krafla_frame *frame, u64 number)
{
	/* The caller came by a file of this module, which holds it already. */
	__module_get(THIS_MODULE);
	spin_lock_init(&frame->fence_lock);
#ifdef KRAFLA_HAS_FENCE_INIT64
	dma_fence_init64(&frame->fence, &frame_ops, &frame->fence_lock, frame->display->context,
			 number);
#else
	dma_fence_init(&frame->fence, &frame_ops, &frame->fence_lock, frame->display->context,
		       number);
#endif
}
