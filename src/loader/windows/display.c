/* SPDX-License-Identifier: Apache-2.0 */
/* Displays and planes of drivers that may not have any. */
#include "loader/windows/display.h"

#include <string.h>

#include "loader/drivers/commands.h"
#include "loader/emulation/properties2.h"
#include "util/alloc.h"
#include "util/enumerate.h"

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetPhysicalDeviceDisplayPropertiesKHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayPropertiesKHR *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_driver_gives(
		    device, KR_EXT_VK_KHR_display, KR_CMD_GetPhysicalDeviceDisplayPropertiesKHR))
		return device->driver->GetPhysicalDeviceDisplayPropertiesKHR(
			device->handle, count, properties);
	*count = 0;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetPhysicalDeviceDisplayPlanePropertiesKHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayPlanePropertiesKHR *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_driver_gives(device, KR_EXT_VK_KHR_display,
		    KR_CMD_GetPhysicalDeviceDisplayPlanePropertiesKHR))
		return device->driver->GetPhysicalDeviceDisplayPlanePropertiesKHR(
			device->handle, count, properties);
	*count = 0;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetDisplayPlaneSupportedDisplaysKHR(
	VkPhysicalDevice handle, uint32_t plane, uint32_t *count, VkDisplayKHR *displays)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_driver_gives(
		    device, KR_EXT_VK_KHR_display, KR_CMD_GetDisplayPlaneSupportedDisplaysKHR))
		return device->driver->GetDisplayPlaneSupportedDisplaysKHR(
			device->handle, plane, count, displays);
	*count = 0;
	return VK_SUCCESS;
}

/* A driver without planes allows nothing on them. */
VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetDisplayPlaneCapabilitiesKHR(VkPhysicalDevice handle, VkDisplayModeKHR mode,
	uint32_t plane, VkDisplayPlaneCapabilitiesKHR *capabilities)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_driver_gives(device, KR_EXT_VK_KHR_display, KR_CMD_GetDisplayPlaneCapabilitiesKHR))
		return device->driver->GetDisplayPlaneCapabilitiesKHR(
			device->handle, mode, plane, capabilities);
	memset(capabilities, 0, sizeof(*capabilities));
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetPhysicalDeviceDisplayProperties2KHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayProperties2KHR *properties)
{
	static const char function[] = "vkGetPhysicalDeviceDisplayProperties2KHR";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkDisplayPropertiesKHR *found;
	VkResult result;
	uint32_t room;

	if (kr_driver_gives(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetPhysicalDeviceDisplayProperties2KHR))
		return device->driver->GetPhysicalDeviceDisplayProperties2KHR(
			device->handle, count, properties);
	kr_say_emulated(device->owner, function, "vkGetPhysicalDeviceDisplayPropertiesKHR");
	if (!properties)
		return kr_bottom_GetPhysicalDeviceDisplayPropertiesKHR(handle, count, NULL);
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	room = *count;
	result = kr_bottom_GetPhysicalDeviceDisplayPropertiesKHR(handle, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
		properties[i].displayProperties = found[i];
		kr_say_ignored(device->owner, function, "pProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetPhysicalDeviceDisplayPlaneProperties2KHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayPlaneProperties2KHR *properties)
{
	static const char function[] = "vkGetPhysicalDeviceDisplayPlaneProperties2KHR";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkDisplayPlanePropertiesKHR *found;
	VkResult result;
	uint32_t room;

	if (kr_driver_gives(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetPhysicalDeviceDisplayPlaneProperties2KHR))
		return device->driver->GetPhysicalDeviceDisplayPlaneProperties2KHR(
			device->handle, count, properties);
	kr_say_emulated(device->owner, function, "vkGetPhysicalDeviceDisplayPlanePropertiesKHR");
	if (!properties)
		return kr_bottom_GetPhysicalDeviceDisplayPlanePropertiesKHR(handle, count, NULL);
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	room = *count;
	result = kr_bottom_GetPhysicalDeviceDisplayPlanePropertiesKHR(handle, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
		properties[i].displayPlaneProperties = found[i];
		kr_say_ignored(device->owner, function, "pProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_bottom_GetDisplayPlaneCapabilities2KHR(VkPhysicalDevice handle,
	const VkDisplayPlaneInfo2KHR *info, VkDisplayPlaneCapabilities2KHR *capabilities)
{
	static const char function[] = "vkGetDisplayPlaneCapabilities2KHR";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_driver_gives(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetDisplayPlaneCapabilities2KHR))
		return device->driver->GetDisplayPlaneCapabilities2KHR(
			device->handle, info, capabilities);
	kr_say_emulated(device->owner, function, "vkGetDisplayPlaneCapabilitiesKHR");
	kr_say_ignored(device->owner, function, "pCapabilities->pNext", capabilities->pNext);
	return kr_bottom_GetDisplayPlaneCapabilitiesKHR(
		handle, info->mode, info->planeIndex, &capabilities->capabilities);
}
