/* SPDX-License-Identifier: Apache-2.0 */
/* Batches: queue.h has the idea. */
#include "null/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "null/commands.h"
#include "null/draw.h"
#include "null/mutants.h"
#include "null/native_image.h"
#include "sync/fence/fence.h"
#include "sync/timeline/timeline.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

struct null_batch {
	struct kr_list link;
	int64_t submitted;
	int64_t end;  /* of its work, which has begun; 0: it hasn't, or there is none */
	bool delayed; /* it was first, and had to wait for a semaphore */
	/* its arrays are `operations`, and behind them the command buffers */
	struct null_work work;
	struct operation {
		VkSemaphore semaphore;
		uint64_t value;
	} operations[];
};

static VkCommandBuffer
buffer_at(const struct null_commands *commands, uint32_t i)
{
	return *(const VkCommandBuffer *)(commands->buffers + i * commands->stride);
}

static struct null_semaphore *
semaphore_at(const struct null_operations *operations, uint32_t i)
{
	const char *at = operations->semaphores + i * operations->semaphore_stride;

	return null_object(null_semaphore, *(const VkSemaphore *)at);
}

/* Binary semaphores count as 0 and 1. */
static uint64_t
value_at(const struct null_operations *operations, uint32_t i)
{
	if (!semaphore_at(operations, i)->timeline)
		return 1;
	if (!operations->values || i >= operations->value_count)
		return 0;
	return *(const uint64_t *)(operations->values + i * operations->value_stride);
}

bool
null_queue_is_ready(const struct null_queue *queue, const struct null_operations *waits)
{
	if (!kr_list_empty(&queue->batches))
		return false;
	for (uint32_t i = 0; i < waits->count; i++) {
		if (semaphore_at(waits, i)->value < value_at(waits, i))
			return false;
	}
	return true;
}

void
null_release_destroy(struct null_release *release)
{
	if (!release)
		return;
	kr_list_remove(&release->link);
	kr_fd_close(&release->producer);
	free(release);
}

/* The release's work is over. */
static void
finish_release(struct null_device *device, struct null_release *release) KR_REQUIRES(device->lock)
{
	int64_t late_ns = release->setting.late_ns;

	if (!kr_list_empty(&release->queue->batches) && null_has_fault(later_work_holds_release))
		release->setting.mode = NULL_RELEASE_PENDING;

	if (null_has_fault(closed_release_fence_loses_device) && release->given >= 0 &&
		fcntl(release->given, F_GETFD) < 0)
		device->lost = true;
	switch (release->setting.mode) {
	case NULL_RELEASE_SIGNALLED:
		/* A device that can't signal it (KRAFLA_SYNC_TIMELINE) lets it run out of time. */
		if (release->point > 1 && null_has_fault(signals_one_release))
			kr_debug("null: a release fence isn't signalled, as is wished");
		else if (kr_timeline_signal(release->queue->timeline, release->point))
			kr_error("null: a release fence wasn't signalled");
		null_release_destroy(release);
		return;
	case NULL_RELEASE_ERROR:
		kr_fence_signal(release->producer, -EIO);
		release->producer = -1;
		null_release_destroy(release);
		return;
	case NULL_RELEASE_PENDING:
		release->deadline = KR_FOREVER;
		break;
	case NULL_RELEASE_LATE:
		release->deadline = kr_clock_now() + late_ns;
		break;
	}
	kr_list_append(&device->held, &release->link);
	/* The reactor ran already when the release was made: this can only be its wake-up. */
	if (release->deadline != KR_FOREVER && null_reactor_wake(device))
		release->deadline = KR_FOREVER;
}

/* Whether a wrong driver leaves semaphores signalled that were waited for. */
static bool
keeps_signals(const struct null_work *work)
{
	return work->image ? null_has_fault(keeps_wait_semaphores)
			   : null_has_fault(semaphore_keeps_its_signal);
}

static void
execute(const struct null_commands *commands)
{
	for (uint32_t i = 0; i < commands->count; i++)
		null_command_buffer_finish(
			(const struct null_command_buffer *)buffer_at(commands, i));
}

/* In a wrong driver. */
static bool
waits_for_others(const struct null_device *device, const struct null_queue *queue)
	KR_REQUIRES(device->lock)
{
	const struct null_queue *other = device->queues;

	if (!null_has_fault(queues_are_one))
		return false;
	while (other < queue && kr_list_empty(&other->batches))
		other++;
	return other < queue;
}

static void
finish_work(struct null_device *device, const struct null_queue *queue,
	const struct null_work *work) KR_REQUIRES(device->lock)
{
	bool draws = !null_has_fault(second_queue_draws_nothing) || queue == &device->queues[0];

	for (uint32_t i = 0; i < work->waits.count; i++) {
		struct null_semaphore *semaphore = semaphore_at(&work->waits, i);

		if (!semaphore->timeline && !keeps_signals(work))
			semaphore->value = 0;
	}
	if (draws)
		execute(&work->commands);
	for (uint32_t i = 0; i < work->signals.count; i++)
		semaphore_at(&work->signals, i)->value = value_at(&work->signals, i);
	if (work->fence)
		work->fence->signalled = true;
	if (work->image)
		null_native_image_released(device, work->image);
	if (work->image && work->waits.count && null_has_fault(semaphores_blank_images))
		null_draw_mask(work->image, 0, 0);
	if (work->release)
		finish_release(device, work->release);
}

static struct null_operations
copy_operations(const struct null_operations *from, struct operation *to)
{
	for (uint32_t i = 0; i < from->count; i++) {
		const char *at = from->semaphores + i * from->semaphore_stride;

		to[i].semaphore = *(const VkSemaphore *)at;
		to[i].value = value_at(from, i);
	}
	return (struct null_operations){
		.count = from->count,
		.semaphores = (const char *)&to->semaphore,
		.semaphore_stride = sizeof(*to),
		.values = (const char *)&to->value,
		.value_count = from->count,
		.value_stride = sizeof(*to),
	};
}

static struct null_commands
copy_commands(const struct null_commands *from, VkCommandBuffer *to)
{
	for (uint32_t i = 0; i < from->count; i++)
		to[i] = buffer_at(from, i);
	return (struct null_commands){from->count, (const char *)to, sizeof(*to)};
}

static bool
takes_time(const struct null_device *device, const struct null_work *work)
{
	bool renders = false;

	if (!device->work_ns || device->lost)
		return false;
	for (uint32_t i = 0; i < work->commands.count; i++)
		renders |= ((const struct null_command_buffer *)buffer_at(&work->commands, i))
				   ->renders;
	return renders;
}

VkResult
null_queue_submit(
	struct null_device *device, struct null_queue *queue, const struct null_work *work)
{
	size_t count = (size_t)work->waits.count + work->signals.count;
	struct null_batch *batch;

	if (null_queue_is_ready(queue, &work->waits) && !takes_time(device, work) &&
		!waits_for_others(device, queue)) {
		finish_work(device, queue, work);
		return VK_SUCCESS;
	}
	batch = malloc(sizeof(*batch) + count * sizeof(batch->operations[0]) +
		work->commands.count * sizeof(VkCommandBuffer));
	if (!batch)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (null_has_fault(draws_at_submit))
		execute(&work->commands);
	batch->work = *work;
	batch->submitted = device->work_ns ? kr_clock_now() : 0;
	batch->end = 0;
	batch->delayed = false;
	batch->work.waits = copy_operations(&work->waits, batch->operations);
	batch->work.signals =
		copy_operations(&work->signals, batch->operations + work->waits.count);
	batch->work.commands =
		copy_commands(&work->commands, (VkCommandBuffer *)(batch->operations + count));
	kr_list_append(&queue->batches, &batch->link);
	return VK_SUCCESS;
}

static struct null_batch *
first_batch(struct null_queue *queue)
{
	return kr_container_of(queue->batches.next, struct null_batch, link);
}

int64_t
null_queue_work_end(const struct null_queue *queue)
{
	const struct null_batch *batch =
		kr_container_of(queue->batches.next, const struct null_batch, link);

	return kr_list_empty(&queue->batches) || !batch->end ? KR_FOREVER : batch->end;
}

/*
 * Whether the first batch's work is over; it begins here. What could have begun when the one before
 * was over did so, however late this thread comes.
 */
static bool
work_is_over(struct null_device *device, struct null_queue *queue, struct null_batch *batch)
	KR_REQUIRES(device->lock)
{
	int64_t now;

	if (!takes_time(device, &batch->work))
		return true;
	now = kr_clock_now();
	if (!batch->end) {
		batch->end = device->work_ns +
			(batch->delayed ? now : KR_MAX(batch->submitted, queue->busy_until));
		/* Without a thread to come back it takes no time. */
		if (now < batch->end && null_reactor_wake(device))
			batch->end = now;
	}
	if (now < batch->end)
		return false;
	queue->busy_until = batch->end;
	return true;
}

/*
 * Finishes the queue's first batch if it can be. What a lost device had to do is over: what it
 * waited for may be destroyed.
 */
static bool
advance(struct null_device *device, struct null_queue *queue) KR_REQUIRES(device->lock)
{
	struct null_batch *batch = first_batch(queue);

	if (kr_list_empty(&queue->batches) || device->lost)
		return false;
	for (uint32_t i = 0; i < batch->work.waits.count; i++) {
		if (semaphore_at(&batch->work.waits, i)->value < value_at(&batch->work.waits, i)) {
			batch->delayed = true;
			return false;
		}
	}
	if (waits_for_others(device, queue))
		return false;
	if (!work_is_over(device, queue, batch))
		return false;
	kr_list_remove(&batch->link);
	finish_work(device, queue, &batch->work);
	free(batch);
	return true;
}

void
null_device_progress(struct null_device *device)
{
	bool again = true;

	/* One queue's batch may be what another's waits for. */
	while (again) {
		again = false;
		for (size_t i = 0; i < NULL_QUEUE_COUNT; i++)
			again |= advance(device, &device->queues[i]);
	}
	kr_cond_broadcast(&device->changed);
}

void
null_queue_forget_image(struct null_queue *queue, const struct null_image *image)
{
	struct null_batch *batch;

	kr_list_for_each (batch, &queue->batches, link) {
		if (batch->work.image == image)
			batch->work.image = NULL;
	}
}

void
null_queue_lose(struct null_queue *queue)
{
	struct null_batch *batch;

	if (null_has_fault(lost_release_stays_active))
		return;
	kr_list_for_each (batch, &queue->batches, link) {
		null_release_destroy(batch->work.release);
		batch->work.release = NULL;
	}
	kr_timeline_destroy(queue->timeline);
	queue->timeline = NULL;
}

void
null_queue_finish(struct null_queue *queue)
{
	while (!kr_list_empty(&queue->batches)) {
		struct null_batch *batch = first_batch(queue);

		kr_list_remove(&batch->link);
		null_release_destroy(batch->work.release);
		free(batch);
	}
	kr_timeline_destroy(queue->timeline);
	queue->timeline = NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_QueueWaitIdle(VkQueue handle)
{
	struct null_queue *queue = null_queue_from_handle(handle);
	struct null_device *device = queue->device;
	VkResult result;

	kr_mutex_lock(&device->lock);
	while (!kr_list_empty(&queue->batches) && !device->lost)
		kr_cond_wait_until(&device->changed, &device->lock, KR_FOREVER);
	result = device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
	kr_mutex_unlock(&device->lock);
	return result;
}
