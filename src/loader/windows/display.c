/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_KHR_display and VK_KHR_get_display_properties2 on instances with several drivers: one that
 * lacks VK_KHR_display has no displays; one that lacks the second form is asked in the first.
 * Where everything presents to a display of ours, that is the only one (vk_display.h).
 * Modes are in display_mode.h.
 */
#include <string.h>

#include "gen/missing.h"
#include "loader/drivers/commands.h"
#include "loader/emulation/properties2.h"
#include "loader/handles/terminators.h"
#include "loader/windows/vk_display.h"
#include "util/alloc.h"
#include "util/enumerate.h"

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceDisplayPropertiesKHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayPropertiesKHR *properties)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_vk_display_stands(device->owner->instance))
		return kr_vk_display_properties(device, count, properties);
	if (kr_physical_device_has_command_of(
		    device, KR_EXT_VK_KHR_display, KR_CMD_GetPhysicalDeviceDisplayPropertiesKHR))
		return device->driver->GetPhysicalDeviceDisplayPropertiesKHR(
			device->handle, count, properties);
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceDisplayPlanePropertiesKHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayPlanePropertiesKHR *properties)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_vk_display_stands(device->owner->instance))
		return kr_vk_display_planes(device, count, properties);
	if (kr_physical_device_has_command_of(device, KR_EXT_VK_KHR_display,
		    KR_CMD_GetPhysicalDeviceDisplayPlanePropertiesKHR))
		return device->driver->GetPhysicalDeviceDisplayPlanePropertiesKHR(
			device->handle, count, properties);
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDisplayPlaneSupportedDisplaysKHR(
	VkPhysicalDevice handle, uint32_t plane, uint32_t *count, VkDisplayKHR *displays)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_vk_display_stands(device->owner->instance))
		return kr_vk_display_of_plane(device, plane, count, displays);
	if (kr_physical_device_has_command_of(
		    device, KR_EXT_VK_KHR_display, KR_CMD_GetDisplayPlaneSupportedDisplaysKHR))
		return device->driver->GetDisplayPlaneSupportedDisplaysKHR(
			device->handle, plane, count, displays);
	*count = 0;
	return VK_SUCCESS;
}

/* A driver without planes allows nothing on them. */
static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDisplayPlaneCapabilitiesKHR(VkPhysicalDevice handle, VkDisplayModeKHR mode,
	uint32_t plane, VkDisplayPlaneCapabilitiesKHR *capabilities)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_vk_display_stands(device->owner->instance))
		return kr_vk_display_plane_capabilities(device, mode, plane, capabilities);
	if (kr_physical_device_has_command_of(
		    device, KR_EXT_VK_KHR_display, KR_CMD_GetDisplayPlaneCapabilitiesKHR))
		return device->driver->GetDisplayPlaneCapabilitiesKHR(
			device->handle, mode, plane, capabilities);
	memset(capabilities, 0, sizeof(*capabilities));
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceDisplayProperties2KHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayProperties2KHR *properties)
{
	static const char function[] = "vkGetPhysicalDeviceDisplayProperties2KHR";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkDisplayPropertiesKHR *found;
	VkResult result;
	uint32_t room;

	if (kr_physical_device_has_command_of(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetPhysicalDeviceDisplayProperties2KHR))
		return device->driver->GetPhysicalDeviceDisplayProperties2KHR(
			device->handle, count, properties);
	if (!kr_vk_display_stands(device->owner->instance))
		kr_emulation_say(
			device->owner, function, "vkGetPhysicalDeviceDisplayPropertiesKHR");
	if (!properties)
		return terminator_GetPhysicalDeviceDisplayPropertiesKHR(handle, count, NULL);
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	room = *count;
	result = terminator_GetPhysicalDeviceDisplayPropertiesKHR(handle, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
		properties[i].displayProperties = found[i];
		kr_emulation_say_ignored(
			device->owner, function, "pProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceDisplayPlaneProperties2KHR(
	VkPhysicalDevice handle, uint32_t *count, VkDisplayPlaneProperties2KHR *properties)
{
	static const char function[] = "vkGetPhysicalDeviceDisplayPlaneProperties2KHR";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkDisplayPlanePropertiesKHR *found;
	VkResult result;
	uint32_t room;

	if (kr_physical_device_has_command_of(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetPhysicalDeviceDisplayPlaneProperties2KHR))
		return device->driver->GetPhysicalDeviceDisplayPlaneProperties2KHR(
			device->handle, count, properties);
	if (!kr_vk_display_stands(device->owner->instance))
		kr_emulation_say(
			device->owner, function, "vkGetPhysicalDeviceDisplayPlanePropertiesKHR");
	if (!properties)
		return terminator_GetPhysicalDeviceDisplayPlanePropertiesKHR(handle, count, NULL);
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	room = *count;
	result = terminator_GetPhysicalDeviceDisplayPlanePropertiesKHR(handle, count, found);
	kr_enumeration_fit(found, room, count);
	for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
		properties[i].displayPlaneProperties = found[i];
		kr_emulation_say_ignored(
			device->owner, function, "pProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDisplayPlaneCapabilities2KHR(VkPhysicalDevice handle,
	const VkDisplayPlaneInfo2KHR *info, VkDisplayPlaneCapabilities2KHR *capabilities)
{
	static const char function[] = "vkGetDisplayPlaneCapabilities2KHR";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_physical_device_has_command_of(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetDisplayPlaneCapabilities2KHR))
		return device->driver->GetDisplayPlaneCapabilities2KHR(
			device->handle, info, capabilities);
	if (!kr_vk_display_stands(device->owner->instance))
		kr_emulation_say(device->owner, function, "vkGetDisplayPlaneCapabilitiesKHR");
	kr_emulation_say_ignored(
		device->owner, function, "pCapabilities->pNext", capabilities->pNext);
	return terminator_GetDisplayPlaneCapabilitiesKHR(
		handle, info->mode, info->planeIndex, &capabilities->capabilities);
}

/* Of VK_EXT_direct_mode_display: nobody has to acquire ours, so that giving it back is no work. */
static VKAPI_ATTR VkResult VKAPI_CALL
terminator_ReleaseDisplayEXT(VkPhysicalDevice handle, VkDisplayKHR display)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_vk_display_stands(device->owner->instance))
		return VK_SUCCESS;
	if (!kr_physical_device_has_command(device, KR_CMD_ReleaseDisplayEXT))
		return kr_missing_ReleaseDisplayEXT(handle, display);
	return device->driver->ReleaseDisplayEXT(device->handle, display);
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(ReleaseDisplayEXT),
	KR_TERMINATOR(GetPhysicalDeviceDisplayPropertiesKHR),
	KR_TERMINATOR(GetPhysicalDeviceDisplayPlanePropertiesKHR),
	KR_TERMINATOR(GetDisplayPlaneSupportedDisplaysKHR),
	KR_TERMINATOR(GetDisplayPlaneCapabilitiesKHR),
	KR_TERMINATOR(GetPhysicalDeviceDisplayProperties2KHR),
	KR_TERMINATOR(GetPhysicalDeviceDisplayPlaneProperties2KHR),
	KR_TERMINATOR(GetDisplayPlaneCapabilities2KHR),
};
const struct kr_terminators kr_terminators_display = {terminators, KR_ARRAY_LEN(terminators)};
