/* SPDX-License-Identifier: Apache-2.0 */
/* Wrapping and unwrapping what layers made. */
#include "loader/devices/foreign.h"

#include <string.h>

#include "gen/terminators.h"
#include "util/alloc.h"
#include "util/enumerate.h"

/* As struct kr_instance begins, for whoever has only the table. */
struct kr_foreign {
	PFN_vkVoidFunction unknown[KR_UNKNOWN_SLOTS];
	struct kr_instance_table table;
	struct kr_instance *instance;
	struct kr_live live;
	struct kr_list devices KR_GUARDED_BY(instance->lock); /* kr_physical_device.link */
};

_Static_assert(offsetof(struct kr_foreign, instance) - offsetof(struct kr_foreign, table) ==
			offsetof(struct kr_instance, self) - offsetof(struct kr_instance, table) &&
		offsetof(struct kr_foreign, table) - offsetof(struct kr_foreign, unknown) ==
			KR_UNKNOWN_SLOTS * sizeof(PFN_vkVoidFunction),
	"one way from a table to its instance, and to functions before it");

static struct kr_foreign *
create(struct kr_instance *instance)
{
	struct kr_foreign *foreign = kr_zalloc(
		instance->allocator, sizeof(*foreign), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);

	if (!foreign)
		return NULL;
	foreign->instance = instance;
	foreign->table.magic = KR_INSTANCE_MAGIC;
	for (int i = 0; i < KR_COMMAND_COUNT; i++) {
		if (kr_unwrapping[i])
			memcpy((char *)&foreign->table + kr_commands[i].table_offset,
				&kr_unwrapping[i], sizeof(kr_unwrapping[i]));
	}
	kr_list_init(&foreign->devices);
	kr_live_add(&foreign->live, &foreign->table);
	return foreign;
}

static bool
is_ours_locked(const struct kr_instance *instance, VkPhysicalDevice handle)
{
	const struct kr_physical_device *device;

	kr_list_for_each (device, &instance->physical_devices, link) {
		if (device == kr_physical_device_from_handle(handle))
			return true;
	}
	return false;
}

static struct kr_physical_device *
find_locked(const struct kr_foreign *foreign, VkPhysicalDevice handle)
{
	struct kr_physical_device *device;

	kr_list_for_each (device, &foreign->devices, link) {
		if (device->handle == handle)
			return device;
	}
	return NULL;
}

static struct kr_physical_device *
add_locked(struct kr_instance *instance, VkPhysicalDevice handle)
{
	struct kr_physical_device *device = kr_zalloc(
		instance->allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);

	if (!device)
		return NULL;
	device->dispatch = &instance->foreign->table;
	device->handle = handle;
	device->driver = &instance->table;
	kr_list_append(&instance->foreign->devices, &device->link);
	return device;
}

/* The application's handle of one that the chain gave; VK_NULL_HANDLE without memory. */
static VkPhysicalDevice
wrap(struct kr_instance *instance, VkPhysicalDevice handle)
{
	struct kr_physical_device *device = NULL;

	kr_mutex_lock(&instance->lock);
	if (is_ours_locked(instance, handle)) {
		device = kr_physical_device_from_handle(handle);
	} else {
		if (!instance->foreign)
			instance->foreign = create(instance);
		if (instance->foreign)
			device = find_locked(instance->foreign, handle);
		if (instance->foreign && !device)
			device = add_locked(instance, handle);
	}
	kr_mutex_unlock(&instance->lock);
	return (VkPhysicalDevice)device;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate(VkInstance handle, uint32_t *count, VkPhysicalDevice *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	uint32_t room = kr_enumeration_room(out, count), kept = 0;
	VkResult result = instance->chain_functions.enumerate(handle, count, out);

	if (!out || result < VK_SUCCESS)
		return result;
	kr_enumeration_fit(out, room, count);
	for (uint32_t i = 0; i < *count; i++) {
		if (!out[i]) /* No layer has a device of that name. */
			continue;
		out[kept] = wrap(instance, out[i]);
		if (!out[kept++])
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	*count = kept;
	return result;
}

static VkResult
wrap_group(struct kr_instance *instance, VkPhysicalDeviceGroupProperties *group)
{
	uint32_t kept = 0;

	kr_enumeration_fit(group, VK_MAX_DEVICE_GROUP_SIZE, &group->physicalDeviceCount);
	for (uint32_t i = 0; i < group->physicalDeviceCount; i++) {
		if (!group->physicalDevices[i])
			continue;
		group->physicalDevices[kept] = wrap(instance, group->physicalDevices[i]);
		if (!group->physicalDevices[kept++])
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	group->physicalDeviceCount = kept;
	return VK_SUCCESS;
}

static VkResult
enumerate_groups(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out,
	PFN_vkEnumeratePhysicalDeviceGroups next)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(handle);
	uint32_t room = kr_enumeration_room(out, count);
	VkResult result = next(handle, count, out);

	if (!out || result < VK_SUCCESS)
		return result;
	kr_enumeration_fit(out, room, count);
	for (uint32_t i = 0; i < *count; i++) {
		if (wrap_group(instance, &out[i]) != VK_SUCCESS)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_groups_core(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	return enumerate_groups(handle, count, out,
		kr_instance_from_dispatchable(handle)->chain_functions.enumerate_groups);
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_groups_khr(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
	return enumerate_groups(handle, count, out,
		kr_instance_from_dispatchable(handle)->chain_functions.enumerate_groups_khr);
}

void
kr_foreign_intercept(struct kr_instance *instance)
{
	struct kr_instance_table *table = &instance->table;

	instance->chain_functions.enumerate = table->EnumeratePhysicalDevices;
	instance->chain_functions.enumerate_groups = table->EnumeratePhysicalDeviceGroups;
	instance->chain_functions.enumerate_groups_khr = table->EnumeratePhysicalDeviceGroupsKHR;
	table->EnumeratePhysicalDevices = enumerate;
	table->EnumeratePhysicalDeviceGroups = enumerate_groups_core;
	table->EnumeratePhysicalDeviceGroupsKHR = enumerate_groups_khr;
}

void
kr_foreign_finish(struct kr_instance *instance)
{
	struct kr_foreign *foreign = instance->foreign;
	struct kr_physical_device *device, *next;

	if (!foreign)
		return;
	kr_live_remove(&foreign->live);
	kr_list_for_each_safe (device, next, &foreign->devices, link)
		kr_free(instance->allocator, device);
	kr_free(instance->allocator, foreign);
}

VkPhysicalDevice
kr_foreign_unwrap(const struct kr_instance *instance, VkPhysicalDevice handle)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	return device->dispatch == &instance->table ? handle : device->handle;
}
