/* SPDX-License-Identifier: Apache-2.0 */
/* Fences, semaphores and events. Their states belong to the device's lock. */
#include "null/queue.h"

#include "null/commands.h"
#include "util/clock.h"

/* A destroyed object must not be signalled by a native fence that comes later. */
static void
forget(struct null_device *device, const void *object)
{
	struct null_acquire *acquire;

	kr_mutex_lock(&device->lock);
	kr_list_for_each (acquire, &device->acquires, link) {
		if (acquire->semaphore == object)
			acquire->semaphore = NULL;
		if (acquire->fence == object)
			acquire->fence = NULL;
	}
	kr_mutex_unlock(&device->lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateFence(VkDevice device, const VkFenceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkFence *out)
{
	struct null_fence *fence =
		kr_object_alloc(allocator, sizeof(*fence), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!fence)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	fence->signalled = info->flags & VK_FENCE_CREATE_SIGNALED_BIT;
	*out = null_handle(VkFence, fence);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks *allocator)
{
	if (!fence)
		return;
	forget(null_device_from_handle(device), null_object(null_fence, fence));
	kr_object_free(null_object(null_fence, fence));
}

VKAPI_ATTR VkResult VKAPI_CALL
null_ResetFences(VkDevice handle, uint32_t count, const VkFence *fences)
{
	struct null_device *device = null_device_from_handle(handle);

	kr_mutex_lock(&device->lock);
	for (uint32_t i = 0; i < count; i++)
		null_object(null_fence, fences[i])->signalled = false;
	kr_mutex_unlock(&device->lock);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetFenceStatus(VkDevice handle, VkFence fence)
{
	struct null_device *device = null_device_from_handle(handle);
	VkResult result;

	kr_mutex_lock(&device->lock);
	result = null_object(null_fence, fence)->signalled ? VK_SUCCESS : VK_NOT_READY;
	if (device->lost)
		result = VK_ERROR_DEVICE_LOST;
	kr_mutex_unlock(&device->lock);
	return result;
}

/* What a wait asks for: any or all of some objects. */
struct wait {
	uint32_t count;
	bool any;
	bool (*is_done)(const struct wait *wait, uint32_t i);
	const VkFence *fences;
	const VkSemaphoreWaitInfo *semaphores;
};

static bool
fence_is_done(const struct wait *wait, uint32_t i)
{
	return null_object(null_fence, wait->fences[i])->signalled;
}

static bool
semaphore_is_done(const struct wait *wait, uint32_t i)
{
	const VkSemaphoreWaitInfo *info = wait->semaphores;

	return null_object(null_semaphore, info->pSemaphores[i])->value >= info->pValues[i];
}

static bool
is_over(const struct wait *wait)
{
	for (uint32_t i = 0; i < wait->count; i++) {
		if (wait->is_done(wait, i) == wait->any)
			return wait->any;
	}
	return !wait->any;
}

static VkResult
wait_until(struct null_device *device, const struct wait *wait, uint64_t timeout)
{
	int64_t deadline = timeout ? kr_deadline_in(timeout) : 0;
	VkResult result = VK_SUCCESS;

	kr_mutex_lock(&device->lock);
	while (!device->lost && !is_over(wait)) {
		if (!timeout || kr_cond_wait_until(&device->changed, &device->lock, deadline)) {
			result = is_over(wait) ? VK_SUCCESS : VK_TIMEOUT;
			break;
		}
	}
	if (device->lost)
		result = VK_ERROR_DEVICE_LOST;
	kr_mutex_unlock(&device->lock);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_WaitForFences(
	VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout)
{
	struct wait wait = {count, !all, fence_is_done, fences, NULL};

	return wait_until(null_device_from_handle(device), &wait, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
	struct wait wait = {info->semaphoreCount, info->flags & VK_SEMAPHORE_WAIT_ANY_BIT,
		semaphore_is_done, NULL, info};

	return wait_until(null_device_from_handle(device), &wait, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkSemaphore *out)
{
	struct null_semaphore *semaphore =
		kr_object_alloc(allocator, sizeof(*semaphore), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	const VkBaseInStructure *in;

	if (!semaphore)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (in = info->pNext; in; in = in->pNext) {
		const VkSemaphoreTypeCreateInfo *type = (const void *)in;

		if (in->sType != VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)
			continue;
		semaphore->timeline = type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
		semaphore->value = semaphore->timeline ? type->initialValue : 0;
	}
	*out = null_handle(VkSemaphore, semaphore);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroySemaphore(
	VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks *allocator)
{
	if (!semaphore)
		return;
	forget(null_device_from_handle(device), null_object(null_semaphore, semaphore));
	kr_object_free(null_object(null_semaphore, semaphore));
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
	struct null_device *device = null_device_from_handle(handle);
	VkResult result;

	kr_mutex_lock(&device->lock);
	result = device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
	*value = null_object(null_semaphore, semaphore)->value;
	kr_mutex_unlock(&device->lock);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo *info)
{
	struct null_device *device = null_device_from_handle(handle);

	kr_mutex_lock(&device->lock);
	null_object(null_semaphore, info->semaphore)->value = info->value;
	null_device_progress(device);
	kr_mutex_unlock(&device->lock);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateEvent(VkDevice device, const VkEventCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkEvent *out)
{
	struct null_event *event =
		kr_object_alloc(allocator, sizeof(*event), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);

	if (!event)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	*out = null_handle(VkEvent, event);
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyEvent(VkDevice device, VkEvent event, const VkAllocationCallbacks *allocator)
{
	kr_object_free(null_object(null_event, event));
}

VKAPI_ATTR VkResult VKAPI_CALL
null_GetEventStatus(VkDevice handle, VkEvent event)
{
	struct null_device *device = null_device_from_handle(handle);
	VkResult result;

	kr_mutex_lock(&device->lock);
	result = null_object(null_event, event)->set ? VK_EVENT_SET : VK_EVENT_RESET;
	if (device->lost)
		result = VK_ERROR_DEVICE_LOST;
	kr_mutex_unlock(&device->lock);
	return result;
}

static void
change_event(VkDevice handle, VkEvent event, bool set)
{
	struct null_device *device = null_device_from_handle(handle);

	kr_mutex_lock(&device->lock);
	null_object(null_event, event)->set = set;
	kr_mutex_unlock(&device->lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
null_SetEvent(VkDevice device, VkEvent event)
{
	change_event(device, event, true);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_ResetEvent(VkDevice device, VkEvent event)
{
	change_event(device, event, false);
	return VK_SUCCESS;
}
