/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving promised waits out of submissions, and taking images back in front of them. */
#include "adapter/promised_waits.h"

#include "adapter/exported.h"
#include "adapter/queue_lock.h"
#include "chain/chain.h"

static const VkPipelineStageFlags all_commands = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

static struct kr_promises *
promises_of(const struct kr_adapter_queue *queue)
{
	return &queue->device->promises;
}

static VkResult
submit_one(struct kr_adapter_queue *queue, const VkSubmitInfo *info)
{
	VkResult result;

	kr_adapter_queue_lock(queue);
	result = queue->device->vk.QueueSubmit(queue->handle, 1, info, VK_NULL_HANDLE);
	kr_adapter_queue_unlock(queue);
	return result;
}

/* It was taken, and comes of nothing. */
static VkResult
promise_again(struct kr_adapter_device *device, const struct kr_promise *promise, VkResult result)
{
	if (promise->image)
		kr_exported_untake(promise->image);
	/* Acquires may have taken its room meanwhile. */
	return kr_promises_make(&device->promises, promise) ? result : VK_ERROR_DEVICE_LOST;
}

/*
 * A submit of its own for what was taken: on this queue, or on the helper where this one can't take
 * the image back. Its semaphore can be waited for then.
 */
static VkResult
submit_promise(struct kr_adapter_queue *queue, const struct kr_promise *promise)
{
	VkCommandBuffer take = VK_NULL_HANDLE;
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = promise->imported,
		.pWaitSemaphores = &promise->semaphore,
		.pWaitDstStageMask = &all_commands,
		.pCommandBuffers = &take,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &promise->semaphore,
	};
	VkResult result;

	if (promise->image) {
		take = kr_exported_take(promise->image, queue);
		if (!take) {
			queue = queue->device->helper;
			take = kr_exported_take(promise->image, queue);
		}
		info.commandBufferCount = take != VK_NULL_HANDLE;
	} else if (promise->imported) {
		return VK_SUCCESS;
	}
	result = submit_one(queue, &info);
	return result == VK_SUCCESS ? VK_SUCCESS : promise_again(queue->device, promise, result);
}

VkResult
kr_promised_waits_signal(
	struct kr_adapter_queue *queue, uint32_t count, const VkSemaphore *semaphores)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		struct kr_promise promise;

		if (kr_promises_take(promises_of(queue), semaphores[i], &promise))
			result = submit_promise(queue, &promise);
	}
	return result;
}

VkResult
kr_promised_waits_done(
	struct kr_adapter_device *device, const struct kr_promised_waits *promised, VkResult result)
{
	if (result == VK_SUCCESS)
		return VK_SUCCESS;
	for (uint32_t i = 0; i < promised->count; i++)
		result = promise_again(device, &promised->taken[i], result);
	return result;
}

enum left_out {
	LEFT_IN,
	LEFT_OUT,
	LEFT_TO_TAKE, /* *take stands in front, and waits for it if its signal is the driver's */
};

/* What becomes of a wait; `room`: there is some for a *take. */
static VkResult
leave_out(struct kr_adapter_queue *queue, struct kr_promised_waits *promised, VkSemaphore semaphore,
	bool room, enum left_out *how, VkCommandBuffer *take)
{
	struct kr_promise *promise = &promised->taken[promised->count];

	*how = LEFT_IN;
	if (!kr_promises_take(promises_of(queue), semaphore, promise))
		return VK_SUCCESS;
	if (!promise->image) {
		*how = promise->imported ? LEFT_IN : LEFT_OUT;
		promised->count += !promise->imported;
		return VK_SUCCESS;
	}
	*take = room ? kr_exported_take(promise->image, queue) : VK_NULL_HANDLE;
	if (!*take)
		return submit_promise(queue, promise);
	promised->count++;
	*how = LEFT_TO_TAKE;
	return VK_SUCCESS;
}

/* The one that was taken last. */
static const struct kr_promise *
last_of(const struct kr_promised_waits *promised)
{
	return &promised->taken[promised->count - 1];
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

/* In front of what waits for it. */
static void
add_take(struct kr_shorter_submits *shorter, VkSubmitInfo *info, VkCommandBuffer take)
{
	const struct kr_promise *promise = last_of(&shorter->promised);
	uint32_t i = shorter->take_count++;

	shorter->takes[i] = take;
	shorter->take_waits[i] = promise->semaphore;
	*info = (VkSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = promise->imported,
		.pWaitSemaphores = &shorter->take_waits[i],
		.pWaitDstStageMask = &all_commands,
		.commandBufferCount = 1,
		.pCommandBuffers = &shorter->takes[i],
	};
}

VkResult
kr_promised_waits_leave_out(struct kr_adapter_queue *queue, uint32_t *count,
	const VkSubmitInfo **submits, struct kr_shorter_submits *shorter)
{
	const VkSubmitInfo *given = *submits;
	VkResult result = VK_SUCCESS;
	uint32_t n = 0, infos = 0;

	shorter->promised.count = shorter->take_count = 0;
	if (!kr_promises_any(promises_of(queue)))
		return VK_SUCCESS;
	if (!fits(*count, given)) {
		for (uint32_t i = 0; i < *count && result == VK_SUCCESS; i++)
			result = kr_promised_waits_signal(
				queue, given[i].waitSemaphoreCount, given[i].pWaitSemaphores);
		return result;
	}
	for (uint32_t i = 0; i < *count; i++) {
		VkSubmitInfo info = given[i];

		info.pWaitSemaphores = shorter->waits + n;
		info.pWaitDstStageMask = shorter->stages + n;
		info.waitSemaphoreCount = 0;
		for (uint32_t j = 0; j < given[i].waitSemaphoreCount; j++) {
			enum left_out how;
			VkCommandBuffer take;

			result = leave_out(queue, &shorter->promised, given[i].pWaitSemaphores[j],
				shorter->take_count < KR_FEW_TAKES, &how, &take);
			if (result != VK_SUCCESS)
				return kr_promised_waits_done(
					queue->device, &shorter->promised, result);
			if (how == LEFT_TO_TAKE)
				add_take(shorter, &shorter->infos[infos++], take);
			if (how != LEFT_IN)
				continue;
			shorter->waits[n] = given[i].pWaitSemaphores[j];
			shorter->stages[n++] = given[i].pWaitDstStageMask[j];
			info.waitSemaphoreCount++;
		}
		shorter->infos[infos++] = info;
	}
	*submits = shorter->infos;
	*count = infos;
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

static void
add_take2(struct kr_shorter_submits2 *shorter, VkSubmitInfo2 *info, VkCommandBuffer take)
{
	const struct kr_promise *promise = last_of(&shorter->promised);
	uint32_t i = shorter->take_count++;

	shorter->takes[i] = (VkCommandBufferSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
		.commandBuffer = take,
	};
	shorter->take_waits[i] = (VkSemaphoreSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
		.semaphore = promise->semaphore,
		.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
	};
	*info = (VkSubmitInfo2){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = promise->imported,
		.pWaitSemaphoreInfos = &shorter->take_waits[i],
		.commandBufferInfoCount = 1,
		.pCommandBufferInfos = &shorter->takes[i],
	};
}

VkResult
kr_promised_waits_leave_out2(struct kr_adapter_queue *queue, uint32_t *count,
	const VkSubmitInfo2 **submits, struct kr_shorter_submits2 *shorter)
{
	const VkSubmitInfo2 *given = *submits;
	uint32_t n = 0, infos = 0;

	shorter->promised.count = shorter->take_count = 0;
	if (!kr_promises_any(promises_of(queue)))
		return VK_SUCCESS;
	if (!fits2(*count, given))
		return signal_all2(queue, *count, given);
	for (uint32_t i = 0; i < *count; i++) {
		VkSubmitInfo2 info = given[i];

		info.pWaitSemaphoreInfos = shorter->waits + n;
		info.waitSemaphoreInfoCount = 0;
		for (uint32_t j = 0; j < given[i].waitSemaphoreInfoCount; j++) {
			const VkSemaphoreSubmitInfo *wait = &given[i].pWaitSemaphoreInfos[j];
			enum left_out how;
			VkCommandBuffer take;
			VkResult result = leave_out(queue, &shorter->promised, wait->semaphore,
				shorter->take_count < KR_FEW_TAKES, &how, &take);

			if (result != VK_SUCCESS)
				return kr_promised_waits_done(
					queue->device, &shorter->promised, result);
			if (how == LEFT_TO_TAKE)
				add_take2(shorter, &shorter->infos[infos++], take);
			if (how != LEFT_IN)
				continue;
			shorter->waits[n++] = *wait;
			info.waitSemaphoreInfoCount++;
		}
		shorter->infos[infos++] = info;
	}
	*submits = shorter->infos;
	*count = infos;
	return VK_SUCCESS;
}
