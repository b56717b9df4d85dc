/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying devices: the whole chain, and its bottom. */
#include "loader/device.h"

#include <string.h>

#include <vulkan/vk_icd.h>

#include "gen/missing.h"
#include "layers/layers.h"
#include "loader/device_extensions.h"
#include "loader/driver_device_info.h"
#include "loader/drivers.h"
#include "loader/instance.h"
#include "loader/messages.h"
#include "loader/physical_device.h"
#include "util/alloc.h"
#include "util/log.h"
#include "wsi/wsi.h"

VkResult
kr_device_adopt(const struct kr_device *device, void *object, const char *what)
{
	const struct kr_device_table *table = &device->table;
	uintptr_t word;

	memcpy(&word, object, sizeof(word));
	/* Drivers may hand the same object out again, which has our word already. */
	if (word != ICD_LOADER_MAGIC && word != (uintptr_t)table) {
		kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
			"%s: a %s begins with 0x%zx, not with the word 0x%x that drivers leave to "
			"the "
			"loader",
			device->physical_device->owner->driver->driver->name, what, (size_t)word,
			ICD_LOADER_MAGIC);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	memcpy(object, &table, sizeof(table));
	return VK_SUCCESS;
}

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
	const struct kr_driver_instance *owner = device->physical_device->owner;
	VkResult result;

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
	kr_device_bottom_table(device, &device->table);
	device->table.magic = KR_DEVICE_MAGIC;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct kr_physical_device *physical_device = kr_physical_device_from_handle(handle);
	struct kr_driver_device_info chosen;
	struct kr_device *device =
		kr_zalloc(allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	VkResult result;

	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	device->physical_device = physical_device;
	device->instance = physical_device->owner->instance;
	if (allocator) {
		device->allocator_copy = *allocator;
		device->allocator = &device->allocator_copy;
	}
	result = kr_driver_device_info_init(&chosen, device, info, allocator);
	if (result != VK_SUCCESS)
		goto err_free;
	result = physical_device->driver->CreateDevice(
		physical_device->handle, &chosen.info, allocator, &device->handle);
	kr_driver_device_info_finish(&chosen);
	if (result == VK_SUCCESS)
		result = take_up(device, allocator);
	if (result != VK_SUCCESS)
		goto err_free;
	*out = device->handle;
	return VK_SUCCESS;

err_free:
	kr_free(allocator, device);
	return result;
}

VKAPI_ATTR void VKAPI_CALL
kr_bottom_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	kr_wsi_device_destroy(device->wsi);
	device->wsi = NULL;
	device->driver.DestroyDevice(handle, allocator);
	if (!device->published)
		kr_free(allocator, device);
}

/* The functions of the first layer, which knows what is below it. */
static void
load_top(struct kr_device *device, VkDevice handle, PFN_vkGetDeviceProcAddr top)
{
	struct kr_device_table table;

	kr_device_table_load(&table, top, handle);
	table.magic = KR_DEVICE_MAGIC;
	table.GetDeviceProcAddr = top;
	device->table = table;
}

static VkResult
create(struct kr_instance *instance, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out)
{
	PFN_vkGetDeviceProcAddr top = kr_bottom_GetDeviceProcAddr;
	struct kr_device *device;
	VkDevice handle;
	VkResult result;

	if (!instance->chain)
		result = kr_bottom_CreateDevice(physical_device, info, allocator, &handle);
	else
		result = kr_layer_chain_create_device(instance->chain, &kr_bottom, NULL,
			instance->handle, physical_device, info, allocator, &handle, &top);
	if (result != VK_SUCCESS)
		return result;
	device = kr_device_from_dispatchable(handle);
	if (top != kr_bottom_GetDeviceProcAddr)
		load_top(device, handle, top);
	/* Entry points can be called whether the device has the command or not. */
	kr_device_table_fill_missing(&device->table);
	device->top = handle;
	device->published = true;
	*out = handle;
	return VK_SUCCESS;
}

/* Each extension must be somebody's: the driver's as its layers show it, or a layer's own. */
static VkResult
check_extensions(const struct kr_instance *instance, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator)
{
	struct kr_device_extensions offered = {0};
	VkResult result;

	if (!info->enabledExtensionCount)
		return VK_SUCCESS;
	result = kr_device_extensions_ask(instance->table.EnumerateDeviceExtensionProperties,
		physical_device, allocator, &offered);
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];

		if (kr_device_extensions_have(&offered, name) ||
			kr_layer_chain_has_device_extension(instance->chain, name))
			continue;
		kr_error("vkCreateDevice: device extension %s is not available: neither the driver "
			 "nor an enabled layer has it",
			name);
		result = VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	kr_free(allocator, offered.items);
	return result;
}

VkResult
kr_device_create(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct kr_instance *instance = kr_instance_from_dispatchable(physical_device);
	struct kr_message_scope scope;
	VkResult result;

	kr_message_scope_begin(&scope, instance, NULL);
	result = check_extensions(instance, physical_device, info, allocator);
	if (result == VK_SUCCESS)
		result = create(instance, physical_device, info, allocator, out);
	kr_message_scope_end(&scope);
	return result;
}

void
kr_device_destroy(VkDevice handle, const VkAllocationCallbacks *allocator)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	struct kr_message_scope scope;

	kr_message_scope_begin(&scope, device->instance, NULL);
	device->table.DestroyDevice(handle, allocator);
	kr_message_scope_end(&scope);
	kr_free(allocator, device);
}

VkResult VKAPI_CALL
kr_layer_create_device(VkInstance handle, VkPhysicalDevice physical_device,
	const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *device,
	PFN_vkGetInstanceProcAddr layer, PFN_vkGetDeviceProcAddr *next)
{
	const struct kr_instance *instance = kr_instance_from_dispatchable(handle);

	return kr_layer_chain_create_device(instance->chain, &kr_bottom, layer, handle,
		physical_device, info, allocator, device, next);
}

void VKAPI_CALL
kr_layer_destroy_device(
	VkDevice device, const VkAllocationCallbacks *allocator, PFN_vkDestroyDevice destroy)
{
	destroy(device, allocator);
}
