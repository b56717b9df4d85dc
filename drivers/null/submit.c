/* SPDX-License-Identifier: Apache-2.0 */
/* The structures of vkQueueSubmit, vkQueueSubmit2 and vkQueueBindSparse, as work for a queue. */
#include "null/queue.h"

#include "null/commands.h"

static const void *
find_in_chain(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *in;

	for (in = chain; in; in = in->pNext) {
		if (in->sType == type)
			return in;
	}
	return NULL;
}

static struct null_operations
plain_operations(
	uint32_t count, const VkSemaphore *semaphores, uint32_t value_count, const uint64_t *values)
{
	return (struct null_operations){
		.count = count,
		.semaphores = (const char *)semaphores,
		.semaphore_stride = sizeof(*semaphores),
		.values = (const char *)values,
		.value_count = value_count,
		.value_stride = sizeof(*values),
	};
}

static struct null_operations
operations2(uint32_t count, const VkSemaphoreSubmitInfo *infos)
{
	if (!count)
		return (struct null_operations){0};
	return (struct null_operations){
		.count = count,
		.semaphores = (const char *)&infos->semaphore,
		.semaphore_stride = sizeof(*infos),
		.values = (const char *)&infos->value,
		.value_count = count,
		.value_stride = sizeof(*infos),
	};
}

static struct null_commands
commands2(uint32_t count, const VkCommandBufferSubmitInfo *infos)
{
	if (!count)
		return (struct null_commands){0};
	return (struct null_commands){count, (const char *)&infos->commandBuffer, sizeof(*infos)};
}

static struct null_work
work_from_semaphores(const void *chain, uint32_t wait_count, const VkSemaphore *waits,
	uint32_t signal_count, const VkSemaphore *signals)
{
	const VkTimelineSemaphoreSubmitInfo
		none = {0},
		*timeline = find_in_chain(chain, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);

	if (!timeline)
		timeline = &none;
	return (struct null_work){
		.waits = plain_operations(wait_count, waits, timeline->waitSemaphoreValueCount,
			timeline->pWaitSemaphoreValues),
		.signals = plain_operations(signal_count, signals,
			timeline->signalSemaphoreValueCount, timeline->pSignalSemaphoreValues),
	};
}

static struct null_work
work_from_submit(const void *submits, uint32_t i)
{
	const VkSubmitInfo *submit = (const VkSubmitInfo *)submits + i;
	struct null_work work = work_from_semaphores(submit->pNext, submit->waitSemaphoreCount,
		submit->pWaitSemaphores, submit->signalSemaphoreCount, submit->pSignalSemaphores);

	work.commands = (struct null_commands){submit->commandBufferCount,
		(const char *)submit->pCommandBuffers, sizeof(*submit->pCommandBuffers)};
	return work;
}

static struct null_work
work_from_submit2(const void *submits, uint32_t i)
{
	const VkSubmitInfo2 *submit = (const VkSubmitInfo2 *)submits + i;

	return (struct null_work){
		.commands = commands2(submit->commandBufferInfoCount, submit->pCommandBufferInfos),
		.waits = operations2(submit->waitSemaphoreInfoCount, submit->pWaitSemaphoreInfos),
		.signals = operations2(
			submit->signalSemaphoreInfoCount, submit->pSignalSemaphoreInfos),
	};
}

static struct null_work
work_from_bind(const void *binds, uint32_t i)
{
	const VkBindSparseInfo *bind = (const VkBindSparseInfo *)binds + i;

	return work_from_semaphores(bind->pNext, bind->waitSemaphoreCount, bind->pWaitSemaphores,
		bind->signalSemaphoreCount, bind->pSignalSemaphores);
}

/* The fence stands for all batches, so it goes with an empty one behind them. */
static VkResult
submit_locked(struct null_device *device, struct null_queue *queue, uint32_t count,
	const void *infos, struct null_work (*work_from)(const void *infos, uint32_t i),
	VkFence fence) KR_REQUIRES(device->lock)
{
	VkResult result = device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;

	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		struct null_work work = work_from(infos, i);

		result = null_queue_submit(device, queue, &work);
	}
	if (fence && result == VK_SUCCESS) {
		struct null_work work = {.fence = null_object(null_fence, fence)};

		result = null_queue_submit(device, queue, &work);
	}
	null_device_progress(device);
	return result;
}

static VkResult
submit(VkQueue handle, uint32_t count, const void *infos,
	struct null_work (*work_from)(const void *infos, uint32_t i), VkFence fence)
{
	struct null_queue *queue = null_queue_from_handle(handle);
	struct null_device *device = queue->device;
	VkResult result;

	kr_mutex_lock(&device->lock);
	result = submit_locked(device, queue, count, infos, work_from, fence);
	kr_mutex_unlock(&device->lock);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
	return submit(queue, count, submits, work_from_submit, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence)
{
	return submit(queue, count, submits, work_from_submit2, fence);
}

/* There are no sparse resources: only the semaphores mean something. */
VKAPI_ATTR VkResult VKAPI_CALL
null_QueueBindSparse(VkQueue queue, uint32_t count, const VkBindSparseInfo *binds, VkFence fence)
{
	return submit(queue, count, binds, work_from_bind, fence);
}
