/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the fences that pass through a queue (S-07): the window and the slot, "SurfaceView:0".
 *
 * An acquire fence is named when its buffer is queued, a release fence when its buffer is dequeued, so
 * that what comes back with a cancelled buffer is named with the next dequeue. Only what is still active
 * is named, with no lock held.
 */
#include <errno.h>
#include <string.h>

#include "window/queue/queue.h"
#include "window/queue/core.h"

void
kr_queue_set_label(struct kr_queue *queue, const char *label)
{
	if (!label || !label[0])
		label = program_invocation_short_name;
	kr_mutex_lock(&queue->lock);
	memset(queue->label, 0, sizeof(queue->label));
	memcpy(queue->label, label, strnlen(label, KR_QUEUE_LABEL_MAX));
	kr_mutex_unlock(&queue->lock);
}

/* By hand: printf costs as much as the system call that takes the name. */
void
kr_queue_fence_name_locked(const struct kr_queue *queue, uint32_t slot, char out[KR_SYNC_TEXT])
{
	size_t len = strlen(queue->label);

	memcpy(out, queue->label, len);
	out[len++] = ':';
	if (slot >= 10)
		out[len++] = (char)('0' + slot / 10 % 10);
	out[len++] = (char)('0' + slot % 10);
	out[len] = '\0';
}
