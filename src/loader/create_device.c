/* SPDX-License-Identifier: Apache-2.0 */
/* Creating a device at the bottom of the chain: what the driver makes is taken over. */
#include "loader/create_device.h"

#include <string.h>

#include "loader/device_functions.h"
#include "loader/devices/create_info.h"
#include "loader/devices/device.h"
#include "loader/drivers/drivers.h"
#include "loader/devices/window.h"
#include "util/alloc.h"
#include "util/log.h"
#include "wsi/wsi.h"

/* For objects that wsi makes through the driver. */
static void
set_dispatch(VkDevice device, void *object)
{
	memcpy(object, device, sizeof(void *));
}

static VkResult
create_wsi(struct kr_device *device, const VkAllocationCallbacks *allocator)
{
	struct kr_wsi_device_info info = {
		.device = device->handle,
		.get_device_proc_addr = device->get_device_proc_addr,
		.functions = &device->driver,
		.set_dispatch = set_dispatch,
		.compression_control = device->compression_control,
		.allocator = allocator,
	};
	VkResult result;

	if (!device->native_buffer ||
		!kr_extension_set_has(&device->enabled, KR_EXT_VK_KHR_swapchain))
		return VK_SUCCESS;
	result = kr_physical_device_get_gpu(device->physical_device, &info.gpu);
	return result == VK_SUCCESS ? kr_wsi_device_create(&info, &device->wsi) : result;
}

/* Takes over what the driver made: its functions, its first word, its window system. */
static VkResult
take_up(struct kr_device *device, const VkAllocationCallbacks *allocator)
{
	const struct kr_instance_driver *owner = device->physical_device->owner;
	VkResult result;

	/* Nothing is asked of a device that isn't there, not even to end. */
	if (!device->handle)
		return kr_device_adopt(device, NULL, "VkDevice");
	device->get_device_proc_addr = owner->get_device_proc_addr;
	kr_device_table_load(&device->driver, device->get_device_proc_addr, device->handle);
	if (!device->driver.DestroyDevice) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s: it has no vkDestroyDevice",
			owner->driver->driver->name);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	result = kr_device_adopt(device, device->handle, "VkDevice");
	if (result == VK_SUCCESS)
		result = create_wsi(device, allocator);
	if (result != VK_SUCCESS) {
		device->driver.DestroyDevice(device->handle, allocator);
		return result;
	}
	kr_device_load_terminators(device);
	device->table.magic = KR_DEVICE_MAGIC;
	return VK_SUCCESS;
}

/* The words that people look for; they look for nothing else more often. */
static void
tell_driver(const struct kr_physical_device *device)
{
	const struct kr_driver *driver = device->owner->driver->driver;
	VkPhysicalDeviceProperties properties = {0};

	if (!kr_log_enabled(KR_LOG_INFO | KR_LOG_DRIVER))
		return;
	device->driver->GetPhysicalDeviceProperties(device->handle, &properties);
	kr_log(KR_LOG_INFO | KR_LOG_DRIVER, "Using \"%.*s\" with driver: \"%s\"",
		(int)sizeof(properties.deviceName), properties.deviceName,
		driver->library_path ? driver->library_path : driver->name);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_terminator_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct kr_physical_device *physical_device = kr_physical_device_from_handle(handle);
	struct kr_device_create_info chosen;
	struct kr_device *device =
		kr_object_alloc(allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	VkResult result;

	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	device->physical_device = physical_device;
	device->instance = physical_device->owner->instance;
	device->allocator = kr_object_allocator(device);
	result = kr_device_create_info_init(&chosen, device, info, allocator);
	if (result != VK_SUCCESS)
		goto err_free;
	result = physical_device->driver->CreateDevice(
		physical_device->handle, &chosen.info, allocator, &device->handle);
	kr_device_create_info_finish(&chosen);
	if (result == VK_SUCCESS)
		result = take_up(device, allocator);
	if (result != VK_SUCCESS)
		goto err_free;
	device->creator = pthread_self();
	kr_mutex_lock(&device->instance->lock);
	kr_list_append(&device->instance->devices, &device->link);
	kr_mutex_unlock(&device->instance->lock);
	tell_driver(physical_device);
	*out = device->handle;
	return VK_SUCCESS;

err_free:
	kr_object_free(device);
	return result;
}
