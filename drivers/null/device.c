/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and their queues. */
#include "null/null.h"

#include <fcntl.h>
#include <string.h>

#include "null/commands.h"
#include "null/counts.h"
#include "null/hardware_buffer.h"
#include "null/mutants.h"
#include "null/queue.h"
#include "util/clock.h"

/* Which of those that mean something here are enabled. */
struct enabled {
	bool native_buffer, compression, hardware_buffers;
};

static VkResult
check_extensions(const struct null_physical_device *physical, const VkDeviceCreateInfo *info,
	struct enabled *enabled)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];

		if (!null_has_extension(physical->instance, name) &&
			!null_has_fault(device_takes_any_extension))
			return VK_ERROR_EXTENSION_NOT_PRESENT;
		enabled->native_buffer |= !strcmp(name, VK_ANDROID_NATIVE_BUFFER_EXTENSION_NAME);
		enabled->compression |=
			!strcmp(name, VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME);
		enabled->hardware_buffers |= !strcmp(
			name, VK_ANDROID_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME);
	}
	return VK_SUCCESS;
}

/* Families and counts are valid by the specification; a count beyond the family's must not hurt. */
static VkResult
init_queues(struct null_device *device, const VkDeviceCreateInfo *info)
{
	uint32_t next = 0;

	for (size_t i = 0; i < NULL_QUEUE_COUNT; i++) {
		device->queues[i].dispatch.magic =
			null_has_fault(queue_without_magic) ? 0 : HWVULKAN_DISPATCH_MAGIC;
		device->queues[i].device = device;
		kr_list_init(&device->queues[i].batches);
	}
	for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
		const VkDeviceQueueCreateInfo *queues = &info->pQueueCreateInfos[i];

		if (queues->queueFamilyIndex != 0 || queues->queueCount > NULL_QUEUE_COUNT - next)
			return VK_ERROR_INITIALIZATION_FAILED;
		for (uint32_t j = 0; j < queues->queueCount; j++) {
			device->queues[next].flags = queues->flags;
			device->queues[next++].requested = true;
		}
	}
	return VK_SUCCESS;
}

static void
init_device(struct null_device *device, struct null_physical_device *physical)
{
	device->dispatch.magic = null_has_fault(device_without_magic) ? 0 : HWVULKAN_DISPATCH_MAGIC;
	device->physical_device = physical;
	device->wake_fd = -1;
	kr_mutex_init(&device->lock);
	kr_cond_init(&device->changed);
	kr_list_init(&device->held);
	kr_list_init(&device->acquires);
	kr_list_init(&device->natives);
}

static bool
has_group(const void *chain)
{
	for (const VkBaseInStructure *in = chain; in; in = in->pNext) {
		if (in->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO)
			return true;
	}
	return false;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct null_physical_device *physical = (struct null_physical_device *)handle;
	struct enabled enabled = {0};
	struct null_device *device;
	VkResult result = check_extensions(physical, info, &enabled);

	null_count_chain(info->pNext);
	if (result != VK_SUCCESS)
		return result;
	if (null_has_fault(second_device_is_no_device) &&
		physical != &physical->instance->physical_devices[0])
		return VK_ERROR_INITIALIZATION_FAILED;
	if (!null_features_supported(
		    &physical->instance->settings, info->pNext, info->pEnabledFeatures))
		return VK_ERROR_FEATURE_NOT_PRESENT;
	if (null_has_fault(group_makes_no_device) && has_group(info->pNext))
		return VK_ERROR_INITIALIZATION_FAILED;
	if (null_has_fault(devices_leak_descriptors))
		(void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
	device = kr_object_alloc(allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!device && null_has_fault(device_needs_memory))
		return VK_SUCCESS;
	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = init_queues(device, info);
	if (result != VK_SUCCESS) {
		kr_object_free(device);
		return result;
	}
	init_device(device, physical);
	device->lost = null_has_fault(loss_is_for_ever) && null_control_has_lost();
	device->native_buffer = enabled.native_buffer;
	device->compression = enabled.compression;
	device->hardware_buffers = enabled.hardware_buffers;
	null_control_add(device);
	*out = (VkDevice)device;
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
null_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	struct null_device *device = null_device_from_handle(handle);
	struct null_release *release, *next;

	if (!device)
		return;
	null_control_remove(device);
	null_reactor_stop(device);
	for (size_t i = 0; i < NULL_QUEUE_COUNT; i++)
		null_queue_finish(&device->queues[i]);
	kr_list_for_each_safe (release, next, &device->held, link)
		null_release_destroy(release);
	kr_cond_finish(&device->changed);
	kr_mutex_finish(&device->lock);
	kr_object_free(device);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
null_GetDeviceProcAddr(VkDevice handle, const char *name)
{
	struct null_device *device = null_device_from_handle(handle);

	if (null_has_fault(device_lacks_core) && !strcmp(name, "vkCmdDispatchBase"))
		return NULL;
	if (null_has_fault(device_lacks_release) &&
		!strcmp(name, "vkQueueSignalReleaseImageANDROID"))
		return NULL;
	if (device->hardware_buffers && null_find_hardware_buffer_function(name))
		return null_find_hardware_buffer_function(name);
	if (null_is_device_function(name) || null_has_fault(device_gives_the_instances))
		return null_find_function(name);
	if (null_has_fault(device_knows_all_names) && !strncmp(name, "vk", 2))
		return null_find_function("vkDestroyDevice");
	if (device->compression && !strcmp(name, "vkGetImageSubresourceLayout2EXT"))
		return (PFN_vkVoidFunction)null_GetImageSubresourceLayout2EXT;
	if (!device->native_buffer && !null_has_fault(native_buffer_is_always_on))
		return NULL;
	return null_find_native_buffer_function(&device->physical_device->instance->settings, name);
}

/* The index-th queue that was made with these flags. */
static VkQueue
find_queue(
	struct null_device *device, VkDeviceQueueCreateFlags flags, uint32_t family, uint32_t index)
{
	for (size_t i = 0; i < NULL_QUEUE_COUNT && family == 0; i++) {
		struct null_queue *queue = &device->queues[i];

		if (queue->requested && queue->flags == flags && index-- == 0)
			return (VkQueue)queue;
	}
	return NULL;
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out)
{
	*out = find_queue(null_device_from_handle(device), 0, family, index);
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info, VkQueue *out)
{
	*out = find_queue(null_device_from_handle(device), info->flags, info->queueFamilyIndex,
		info->queueIndex);
}

static bool
is_idle(const struct null_device *device)
{
	for (size_t i = 0; i < NULL_QUEUE_COUNT; i++) {
		if (!kr_list_empty(&device->queues[i].batches))
			return false;
	}
	return true;
}

VKAPI_ATTR VkResult VKAPI_CALL
null_DeviceWaitIdle(VkDevice handle)
{
	struct null_device *device = null_device_from_handle(handle);
	VkResult result;

	kr_mutex_lock(&device->lock);
	while (!is_idle(device) && !device->lost)
		kr_cond_wait_until(&device->changed, &device->lock, KR_FOREVER);
	result = device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
	kr_mutex_unlock(&device->lock);
	return result;
}

VKAPI_ATTR void VKAPI_CALL
null_GetDeviceGroupPeerMemoryFeatures(VkDevice device, uint32_t heap, uint32_t local,
	uint32_t remote, VkPeerMemoryFeatureFlags *features)
{
	*features = 0; /* a group has one device: there is no peer */
}
