/* SPDX-License-Identifier: Apache-2.0 */
/* An instance's physical devices, found and made: see physical_device.h. */
#include "loader/handles/physical_device.h"

#include "util/alloc.h"

/* Of one driver, or (NULL) of any. */
static struct kr_physical_device *
find_locked(struct kr_instance *instance, const struct kr_instance_driver *owner,
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
wrap(struct kr_instance_driver *owner, VkPhysicalDevice handle)
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
kr_physical_device_wrap(struct kr_instance_driver *owner, VkPhysicalDevice handle)
{
	return (VkPhysicalDevice)wrap(owner, handle);
}
