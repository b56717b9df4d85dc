/* SPDX-License-Identifier: Apache-2.0 */
/* Physical devices: the drivers' handles wrapped, the same object for the same handle every time. */
#include "loader/physical_device.h"

#include <string.h>

#include "loader/drivers.h"
#include "loader/messages.h"
#include "util/alloc.h"
#include "util/log.h"

static struct kr_physical_device *
find_locked(struct kr_instance *instance, VkPhysicalDevice handle) KR_REQUIRES(instance->lock)
{
	struct kr_physical_device *device;

	kr_list_for_each (device, &instance->physical_devices, link) {
		if (device->handle == handle)
			return device;
	}
	return NULL;
}

struct kr_physical_device *
kr_physical_device_find(struct kr_instance *instance, VkPhysicalDevice handle)
{
	struct kr_physical_device *device;

	kr_mutex_lock(&instance->lock);
	device = find_locked(instance, handle);
	kr_mutex_unlock(&instance->lock);
	return device;
}

/* The object of a driver's handle; NULL without memory. */
static struct kr_physical_device *
wrap(struct kr_driver_instance *owner, VkPhysicalDevice handle)
{
	struct kr_instance *instance = owner->instance;
	struct kr_physical_device *device;

	kr_mutex_lock(&instance->lock);
	device = find_locked(instance, handle);
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

/* All of a driver's devices in a new array; *devices is NULL when there is none. */
static VkResult
ask_devices(const struct kr_driver_instance *driver, uint32_t *count, VkPhysicalDevice **devices)
{
	const VkAllocationCallbacks *allocator = driver->instance->allocator;
	VkPhysicalDevice *handles = NULL;
	uint32_t n = 0;
	VkResult result;

	do {
		kr_free(allocator, handles);
		handles = NULL;
		result = driver->table.EnumeratePhysicalDevices(driver->handle, &n, NULL);
		if (result != VK_SUCCESS || !n)
			break;
		handles = kr_zalloc_array(
			allocator, n, sizeof(*handles), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
		if (!handles)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		result = driver->table.EnumeratePhysicalDevices(driver->handle, &n, handles);
	} while (result == VK_INCOMPLETE);
	if (result != VK_SUCCESS) {
		kr_free(allocator, handles);
		return result;
	}
	*count = n;
	*devices = handles;
	return VK_SUCCESS;
}

/* One driver's failure doesn't take the others' devices away, unless there is no memory. */
static VkResult
devices_of(const struct kr_driver_instance *driver, uint32_t *count, VkPhysicalDevice **devices)
{
	VkResult result = VK_SUCCESS;

	*count = 0;
	*devices = NULL;
	if (driver->handle)
		result = ask_devices(driver, count, devices);
	if (result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return result;
	kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: vkEnumeratePhysicalDevices failed (VkResult %d)",
		driver->driver->driver->name, result);
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_EnumeratePhysicalDevices(VkInstance handle, uint32_t *out_count, VkPhysicalDevice *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	uint32_t total = 0, room;

	if (!out_count) {
		kr_instance_log(instance, KR_LOG_ERROR | KR_LOG_VALIDATION,
			"vkEnumeratePhysicalDevices: there is no count to write to "
			"[VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]");
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	room = *out_count;
	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		struct kr_driver_instance *driver = instance->drivers[i];
		VkPhysicalDevice *handles;
		uint32_t count;
		VkResult result = devices_of(driver, &count, &handles);

		for (uint32_t j = 0; j < count && out && total + j < room; j++) {
			out[total + j] = (VkPhysicalDevice)wrap(driver, handles[j]);
			if (!out[total + j])
				result = VK_ERROR_OUT_OF_HOST_MEMORY;
		}
		kr_free(instance->allocator, handles);
		if (result != VK_SUCCESS)
			return result;
		total += count;
	}
	*out_count = out ? KR_MIN(total, room) : total;
	if (!out || total <= room)
		return VK_SUCCESS;
	kr_instance_log(instance, KR_LOG_INFO,
		"vkEnumeratePhysicalDevices: Trimming device count from %u to %u, the room there is",
		total, room);
	return VK_INCOMPLETE;
}

struct groups {
	VkPhysicalDeviceGroupProperties *items;
	uint32_t count;
};

/* One group for each device: what a driver without groups amounts to. */
static VkResult
make_groups(const struct kr_driver_instance *driver, struct groups *groups)
{
	const VkAllocationCallbacks *allocator = driver->instance->allocator;
	VkPhysicalDevice *handles;
	VkResult result = devices_of(driver, &groups->count, &handles);

	if (result != VK_SUCCESS || !groups->count)
		return result;
	groups->items = kr_zalloc_array(allocator, groups->count, sizeof(*groups->items),
		VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	for (uint32_t i = 0; groups->items && i < groups->count; i++) {
		groups->items[i].physicalDeviceCount = 1;
		groups->items[i].physicalDevices[0] = handles[i];
	}
	kr_free(allocator, handles);
	return groups->items ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* VK_ERROR_EXTENSION_NOT_PRESENT when the driver has no groups. */
static VkResult
ask_groups(const struct kr_driver_instance *driver, struct groups *groups)
{
	const VkAllocationCallbacks *allocator = driver->instance->allocator;
	bool khr = kr_extension_set_has(&driver->enabled, KR_EXT_VK_KHR_device_group_creation);
	PFN_vkEnumeratePhysicalDeviceGroups ask = khr
		? driver->table.EnumeratePhysicalDeviceGroupsKHR
		: driver->table.EnumeratePhysicalDeviceGroups;
	uint32_t count = 0;
	VkResult result;

	if (!khr &&
		(driver->driver->api_version < VK_API_VERSION_1_1 ||
			driver->instance->api_version < VK_API_VERSION_1_1))
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	do {
		kr_free(allocator, groups->items);
		*groups = (struct groups){0};
		result = ask(driver->handle, &count, NULL);
		if (result != VK_SUCCESS || !count)
			return result;
		groups->items = kr_zalloc_array(allocator, count, sizeof(*groups->items),
			VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
		if (!groups->items)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		for (uint32_t i = 0; i < count; i++)
			groups->items[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
		result = ask(driver->handle, &count, groups->items);
		groups->count = count;
	} while (result == VK_INCOMPLETE);
	return result;
}

/* The driver's group as the application's, whose sType and pNext stay. */
static VkResult
copy_group(struct kr_driver_instance *driver, const VkPhysicalDeviceGroupProperties *group,
	VkPhysicalDeviceGroupProperties *out)
{
	out->physicalDeviceCount = group->physicalDeviceCount;
	out->subsetAllocation = group->subsetAllocation;
	for (uint32_t i = 0; i < group->physicalDeviceCount; i++) {
		out->physicalDevices[i] = (VkPhysicalDevice)wrap(driver, group->physicalDevices[i]);
		if (!out->physicalDevices[i])
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_EnumeratePhysicalDeviceGroups(
	VkInstance handle, uint32_t *out_count, VkPhysicalDeviceGroupProperties *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	uint32_t total = 0, room = *out_count;

	for (uint32_t i = 0; i < kr_instance_driver_count(instance); i++) {
		struct kr_driver_instance *driver = instance->drivers[i];
		struct groups groups = {0};
		VkResult result = VK_SUCCESS;

		if (driver->handle)
			result = ask_groups(driver, &groups);
		if (result != VK_SUCCESS && result != VK_ERROR_OUT_OF_HOST_MEMORY) {
			kr_free(instance->allocator, groups.items);
			groups = (struct groups){0};
			result = make_groups(driver, &groups);
		}
		for (uint32_t j = 0; result == VK_SUCCESS && out && j < groups.count; j++) {
			if (total + j < room)
				result = copy_group(driver, &groups.items[j], &out[total + j]);
		}
		kr_free(instance->allocator, groups.items);
		if (result != VK_SUCCESS)
			return result;
		total += groups.count;
	}
	*out_count = out ? KR_MIN(total, room) : total;
	return out && total > room ? VK_INCOMPLETE : VK_SUCCESS;
}
