/* SPDX-License-Identifier: Apache-2.0 */
/* Physical devices: the drivers' handles wrapped, the same object for the same handle every time. */
#include "loader/devices/physical_device.h"

#include <string.h>

#include "loader/devices/groups.h"
#include "loader/devices/list.h"
#include "loader/drivers/drivers.h"
#include "loader/instance/hotplug.h"
#include "loader/messages/messages.h"
#include "util/alloc.h"
#include "util/log.h"

/* Of one driver, or (NULL) of any. */
static struct kr_physical_device *
find_locked(struct kr_instance *instance, const struct kr_driver_instance *owner,
	VkPhysicalDevice handle) KR_REQUIRES(instance->lock)
{
	struct kr_physical_device *device;

	kr_list_for_each (device, &instance->physical_devices, link) {
		if (device->handle == handle && (!owner || device->owner == owner))
			return device;
	}
	return NULL;
}

struct kr_physical_device *
kr_physical_device_find(struct kr_instance *instance, VkPhysicalDevice handle)
{
	struct kr_physical_device *device;

	kr_mutex_lock(&instance->lock);
	device = find_locked(instance, NULL, handle);
	kr_mutex_unlock(&instance->lock);
	return device;
}

const struct kr_physical_device *
kr_physical_device_look_up(struct kr_instance *instance, const void *handle)
{
	const struct kr_physical_device *device, *found = NULL;

	kr_mutex_lock(&instance->lock);
	kr_list_for_each (device, &instance->physical_devices, link) {
		if (device == handle)
			found = device;
	}
	kr_mutex_unlock(&instance->lock);
	return found;
}

/* The object of a driver's handle; NULL without memory. */
static struct kr_physical_device *
wrap(struct kr_driver_instance *owner, VkPhysicalDevice handle)
{
	struct kr_instance *instance = owner->instance;
	struct kr_physical_device *device;

	kr_mutex_lock(&instance->lock);
	device = find_locked(instance, owner, handle);
	if (!device) {
		device = kr_zalloc(
			instance->allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
		if (device) {
			device->dispatch = &instance->table;
			device->handle = handle;
			device->driver = &owner->table;
			device->owner = owner;
			kr_list_append(&instance->physical_devices, &device->link);
		}
	}
	kr_mutex_unlock(&instance->lock);
	return device;
}

void
kr_physical_devices_finish(struct kr_instance *instance)
{
	struct kr_physical_device *device, *next;

	kr_list_for_each_safe (device, next, &instance->physical_devices, link)
		kr_free(instance->allocator, device);
	kr_list_init(&instance->physical_devices);
}

VkPhysicalDevice
kr_physical_device_wrap(struct kr_driver_instance *owner, VkPhysicalDevice handle)
{
	return (VkPhysicalDevice)wrap(owner, handle);
}

/* Nothing to list is an error, unless ids leave it out or a driver that stands for that takes part. */
static VkResult
check_empty(const struct kr_device_list *list)
{
	if (list->count || list->empty_is_fine)
		return VK_SUCCESS;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "no driver has a device that is listed");
	return VK_ERROR_INITIALIZATION_FAILED;
}

static VkResult
list_devices(struct kr_instance *instance, uint32_t *out_count, VkPhysicalDevice *out)
{
	struct kr_device_list list;
	VkResult result = kr_device_list_init(instance, &list);
	uint32_t count;

	if (result != VK_SUCCESS)
		return result;
	count = out ? KR_MIN(list.count, *out_count) : list.count;
	result = check_empty(&list);
	for (uint32_t i = 0; result == VK_SUCCESS && out && i < count; i++) {
		out[i] = kr_physical_device_wrap(list.items[i].driver, list.items[i].handle);
		if (!out[i])
			result = VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (result == VK_SUCCESS) {
		*out_count = count;
		if (count < list.count) {
			kr_info("vkEnumeratePhysicalDevices: Trimming device count from %u to %u, "
				"the room there is",
				list.count, count);
			result = VK_INCOMPLETE;
		}
	}
	kr_device_list_finish(&list);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_EnumeratePhysicalDevices(VkInstance handle, uint32_t *out_count, VkPhysicalDevice *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_message_scope scope;
	VkResult result;

	if (!out_count) {
		kr_instance_log(instance, KR_LOG_ERROR | KR_LOG_VALIDATION,
			"vkEnumeratePhysicalDevices: there is no count to write to "
			"[VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	kr_message_scope_begin(&scope, instance, NULL);
	result = kr_hotplug_look(instance, out != NULL);
	if (result == VK_SUCCESS)
		result = list_devices(instance, out_count, out);
	kr_message_scope_end(&scope);
	return result;
}

static VkResult
list_groups(struct kr_instance *instance, uint32_t *out_count, VkPhysicalDeviceGroupProperties *out)
{
	struct kr_device_list list;
	VkResult result = kr_device_list_init(instance, &list);

	if (result != VK_SUCCESS)
		return result;
	result = check_empty(&list);
	if (result == VK_SUCCESS)
		result = kr_device_groups_list(&list, out_count, out);
	kr_device_list_finish(&list);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_EnumeratePhysicalDeviceGroups(
	VkInstance handle, uint32_t *out_count, VkPhysicalDeviceGroupProperties *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	struct kr_message_scope scope;
	VkResult result;

	kr_message_scope_begin(&scope, instance, NULL);
	result = kr_hotplug_look(instance, out != NULL);
	if (result == VK_SUCCESS)
		result = list_groups(instance, out_count, out);
	kr_message_scope_end(&scope);
	return result;
}
