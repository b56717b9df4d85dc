/* SPDX-License-Identifier: Apache-2.0 */
/* Taking images back where nobody's submission can do it: by the helper (exported.h). */
#include "adapter/exported.h"

#include "adapter/image.h"
#include "adapter/queue.h"
#include "adapter/tuning.h"
#include "util/log.h"

/* Until the helper has done what it was given before. */
static VkResult
wait_drained(struct kr_adapter_device *device, struct kr_exported *exported)
{
	VkResult result;

	if (!exported->draining)
		return VK_SUCCESS;
	result = device->vk.WaitForFences(
		device->handle, 1, &exported->drained, VK_TRUE, kr_adapter_tuning.acquire_limit_ns);
	if (result == VK_SUCCESS)
		result = device->vk.ResetFences(device->handle, 1, &exported->drained);
	if (result == VK_SUCCESS)
		exported->draining = false;
	return result;
}

/* Waits for all that the helper was given, `batch` (or NULL) included. */
static VkResult
drain_helper(struct kr_adapter_device *device, struct kr_exported *exported,
	const struct kr_batch *batch)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkResult result = wait_drained(device, exported);

	if (result == VK_SUCCESS && !exported->drained)
		result = device->vk.CreateFence(
			device->handle, &info, device->allocator, &exported->drained);
	if (result == VK_SUCCESS)
		result = kr_adapter_queue_submit(device->helper, batch, exported->drained);
	if (result != VK_SUCCESS)
		return result;
	exported->draining = true;
	return wait_drained(device, exported);
}

VkResult
kr_exported_take_by_helper(struct kr_adapter_device *device, struct kr_adapter_image *image,
	VkSemaphore semaphore, VkFence fence)
{
	struct kr_batch batch = {.signal = semaphore};
	VkResult result;

	kr_promises_forget_image(&device->promises, image);
	batch.commands[0] = kr_exported_take(image, device->helper);
	batch.command_count = batch.commands[0] != VK_NULL_HANDLE;
	if (semaphore || fence)
		result = kr_adapter_queue_submit(device->helper, &batch, fence);
	else
		result = drain_helper(device, image->exported, &batch);
	if (result == VK_TIMEOUT)
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkAcquireImageANDROID: the image isn't taken back in time");
	if (result == VK_SUCCESS || result == VK_TIMEOUT)
		image->exported->helped = true;
	else if (batch.command_count)
		kr_exported_untake(image);
	return result;
}

bool
kr_exported_settle(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	if (!image->exported || !image->exported->helped)
		return true;
	return drain_helper(device, image->exported, NULL) != VK_TIMEOUT;
}
