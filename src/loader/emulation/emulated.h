/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical device commands of extensions that one driver may have and its neighbour not: where a driver
 * lacks one, the answer is what the extension calls "nothing of that kind".
 */
#ifndef KR_LOADER_EMULATED_H
#define KR_LOADER_EMULATED_H

#include <string.h>
#include "gen/commands.h"
#include "gen/missing.h"
#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* Whether a driver (an instance table after kr_instance_table_fill_missing) has a command itself. */
static inline bool
kr_driver_has(const struct kr_instance_table *driver, enum kr_command_id id)
{
	PFN_vkVoidFunction function;

	memcpy(&function, (const char *)driver + kr_commands[id].table_offset, sizeof(function));
	return function && !kr_command_is_missing(function);
}

/* Whether a device's driver has a command of an instance extension, and that extension is enabled on it. */
static inline bool
kr_driver_gives(
	const struct kr_physical_device *device, enum kr_extension extension, enum kr_command_id id)
{
	return kr_extension_set_has(&device->owner->enabled, extension) &&
		kr_driver_has(device->driver, id);
}

/* Terminators: core 1.1 and KHR before. */
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalBufferProperties(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalBufferInfo *pInfo,
	VkExternalBufferProperties *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalSemaphoreProperties(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo *pInfo,
	VkExternalSemaphoreProperties *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalFenceProperties(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalFenceInfo *pInfo,
	VkExternalFenceProperties *pProperties);
/* Core 1.3 and EXT before: no tools. */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceToolProperties(
	VkPhysicalDevice physicalDevice, uint32_t *pToolCount,
	VkPhysicalDeviceToolProperties *pToolProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceToolPropertiesEXT(
	VkPhysicalDevice physicalDevice, uint32_t *pToolCount,
	VkPhysicalDeviceToolProperties *pToolProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceExternalImageFormatPropertiesNV(
	VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkImageTiling tiling,
	VkImageUsageFlags usage, VkImageCreateFlags flags,
	VkExternalMemoryHandleTypeFlagsNV externalHandleType,
	VkExternalImageFormatPropertiesNV *pExternalImageFormatProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceMultisamplePropertiesEXT(
	VkPhysicalDevice physicalDevice, VkSampleCountFlagBits samples,
	VkMultisamplePropertiesEXT *pMultisampleProperties);

#endif
