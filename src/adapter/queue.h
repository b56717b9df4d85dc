/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submitting to queues, some of which the application and the adapter share.
 *
 * Rule: the lock of a shared queue is held while the ICD is given work and never while
 * anybody waits for that work. Waiting for idle is therefore a fenced submit under the lock
 * and a wait outside it; vkQueueWaitIdle of the ICD under the lock would deadlock with an
 * acquire. vkDeviceWaitIdle needs this also with a private queue, since the application can't
 * keep our acquires off that one.
 *
 * Limit of a shared queue: what an acquire submits, a fence's signal, stands behind the
 * application's own work, so while that waits for a timeline value, the fence doesn't signal
 * either. Semaphores mostly are not submitted (promises.h).
 */
#ifndef KR_ADAPTER_QUEUE_H
#define KR_ADAPTER_QUEUE_H

#include "adapter/device.h"

/* One batch. Waits are at all stages. */
struct kr_batch {
	uint32_t wait_count;
	const VkSemaphore *waits;
	VkCommandBuffer commands[2];
	uint32_t command_count;
	VkSemaphore signal; /* or VK_NULL_HANDLE */
};

/* vkQueueSubmit under the queue's lock if it has one. `batch` NULL: only the fence. */
VkResult kr_adapter_queue_submit(
	struct kr_adapter_queue *queue, const struct kr_batch *batch, VkFence fence) KR_MUST_CHECK;
/* Makes the queue's fence if it isn't there yet. The caller owns the queue as for vkQueueSubmit. */
VkResult kr_adapter_queue_get_fence(struct kr_adapter_queue *queue) KR_MUST_CHECK;
/* Waits for the queue's fence, which has been submitted, and resets it. */
VkResult kr_adapter_queue_wait_fence(struct kr_adapter_queue *queue) KR_MUST_CHECK;
/* Waits until the queue has done what it was given. */
VkResult kr_adapter_queue_drain(struct kr_adapter_queue *queue) KR_MUST_CHECK;

VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueSubmit(
	VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueSubmit2(
	VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueSubmit2KHR(
	VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueBindSparse(
	VkQueue queue, uint32_t bindInfoCount, const VkBindSparseInfo *pBindInfo, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueueWaitIdle(VkQueue queue);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_QueuePresentKHR(
	VkQueue queue, const VkPresentInfoKHR *pPresentInfo);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_DeviceWaitIdle(VkDevice device);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_CreateSemaphore(VkDevice device,
	const VkSemaphoreCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkSemaphore *pSemaphore);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_ImportSemaphoreFdKHR(
	VkDevice device, const VkImportSemaphoreFdInfoKHR *pImportSemaphoreFdInfo);
VKAPI_ATTR VkResult VKAPI_CALL kr_adapter_GetSemaphoreFdKHR(
	VkDevice device, const VkSemaphoreGetFdInfoKHR *pGetFdInfo, int *pFd);
VKAPI_ATTR void VKAPI_CALL kr_adapter_DestroySemaphore(
	VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks *pAllocator);

#endif
