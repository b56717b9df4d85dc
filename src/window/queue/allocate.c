/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that are allocated before anybody dequeues them. */
#include "window/queue/queue.h"

#include <errno.h>

#include "util/clock.h"
#include "window/queue/core.h"

/* One more, which comes before all that are free. -EAGAIN: there are all that there may be. */
static int
allocate_one_locked(struct kr_queue *queue, const struct kr_queue_request *request)
	KR_REQUIRES(queue->lock)
{
	struct kr_buffer_desc desc;
	struct kr_slot *slot;
	uint32_t index;
	int err;

	if (queue->abandoned || !queue->api)
		return -ENODEV;
	if (!queue->allows_allocation)
		return -ENOSYS;
	err = kr_queue_resolve_locked(queue, request, &desc);
	if (err)
		return err;
	if (!kr_queue_first_empty_locked(queue, &index))
		return -EAGAIN;
	slot = &queue->slots[index];
	/* So that nobody else takes it. */
	slot->state = KR_SLOT_DEQUEUED;
	err = kr_queue_reallocate_locked(queue, index, &desc);
	if (err)
		return err;
	kr_queue_free_slot_locked(queue, slot, -1);
	slot->freed = --queue->ahead;
	return 0;
}

int
kr_queue_allocate(struct kr_queue *queue, const struct kr_queue_request *request)
{
	struct kr_queue_call call;
	int err;

	kr_queue_begin(queue, &call, 0);
	/* Slots whose buffers are to go are empty. */
	err = kr_queue_sweep_by_locked(queue, KR_FOREVER);
	for (uint32_t i = 0; i < KR_QUEUE_SLOTS && !err; i++)
		err = allocate_one_locked(queue, request);
	kr_queue_end(queue, &call);
	return err == -EAGAIN ? 0 : err;
}
