/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a frame may go to the sink. Targets that the far end honours itself are its business; a
 * virtual clock's, too: nobody here knows what time it is there.
 *
 * A frame goes as early as it can without being shown before its time: as long before as the far
 * end says that it takes from a latch to the screen, and half a refresh where the nearest will do.
 */
#ifndef KR_WINDOW_QUEUE_DUE_H
#define KR_WINDOW_QUEUE_DUE_H

#include "window/queue/core.h"

/* Whether the queue has to see to this frame's time. */
bool kr_queue_is_timed_locked(const struct kr_queue *queue, const struct kr_frame *frame)
	KR_REQUIRES(queue->lock);
/*
 * CLOCK_MONOTONIC; in the past: at once. *moves: that is a guess, which will be better when it is
 * known when the frame before was shown.
 */
int64_t kr_queue_due_locked(struct kr_queue *queue, const struct kr_frame *frame, int64_t now,
	bool *moves) KR_REQUIRES(queue->lock);
/*
 * Whether the frame is left out, because the next, which waits behind it, is due as well; what
 * is more than KR_TARGET_FAR_NS late isn't, as in Android.
 */
bool kr_queue_is_overtaken_locked(struct kr_queue *queue, const struct kr_frame *frame,
	const struct kr_frame *next, int64_t now) KR_REQUIRES(queue->lock);

#endif
