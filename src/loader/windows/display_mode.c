/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers whose each display mode is. */
#include "loader/windows/display_mode.h"

#include "loader/drivers/drivers.h"
#include "loader/drivers/commands.h"
#include "loader/messages/messages.h"
#include "loader/emulation/properties2.h"
#include "loader/windows/vk_display.h"
#include "loader/handles/terminators.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

const struct kr_instance_driver *
kr_vk_display_mode_owner(struct kr_instance *instance, VkDisplayModeKHR mode)
{
	const struct kr_instance_driver *owner;

	kr_mutex_lock(&instance->lock);
	owner = kr_hash_get(&instance->display_modes, (uint64_t)mode);
	kr_mutex_unlock(&instance->lock);
	return owner;
}

static VkResult
remember(const struct kr_physical_device *device, VkDisplayModeKHR mode)
{
	struct kr_instance *instance = device->owner->instance;
	int ret;

	kr_mutex_lock(&instance->lock);
	ret = kr_hash_put(&instance->display_modes, (uint64_t)mode, device->owner);
	kr_mutex_unlock(&instance->lock);
	return ret ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDisplayModePropertiesKHR(VkPhysicalDevice handle, VkDisplayKHR display,
	uint32_t *count, VkDisplayModePropertiesKHR *properties)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	VkResult result;
	uint32_t room;

	if (kr_vk_display_stands(device->owner->instance))
		return kr_vk_display_modes(device, display, count, properties);
	if (!kr_physical_device_has_command_of(
		    device, KR_EXT_VK_KHR_display, KR_CMD_GetDisplayModePropertiesKHR)) {
		*count = 0;
		return VK_SUCCESS;
	}
	room = kr_enumeration_room(properties, count);
	result = device->driver->GetDisplayModePropertiesKHR(
		device->handle, display, count, properties);
	kr_enumeration_fit(properties, room, count);
	if (!properties || (result != VK_SUCCESS && result != VK_INCOMPLETE))
		return result;
	for (uint32_t i = 0; i < *count; i++) {
		if (remember(device, properties[i].displayMode) != VK_SUCCESS)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return result;
}

/* From the first form. */
static VkResult
emulate_properties2(const struct kr_physical_device *device, VkDisplayKHR display, uint32_t *count,
	VkDisplayModeProperties2KHR *properties)
{
	static const char function[] = "vkGetDisplayModeProperties2KHR";
	const VkAllocationCallbacks *allocator = device->owner->instance->allocator;
	VkDisplayModePropertiesKHR *found;
	VkResult result;

	if (!kr_vk_display_stands(device->owner->instance))
		kr_emulation_say(device->owner, function, "vkGetDisplayModePropertiesKHR");
	if (!properties)
		return terminator_GetDisplayModePropertiesKHR(
			(VkPhysicalDevice)device, display, count, NULL);
	found = kr_zalloc_array(
		allocator, KR_MAX(*count, 1u), sizeof(*found), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!found)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = terminator_GetDisplayModePropertiesKHR(
		(VkPhysicalDevice)device, display, count, found);
	for (uint32_t i = 0; result >= VK_SUCCESS && i < *count; i++) {
		properties[i].displayModeProperties = found[i];
		kr_emulation_say_ignored(
			device->owner, function, "pProperties[].pNext", properties[i].pNext);
	}
	kr_free(allocator, found);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDisplayModeProperties2KHR(VkPhysicalDevice handle, VkDisplayKHR display,
	uint32_t *count, VkDisplayModeProperties2KHR *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	VkResult result;
	uint32_t room;

	if (!kr_physical_device_has_command_of(device, KR_EXT_VK_KHR_get_display_properties2,
		    KR_CMD_GetDisplayModeProperties2KHR))
		return emulate_properties2(device, display, count, properties);
	room = kr_enumeration_room(properties, count);
	result = device->driver->GetDisplayModeProperties2KHR(
		device->handle, display, count, properties);
	kr_enumeration_fit(properties, room, count);
	if (!properties || (result != VK_SUCCESS && result != VK_INCOMPLETE))
		return result;
	for (uint32_t i = 0; i < *count; i++) {
		if (remember(device, properties[i].displayModeProperties.displayMode) != VK_SUCCESS)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_CreateDisplayModeKHR(VkPhysicalDevice handle, VkDisplayKHR display,
	const VkDisplayModeCreateInfoKHR *info, const VkAllocationCallbacks *allocator,
	VkDisplayModeKHR *mode)
{
	struct kr_physical_device *device = kr_physical_device_from_handle(handle);
	VkResult result;

	if (kr_vk_display_stands(device->owner->instance))
		return kr_vk_display_create_mode(device, display, info, mode);
	if (!kr_physical_device_has_command_of(
		    device, KR_EXT_VK_KHR_display, KR_CMD_CreateDisplayModeKHR)) {
		kr_instance_log(device->owner->instance, KR_LOG_ERROR | KR_LOG_DRIVER,
			"vkCreateDisplayModeKHR: driver %s has no displays to make a mode for",
			device->owner->driver->driver->name);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	result = device->driver->CreateDisplayModeKHR(
		device->handle, display, info, allocator, mode);
	return result == VK_SUCCESS ? remember(device, *mode) : result;
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR(GetDisplayModePropertiesKHR),
	KR_TERMINATOR(GetDisplayModeProperties2KHR),
	KR_TERMINATOR(CreateDisplayModeKHR),
};
const struct kr_terminators kr_terminators_display_mode = {terminators, KR_ARRAY_LEN(terminators)};
