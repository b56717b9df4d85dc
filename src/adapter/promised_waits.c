/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving promised waits out of submissions. */
#include "adapter/promised_waits.h"

#include "adapter/queue_lock.h"
#include "chain/chain.h"

static struct kr_promises *
promises_of(const struct kr_adapter_queue *queue)
{
	return &queue->device->promises;
}

static VkResult
submit_signal(struct kr_adapter_queue *queue, VkSemaphore semaphore)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &semaphore,
	};
	VkResult result;

	kr_adapter_queue_lock(queue);
	result = queue->device->vk.QueueSubmit(queue->handle, 1, &info, VK_NULL_HANDLE);
	kr_adapter_queue_unlock(queue);
	return result;
}

VkResult
kr_promised_waits_signal(
	struct kr_adapter_queue *queue, uint32_t count, const VkSemaphore *semaphores)
{
	for (uint32_t i = 0; i < count; i++) {
		VkResult result;

		if (!kr_promises_take(promises_of(queue), semaphores[i]))
			continue;
		result = submit_signal(queue, semaphores[i]);
		if (result == VK_SUCCESS)
			continue;
		if (!kr_promises_make(promises_of(queue), semaphores[i]))
			return VK_ERROR_DEVICE_LOST; /* acquires have taken its room meanwhile */
		return result;
	}
	return VK_SUCCESS;
}

VkResult
kr_promised_waits_done(
	struct kr_adapter_device *device, const struct kr_promised_waits *promised, VkResult result)
{
	if (result == VK_SUCCESS)
		return VK_SUCCESS;
	for (uint32_t i = 0; i < promised->count; i++) {
		if (!kr_promises_make(&device->promises, promised->taken[i]))
			return VK_ERROR_DEVICE_LOST;
	}
	return result;
}

/* Whether it is promised: then its wait can be left out. */
static bool
leave_out(struct kr_adapter_queue *queue, struct kr_promised_waits *promised, VkSemaphore semaphore)
{
	if (!kr_promises_take(promises_of(queue), semaphore))
		return false;
	promised->taken[promised->count++] = semaphore;
	return true;
}

/* What has arrays of its own with an element for each wait. */
static bool
has_arrays_beside(const VkSubmitInfo *info)
{
	return kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) ||
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
}

static bool
fits(uint32_t count, const VkSubmitInfo *submits)
{
	uint32_t waits = 0;

	if (count > KR_FEW_SUBMITS)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (submits[i].waitSemaphoreCount > KR_FEW_WAITS - waits ||
			has_arrays_beside(&submits[i]))
			return false;
		waits += submits[i].waitSemaphoreCount;
	}
	return true;
}

VkResult
kr_promised_waits_leave_out(struct kr_adapter_queue *queue, uint32_t count,
	const VkSubmitInfo **submits, struct kr_shorter_submits *shorter)
{
	const VkSubmitInfo *given = *submits;
	VkResult result = VK_SUCCESS;
	uint32_t n = 0;

	shorter->promised.count = 0;
	if (!kr_promises_any(promises_of(queue)))
		return VK_SUCCESS;
	if (!fits(count, given)) {
		for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
			result = kr_promised_waits_signal(
				queue, given[i].waitSemaphoreCount, given[i].pWaitSemaphores);
		return result;
	}
	for (uint32_t i = 0; i < count; i++) {
		VkSubmitInfo *info = &shorter->infos[i];

		*info = given[i];
		info->pWaitSemaphores = shorter->waits + n;
		info->pWaitDstStageMask = shorter->stages + n;
		info->waitSemaphoreCount = 0;
		for (uint32_t j = 0; j < given[i].waitSemaphoreCount; j++) {
			if (leave_out(queue, &shorter->promised, given[i].pWaitSemaphores[j]))
				continue;
			shorter->waits[n] = given[i].pWaitSemaphores[j];
			shorter->stages[n++] = given[i].pWaitDstStageMask[j];
			info->waitSemaphoreCount++;
		}
	}
	*submits = shorter->infos;
	return VK_SUCCESS;
}

static bool
fits2(uint32_t count, const VkSubmitInfo2 *submits)
{
	uint32_t waits = 0;

	if (count > KR_FEW_SUBMITS)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (submits[i].waitSemaphoreInfoCount > KR_FEW_WAITS - waits)
			return false;
		waits += submits[i].waitSemaphoreInfoCount;
	}
	return true;
}

static VkResult
signal_all2(struct kr_adapter_queue *queue, uint32_t count, const VkSubmitInfo2 *submits)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < submits[i].waitSemaphoreInfoCount && result == VK_SUCCESS;
			j++)
			result = kr_promised_waits_signal(
				queue, 1, &submits[i].pWaitSemaphoreInfos[j].semaphore);
	}
	return result;
}

VkResult
kr_promised_waits_leave_out2(struct kr_adapter_queue *queue, uint32_t count,
	const VkSubmitInfo2 **submits, struct kr_shorter_submits2 *shorter)
{
	const VkSubmitInfo2 *given = *submits;
	uint32_t n = 0;

	shorter->promised.count = 0;
	if (!kr_promises_any(promises_of(queue)))
		return VK_SUCCESS;
	if (!fits2(count, given))
		return signal_all2(queue, count, given);
	for (uint32_t i = 0; i < count; i++) {
		VkSubmitInfo2 *info = &shorter->infos[i];

		*info = given[i];
		info->pWaitSemaphoreInfos = shorter->waits + n;
		info->waitSemaphoreInfoCount = 0;
		for (uint32_t j = 0; j < given[i].waitSemaphoreInfoCount; j++) {
			const VkSemaphoreSubmitInfo *wait = &given[i].pWaitSemaphoreInfos[j];

			if (leave_out(queue, &shorter->promised, wait->semaphore))
				continue;
			shorter->waits[n++] = *wait;
			info->waitSemaphoreInfoCount++;
		}
	}
	*submits = shorter->infos;
	return VK_SUCCESS;
}
