/* SPDX-License-Identifier: Apache-2.0 */
/* Submitting to queues and waiting for them. */
#include "adapter/queue.h"

#include "adapter/promised_waits.h"
#include "adapter/queue_lock.h"
#include "util/alloc.h"

/* Waits of one batch that need no allocation. */
#define FEW_WAITS 16

static const VkPipelineStageFlags few_stages[FEW_WAITS] = {
	[0 ... FEW_WAITS - 1] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
};

static VkResult
submit_all(
	struct kr_adapter_queue *queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
	struct kr_shorter_submits shorter;
	VkResult result = kr_promised_waits_leave_out(queue, &count, &submits, &shorter);

	if (result != VK_SUCCESS)
		return result;
	kr_adapter_queue_lock(queue);
	result = queue->device->vk.QueueSubmit(queue->handle, count, submits, fence);
	kr_adapter_queue_unlock(queue);
	return kr_promised_waits_done(queue->device, &shorter.promised, result);
}

/* Memory to be freed, for more waits than few_stages has. */
static VkPipelineStageFlags *
many_stages(const struct kr_adapter_queue *queue, uint32_t count)
{
	VkPipelineStageFlags *stages = kr_zalloc_array(queue->device->allocator, count,
		sizeof(*stages), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	for (uint32_t i = 0; stages && i < count; i++)
		stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	return stages;
}

VkResult
kr_adapter_queue_submit(struct kr_adapter_queue *queue, const struct kr_batch *batch, VkFence fence)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
	VkPipelineStageFlags *many = NULL;
	VkResult result;

	if (batch && batch->wait_count > FEW_WAITS) {
		many = many_stages(queue, batch->wait_count);
		if (!many)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (batch) {
		info.waitSemaphoreCount = batch->wait_count;
		info.pWaitSemaphores = batch->waits;
		info.pWaitDstStageMask = many ? many : few_stages;
		info.commandBufferCount = batch->command_count;
		info.pCommandBuffers = batch->commands;
		info.signalSemaphoreCount = batch->signal ? 1 : 0;
		info.pSignalSemaphores = &batch->signal;
	}
	result = submit_all(queue, batch ? 1 : 0, &info, fence);
	kr_free(queue->device->allocator, many);
	return result;
}

VkResult
kr_adapter_queue_get_fence(struct kr_adapter_queue *queue)
{
	const struct kr_adapter_device *device = queue->device;
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	if (queue->fence)
		return VK_SUCCESS;
	return device->vk.CreateFence(device->handle, &info, device->allocator, &queue->fence);
}

VkResult
kr_adapter_queue_wait_fence(struct kr_adapter_queue *queue)
{
	const struct kr_adapter_device *device = queue->device;
	VkResult result =
		device->vk.WaitForFences(device->handle, 1, &queue->fence, VK_TRUE, UINT64_MAX);

	if (result != VK_SUCCESS)
		return result;
	return device->vk.ResetFences(device->handle, 1, &queue->fence);
}

VkResult
kr_adapter_queue_drain(struct kr_adapter_queue *queue)
{
	VkResult result = kr_adapter_queue_get_fence(queue);

	if (result == VK_SUCCESS)
		result = kr_adapter_queue_submit(queue, NULL, queue->fence);
	if (result == VK_SUCCESS)
		result = kr_adapter_queue_wait_fence(queue);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueSubmit(
	VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits, VkFence fence)
{
	return submit_all(kr_adapter_queue_from_handle(queue), submitCount, pSubmits, fence);
}

static VkResult
submit_all2(struct kr_adapter_queue *queue, PFN_vkQueueSubmit2 submit, uint32_t count,
	const VkSubmitInfo2 *submits, VkFence fence)
{
	struct kr_shorter_submits2 shorter;
	VkResult result = kr_promised_waits_leave_out2(queue, &count, &submits, &shorter);

	if (result != VK_SUCCESS)
		return result;
	kr_adapter_queue_lock(queue);
	result = submit(queue->handle, count, submits, fence);
	kr_adapter_queue_unlock(queue);
	return kr_promised_waits_done(queue->device, &shorter.promised, result);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueSubmit2(
	VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence)
{
	struct kr_adapter_queue *state = kr_adapter_queue_from_handle(queue);

	return submit_all2(state, state->device->vk.QueueSubmit2, submitCount, pSubmits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueSubmit2KHR(
	VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence)
{
	struct kr_adapter_queue *state = kr_adapter_queue_from_handle(queue);

	return submit_all2(state, state->device->vk.QueueSubmit2KHR, submitCount, pSubmits, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueBindSparse(
	VkQueue queue, uint32_t bindInfoCount, const VkBindSparseInfo *pBindInfo, VkFence fence)
{
	struct kr_adapter_queue *state = kr_adapter_queue_from_handle(queue);
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < bindInfoCount && result == VK_SUCCESS; i++)
		result = kr_promised_waits_signal(
			state, pBindInfo[i].waitSemaphoreCount, pBindInfo[i].pWaitSemaphores);
	if (result != VK_SUCCESS)
		return result;
	kr_adapter_queue_lock(state);
	result = state->device->vk.QueueBindSparse(queue, bindInfoCount, pBindInfo, fence);
	kr_adapter_queue_unlock(state);
	return result;
}

/*
 * The driver's own swapchains. Presenting hands over work like a submit; should the
 * driver wait in there, then so does an acquire of ours that meets it: without the lock
 * both would be in the queue.
 */
VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *pPresentInfo)
{
	struct kr_adapter_queue *state = kr_adapter_queue_from_handle(queue);
	VkResult result = kr_promised_waits_signal(
		state, pPresentInfo->waitSemaphoreCount, pPresentInfo->pWaitSemaphores);

	if (result != VK_SUCCESS)
		return result;
	kr_adapter_queue_lock(state);
	result = state->device->vk.QueuePresentKHR(queue, pPresentInfo);
	kr_adapter_queue_unlock(state);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_QueueWaitIdle(VkQueue queue)
{
	struct kr_adapter_queue *state = kr_adapter_queue_from_handle(queue);

	if (!state->locked)
		return state->device->vk.QueueWaitIdle(queue);
	return kr_adapter_queue_drain(state);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_adapter_DeviceWaitIdle(VkDevice device)
{
	struct kr_adapter_device *state = kr_adapter_device_from_handle(device);
	VkResult result = VK_SUCCESS;
	uint32_t submitted = 0;

	if (!state->helper)
		return state->vk.DeviceWaitIdle(device);
	for (; submitted < state->queue_count && result == VK_SUCCESS; submitted++) {
		struct kr_adapter_queue *queue = &state->queues[submitted];

		result = kr_adapter_queue_get_fence(queue);
		if (result == VK_SUCCESS)
			result = kr_adapter_queue_submit(queue, NULL, queue->fence);
		if (result != VK_SUCCESS)
			break;
	}
	for (uint32_t i = 0; i < submitted; i++) {
		VkResult waited = kr_adapter_queue_wait_fence(&state->queues[i]);

		if (result == VK_SUCCESS)
			result = waited;
	}
	return result;
}
