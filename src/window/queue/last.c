/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame that was queued last, for who asks what a window shows. Its fence is kept only where
 * somebody may ask: that is a descriptor more, and two calls a frame.
 */
#include "window/queue/queue.h"

#include <errno.h>

#include "gralloc/buffer.h"
#include "util/fd.h"
#include "window/queue/core.h"

int
kr_queue_keep_fence(const struct kr_queue *queue, int fence)
{
	int kept = -1;

	if (!queue->keeps_last || fence < 0 || kr_fd_dup(fence, &kept))
		return -1;
	return kept;
}

void
kr_queue_clear_last_locked(struct kr_queue *queue)
{
	queue->last.slot = KR_QUEUE_SLOTS;
	kr_fd_close(&queue->last.fence);
}

void
kr_queue_set_last_locked(struct kr_queue *queue, const struct kr_frame *frame, int take_fence)
{
	const struct kr_slot *slot = &queue->slots[frame->slot];
	/* Who took the buffer away meanwhile has it alone; or the connection is over. */
	bool gone = slot->buffer != frame->buffer || slot->stale || slot->doomed;

	if (gone)
		kr_fd_close(&take_fence);
	kr_fd_close(&queue->last.fence);
	queue->last = (struct kr_queue_last){
		.slot = gone ? KR_QUEUE_SLOTS : frame->slot,
		.fence = take_fence,
		.crop = frame->crop,
		.transform = frame->transform,
	};
}

void
kr_queue_keep_last(struct kr_queue *queue)
{
	kr_mutex_lock(&queue->lock);
	/* It is read without the lock once there are frames; another window may be made then. */
	if (!queue->keeps_last)
		queue->keeps_last = true;
	kr_mutex_unlock(&queue->lock);
}

int
kr_queue_last_queued(struct kr_queue *queue, struct kr_queue_last_frame *frame)
{
	struct kr_queue_last_frame found = {.fence = -1};
	int err = 0;

	kr_mutex_lock(&queue->lock);
	if (queue->abandoned) {
		err = -ENODEV;
	} else if (!queue->keeps_last) {
		err = -EOPNOTSUPP;
	} else if (queue->last.slot < KR_QUEUE_SLOTS) {
		if (queue->last.fence >= 0)
			err = kr_fd_dup(queue->last.fence, &found.fence);
		if (!err)
			found.buffer = kr_buffer_ref(queue->slots[queue->last.slot].buffer);
		found.crop = queue->last.crop;
		found.transform = queue->last.transform;
	}
	kr_mutex_unlock(&queue->lock);
	if (!err)
		*frame = found;
	return err;
}
