/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues. A queue is a list of batches in order; a batch is over when it is the first and what it
 * waits for has happened, and then it signals. Nobody executes anything, so a batch that has
 * nothing to wait for is over while it is submitted, without any allocation; whoever changes a
 * semaphore moves the queues on (null_device_progress). With KRAFLA_NULL_WORK a batch is not over
 * before its time, and the reactor moves them on, too.
 */
#ifndef KR_NULL_QUEUE_H
#define KR_NULL_QUEUE_H

#include "null/null.h"

/* Semaphores as the different submit structures hold them: arrays with a stride. */
struct null_operations {
	uint32_t count;
	const char *semaphores; /* of VkSemaphore */
	size_t semaphore_stride;
	const char *values; /* of uint64_t, for timeline semaphores; NULL: none are */
	uint32_t value_count;
	size_t value_stride;
};

struct null_commands {
	uint32_t count;
	const char *buffers; /* of VkCommandBuffer */
	size_t stride;
};

/* What a batch is; borrowed arrays until it is queued. */
struct null_work {
	struct null_operations waits;
	struct null_commands commands;
	struct null_operations signals;
	struct null_fence *fence;
	struct null_release *release; /* owned */
	struct null_image *image;     /* released with it; NULL: none, or destroyed meanwhile */
};

/* Appends the work, or finishes it at once. VK_SUCCESS or VK_ERROR_OUT_OF_HOST_MEMORY, and then the
 * work's release is still the caller's. */
VkResult null_queue_submit(struct null_device *device, struct null_queue *queue,
	const struct null_work *work) KR_REQUIRES(device->lock);
/* Whether work with these waits would be over at once. The caller holds the device's lock. */
bool null_queue_is_ready(const struct null_queue *queue, const struct null_operations *waits);
/* When the queue's present work will be over; KR_FOREVER without any. Device's lock, too. */
int64_t null_queue_work_end(const struct null_queue *queue);
/* Finishes every batch that can be, and wakes those who wait. */
void null_device_progress(struct null_device *device) KR_REQUIRES(device->lock);
/* A destroyed image is not to be released. */
void null_queue_forget_image(struct null_queue *queue, const struct null_image *image);
/* The device is lost: release fences of what isn't done fail (W-12). */
void null_queue_lose(struct null_queue *queue);
/* Throws away what is queued; its release fences fail. */
void null_queue_finish(struct null_queue *queue);
/* Destroys a release. The fence of one that is held back fails, unless it was signalled. */
void null_release_destroy(struct null_release *release);

#endif
