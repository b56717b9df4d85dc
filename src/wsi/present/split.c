/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkQueuePresentKHR. What is one party's alone goes straight to it. One present, several parties:
 * swapchains of ours, each released to its own window, and those of the driver, which presents them
 * itself. Every party must wait for the application's semaphores, but a binary semaphore can be
 * waited for once. So one empty submit consumes them and signals one stand-in for each party:
 *
 *   app's waits --> submit --+--> stand-in --> release of ours 1 --> window
 *                            +--> stand-in --> release of ours 2 --> window
 *                            +--> stand-in --> the driver's present of the rest
 *
 * Without waits there is nothing to stand in for and no submit.
 */
#include "wsi/present/present.h"

#include "chain/arena.h"
#include "chain/present.h"
#include "gen/tables.h"
#include "wsi/present/fence.h"

struct party {
	struct kr_wsi_swapchain *swapchain; /* ours; NULL: the driver's */
	struct kr_wsi_image *image;         /* claimed, ours */
	struct kr_wsi_present_request request;
	VkResult result;
};

struct split {
	struct kr_wsi_device *device;
	VkQueue queue;
	const VkPresentInfoKHR *info;
	struct kr_arena arena;
	struct party *parties; /* one for each of info's swapchains */
	uint32_t *theirs;      /* places of the driver's swapchains */
	uint32_t theirs_count;
	struct kr_wsi_semaphore *stand_in; /* for the driver's present */
};

/* Sorts the swapchains by owner and claims our images. */
static VkResult
sort_parties(struct split *split)
{
	const VkPresentInfoKHR *info = split->info;

	split->parties =
		kr_arena_alloc(&split->arena, info->swapchainCount, sizeof(*split->parties));
	split->theirs = kr_arena_alloc(&split->arena, info->swapchainCount, sizeof(*split->theirs));
	if (!split->parties || !split->theirs)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < info->swapchainCount; i++) {
		struct party *party = &split->parties[i];

		if (!kr_wsi_owns_swapchain(split->device, info->pSwapchains[i])) {
			split->theirs[split->theirs_count++] = i;
			continue;
		}
		party->swapchain = kr_wsi_swapchain_from_handle(info->pSwapchains[i]);
		party->result = kr_wsi_present_claim(
			party->swapchain, info, i, &party->request, &party->image);
	}
	return VK_SUCCESS;
}

/* The stand-ins, made on first use; *count of them into `handles`. */
static VkResult
collect_stand_ins(struct split *split, VkSemaphore *handles, uint32_t *count)
{
	uint32_t first = split->theirs_count ? split->theirs[0] : 0;
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < split->info->swapchainCount; i++) {
		struct kr_wsi_image *image = split->parties[i].image;

		if (!image)
			continue;
		if (!image->semaphore)
			result = kr_wsi_semaphore_create(split->device, &image->semaphore);
		if (result != VK_SUCCESS)
			return result;
		handles[(*count)++] = image->semaphore->handle;
	}
	if (!split->theirs_count)
		return VK_SUCCESS;
	result = kr_wsi_semaphore_for_driver(split->device, split->info->pSwapchains[first],
		split->info->pImageIndices[first], &split->stand_in);
	if (result == VK_SUCCESS)
		handles[(*count)++] = split->stand_in->handle;
	return result;
}

static VkResult
submit_stand_ins(struct split *split)
{
	const VkPresentInfoKHR *info = split->info;
	VkPipelineStageFlags *stages;
	VkSemaphore *handles;
	VkSubmitInfo submit;
	uint32_t count = 0;
	VkResult result;

	if (!info->waitSemaphoreCount)
		return VK_SUCCESS;
	handles = kr_arena_alloc(&split->arena, info->swapchainCount + 1, sizeof(*handles));
	stages = kr_arena_alloc(&split->arena, info->waitSemaphoreCount, sizeof(*stages));
	if (!handles || !stages)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = collect_stand_ins(split, handles, &count);
	if (result != VK_SUCCESS)
		return kr_wsi_note_result(split->device, result);
	for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
		stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	submit = (VkSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = info->waitSemaphoreCount,
		.pWaitSemaphores = info->pWaitSemaphores,
		.pWaitDstStageMask = stages,
		.signalSemaphoreCount = count,
		.pSignalSemaphores = handles,
	};
	result = split->device->info.functions->QueueSubmit(
		split->queue, 1, &submit, VK_NULL_HANDLE);
	return kr_wsi_note_result(split->device, result);
}

static void
present_ours(struct split *split, uint32_t place)
{
	bool waits = split->info->waitSemaphoreCount > 0;
	struct party *party = &split->parties[place];
	struct kr_wsi_image *image = party->image;

	party->result = kr_wsi_image_present(party->swapchain, image, split->queue, waits ? 1 : 0,
		waits ? &image->semaphore->handle : NULL, &party->request);
	if (!waits || party->result >= 0 || party->result == VK_ERROR_OUT_OF_DATE_KHR ||
		party->result == VK_ERROR_SURFACE_LOST_KHR)
		return;
	/*
	 * Not waited for, and too late to undo the submit: the image goes back, unlike in a plain
	 * one, and nobody can try again, so that its fence is signalled in any case.
	 */
	if (party->result == VK_ERROR_OUT_OF_HOST_MEMORY ||
		party->result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
		VkResult signalled = kr_wsi_present_fence_signal(
			split->device, split->queue, party->request.fence);

		if (signalled != VK_SUCCESS)
			party->result = signalled;
	}
	kr_wsi_semaphore_abandon(split->device, image->semaphore);
	image->semaphore = NULL;
	kr_wsi_image_give_back(party->swapchain, image);
}

/* The driver's part of the present, with results of its own. */
static VkResult
build_theirs(struct split *split, VkPresentInfoKHR *theirs)
{
	const VkPresentInfoKHR *info = split->info;
	VkSwapchainKHR *swapchains;
	uint32_t n = split->theirs_count;
	uint32_t *indices;

	if (!split->device->info.functions->QueuePresentKHR)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	*theirs = (VkPresentInfoKHR){
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, .swapchainCount = n};
	swapchains = kr_arena_alloc(&split->arena, n, sizeof(*swapchains));
	indices = kr_arena_alloc(&split->arena, n, sizeof(*indices));
	theirs->pResults = kr_arena_alloc(&split->arena, n, sizeof(*theirs->pResults));
	if (!swapchains || !indices || !theirs->pResults)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < n; i++) {
		swapchains[i] = info->pSwapchains[split->theirs[i]];
		indices[i] = info->pImageIndices[split->theirs[i]];
		theirs->pResults[i] = VK_RESULT_MAX_ENUM;
	}
	theirs->pSwapchains = swapchains;
	theirs->pImageIndices = indices;
	return kr_chain_split_present(&split->arena, info, split->theirs, n, &theirs->pNext);
}

static void
present_theirs(struct split *split, VkPresentInfoKHR *theirs)
{
	VkResult result;

	if (split->info->waitSemaphoreCount) {
		theirs->waitSemaphoreCount = 1;
		theirs->pWaitSemaphores = &split->stand_in->handle;
	}
	result = split->device->info.functions->QueuePresentKHR(split->queue, theirs);
	if (split->stand_in &&
		(result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY))
		kr_wsi_semaphore_abandon(split->device, split->stand_in);
	for (uint32_t i = 0; i < split->theirs_count; i++) {
		VkResult one = theirs->pResults[i];

		split->parties[split->theirs[i]].result = one == VK_RESULT_MAX_ENUM ? result : one;
	}
	(void)kr_wsi_note_result(split->device, result);
}

/* Nothing was submitted: claimed images are the application's again. */
static void
unclaim(struct split *split, VkResult result)
{
	for (uint32_t i = 0; split->parties && i < split->info->swapchainCount; i++) {
		struct party *party = &split->parties[i];

		if (party->image)
			atomic_store(&party->image->state, KR_WSI_IMAGE_ACQUIRED);
		/* Except when nothing will be drawn any more. */
		if (party->image && result == VK_ERROR_DEVICE_LOST)
			kr_wsi_image_give_back(party->swapchain, party->image);
		if (party->result == VK_SUCCESS)
			party->result = result;
	}
}

/* Of two results the one that a present shall return. */
static VkResult
worse_result(VkResult a, VkResult b)
{
	static const VkResult order[] = {VK_ERROR_DEVICE_LOST, VK_ERROR_SURFACE_LOST_KHR,
		VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_OUT_OF_DEVICE_MEMORY,
		VK_ERROR_OUT_OF_HOST_MEMORY};

	for (size_t i = 0; i < KR_ARRAY_LEN(order); i++) {
		if (a == order[i] || b == order[i])
			return order[i];
	}
	if (a < 0 || b < 0)
		return a < 0 ? a : b;
	return a != VK_SUCCESS ? a : b;
}

static VkResult
join_results(const struct split *split, VkResult result)
{
	for (uint32_t i = 0; i < split->info->swapchainCount; i++) {
		VkResult one = split->parties ? split->parties[i].result : result;

		if (split->info->pResults)
			split->info->pResults[i] = one;
		result = worse_result(result, one);
	}
	return result;
}

/* A present of more than one swapchain, at least one of which is ours (DESIGN 5.1). */
static VkResult
present_split(struct kr_wsi_device *device, VkQueue queue, const VkPresentInfoKHR *info)
{
	struct split split = {.device = device, .queue = queue, .info = info};
	VkPresentInfoKHR theirs;
	VkResult result;

	kr_arena_init(&split.arena, device->allocator);
	result = sort_parties(&split);
	if (result == VK_SUCCESS && split.theirs_count)
		result = build_theirs(&split, &theirs);
	if (result == VK_SUCCESS)
		result = submit_stand_ins(&split);
	if (result != VK_SUCCESS) {
		unclaim(&split, result);
	} else {
		for (uint32_t i = 0; i < info->swapchainCount; i++) {
			if (split.parties[i].image)
				present_ours(&split, i);
		}
		if (split.theirs_count)
			present_theirs(&split, &theirs);
	}
	result = join_results(&split, result);
	kr_arena_finish(&split.arena);
	return result;
}

/* Nothing is presented, but what was to be waited for is. */
static VkResult
wait_only(struct kr_wsi_device *device, VkQueue queue, const VkPresentInfoKHR *info)
{
	const struct kr_device_table *functions = device->info.functions;

	for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
		const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
		const VkSubmitInfo submit = {
			.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			.waitSemaphoreCount = 1,
			.pWaitSemaphores = &info->pWaitSemaphores[i],
			.pWaitDstStageMask = &stage,
		};
		VkResult result = functions->QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);

		if (result != VK_SUCCESS)
			return kr_wsi_note_result(device, result);
	}
	return VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT;
}

static VkResult
present_one(struct kr_wsi_device *device, VkQueue queue, const VkPresentInfoKHR *info)
{
	struct kr_wsi_swapchain *s = kr_wsi_swapchain_from_handle(info->pSwapchains[0]);
	struct kr_wsi_present_request request;
	struct kr_wsi_image *image = NULL;
	VkResult result;

	result = kr_wsi_present_claim(s, info, 0, &request, &image);
	if (result == VK_SUCCESS)
		result = kr_wsi_image_present(
			s, image, queue, info->waitSemaphoreCount, info->pWaitSemaphores, &request);
	else if (result == VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT)
		result = wait_only(device, queue, info);
	if (info->pResults)
		info->pResults[0] = result;
	return result;
}

VkResult
kr_wsi_queue_present(struct kr_wsi_device *device, VkQueue queue, const VkPresentInfoKHR *info)
{
	if (info->swapchainCount == 1 && kr_wsi_owns_swapchain(device, info->pSwapchains[0]))
		return present_one(device, queue, info);
	for (uint32_t i = 0; i < info->swapchainCount; i++) {
		if (kr_wsi_owns_swapchain(device, info->pSwapchains[i]))
			return present_split(device, queue, info);
	}
	if (!device->info.functions->QueuePresentKHR)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	return device->info.functions->QueuePresentKHR(queue, info);
}
