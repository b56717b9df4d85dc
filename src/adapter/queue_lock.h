/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a queue that the application and the adapter share (queue.h). */
#ifndef KR_ADAPTER_QUEUE_LOCK_H
#define KR_ADAPTER_QUEUE_LOCK_H

#include "adapter/device.h"

/* Only the helper has a lock, and only around calls that return without waiting. */
static inline void
kr_adapter_queue_lock(struct kr_adapter_queue *queue) KR_NO_THREAD_SAFETY
{
	if (queue->locked)
		kr_mutex_lock(&queue->device->queue_lock);
}

static inline void
kr_adapter_queue_unlock(struct kr_adapter_queue *queue) KR_NO_THREAD_SAFETY
{
	if (queue->locked)
		kr_mutex_unlock(&queue->device->queue_lock);
}

#endif
