/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and what is made of them, as far as the loader has a part in it. */
#include "loader/devices/device.h"

#include <string.h>

#include <vulkan/vk_icd.h>

#include "loader/devices/hooks.h"
#include "loader/drivers/drivers.h"
#include "util/alloc.h"
#include "util/log.h"
#include "wsi/wsi.h"

VkResult
kr_device_adopt(const struct kr_device *device, void *object, const char *what)
{
	const struct kr_device_table *table = &device->table;
	uintptr_t word;

	if (!object) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: it answered VK_SUCCESS and gave no %s",
			device->physical_device->owner->driver->driver->name, what);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	memcpy(&word, object, sizeof(word));
	/* Drivers may hand the same object out again, which has our word already. */
	if (word != ICD_LOADER_MAGIC && word != (uintptr_t)table) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: a %s begins with 0x%zx, not with the word 0x%x that drivers leave to the loader",
			device->physical_device->owner->driver->driver->name, what, (size_t)word,
			ICD_LOADER_MAGIC);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	memcpy(object, &table, sizeof(table));
	return VK_SUCCESS;
}

static void
adopt_queue(struct kr_device *device, VkQueue *queue)
{
	if (*queue && kr_device_adopt(device, *queue, "VkQueue") != VK_SUCCESS)
		*queue = VK_NULL_HANDLE;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *queue)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	device->driver.GetDeviceQueue(handle, family, index, queue);
	adopt_queue(device, queue);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info, VkQueue *queue)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	device->driver.GetDeviceQueue2(handle, info, queue);
	adopt_queue(device, queue);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_AllocateCommandBuffers(
	VkDevice handle, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *buffers)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkResult result = device->driver.AllocateCommandBuffers(handle, info, buffers);

	if (result != VK_SUCCESS)
		return result;
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
		result = kr_device_adopt(device, buffers[i], "VkCommandBuffer");
	if (result == VK_SUCCESS)
		return result;
	/* A failure leaves none behind. */
	if (device->driver.FreeCommandBuffers)
		device->driver.FreeCommandBuffers(
			handle, info->commandPool, info->commandBufferCount, buffers);
	memset(buffers, 0, info->commandBufferCount * sizeof(*buffers));
	return result;
}

static void
end(struct kr_device *device)
{
	kr_mutex_lock(&device->instance->lock);
	kr_list_remove(&device->link);
	kr_mutex_unlock(&device->instance->lock);
	kr_wsi_device_destroy(device->wsi);
	device->wsi = NULL;
	device->driver.DestroyDevice(device->handle, device->allocator);
	if (!device->published)
		kr_object_free(device);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	end(kr_device_from_dispatchable(handle));
}

/* A device that this thread has just made and that nobody got. */
static struct kr_device *
find_orphan(struct kr_instance *instance)
{
	struct kr_device *device, *found = NULL;

	kr_mutex_lock(&instance->lock);
	kr_list_for_each (device, &instance->devices, link) {
		if (!device->published && !device->of_layer &&
			pthread_equal(device->creator, pthread_self()))
			found = device;
	}
	kr_mutex_unlock(&instance->lock);
	return found;
}

void
kr_device_destroy_orphans(struct kr_instance *instance)
{
	struct kr_device *orphan;

	while ((orphan = find_orphan(instance)))
		end(orphan);
}

static const struct kr_hook hooks[] = {
	KR_HOOK(DestroyDevice, ALWAYS),
	KR_HOOK(GetDeviceQueue, IF_DRIVERS),
	KR_HOOK(GetDeviceQueue2, IF_DRIVERS),
	KR_HOOK(AllocateCommandBuffers, IF_DRIVERS),
};
const struct kr_hooks kr_hooks_device = {hooks, KR_ARRAY_LEN(hooks)};
