/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Present fences: an empty submit behind the driver's release, on its queue. A fence of a submit
 * waits for all that was submitted to the queue before it, and vkQueueSignalReleaseImageANDROID
 * waits for the present's semaphores on that queue (W-08). So it needs nothing of a driver that
 * Vulkan 1.0 doesn't give, fences come in the order of their presents, and it holds whatever
 * becomes of the frame, also when the driver's release failed.
 */
#include "wsi/present/fence.h"

#include "gen/tables.h"
#include "util/log.h"

VkResult
kr_wsi_present_fence_signal(struct kr_wsi_device *device, VkQueue queue, VkFence fence)
{
	const struct kr_device_table *functions = device->info.functions;
	VkResult result;

	if (!fence)
		return VK_SUCCESS;
	result = functions->QueueSubmit(queue, 0, NULL, fence);
	/* The present can't be undone any more: when the queue is idle there may be memory. */
	if ((result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) &&
		functions->QueueWaitIdle(queue) == VK_SUCCESS)
		result = functions->QueueSubmit(queue, 0, NULL, fence);
	if (result == VK_SUCCESS)
		return VK_SUCCESS;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
		"vkQueuePresentKHR: the driver doesn't signal the present fence (%d)", result);
	if (result != VK_ERROR_DEVICE_LOST)
		result = VK_ERROR_UNKNOWN;
	return kr_wsi_note_result(device, result);
}
