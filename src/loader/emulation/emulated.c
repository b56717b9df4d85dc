/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Physical device commands of extensions that one driver may have and its neighbour not: where a
 * driver lacks one, the answer is what the extension calls "nothing of that kind".
 */
#include "loader/messages/missing.h"
#include "loader/drivers/device_extensions.h"
#include "loader/drivers/commands.h"
#include "loader/emulation/properties2.h"
#include "loader/handles/terminators.h"

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice handle,
	const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *properties)
{
	static const char function[] = "vkGetPhysicalDeviceExternalBufferProperties";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->second_forms & KR_FORM_EXTERNAL_MEMORY) {
		device->driver->GetPhysicalDeviceExternalBufferProperties(
			device->handle, info, properties);
		return;
	}
	kr_emulation_say(device->owner, function, NULL);
	kr_emulation_say_ignored(
		device->owner, function, "pExternalBufferInfo->pNext", info->pNext);
	kr_emulation_say_ignored(
		device->owner, function, "pExternalBufferProperties->pNext", properties->pNext);
	properties->externalMemoryProperties = (VkExternalMemoryProperties){0};
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceExternalSemaphoreProperties(VkPhysicalDevice handle,
	const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *properties)
{
	static const char function[] = "vkGetPhysicalDeviceExternalSemaphoreProperties";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->second_forms & KR_FORM_EXTERNAL_SEMAPHORE) {
		device->driver->GetPhysicalDeviceExternalSemaphoreProperties(
			device->handle, info, properties);
		return;
	}
	kr_emulation_say(device->owner, function, NULL);
	kr_emulation_say_ignored(
		device->owner, function, "pExternalSemaphoreInfo->pNext", info->pNext);
	kr_emulation_say_ignored(
		device->owner, function, "pExternalSemaphoreProperties->pNext", properties->pNext);
	properties->exportFromImportedHandleTypes = 0;
	properties->compatibleHandleTypes = 0;
	properties->externalSemaphoreFeatures = 0;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice handle,
	const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *properties)
{
	static const char function[] = "vkGetPhysicalDeviceExternalFenceProperties";
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (device->owner->second_forms & KR_FORM_EXTERNAL_FENCE) {
		device->driver->GetPhysicalDeviceExternalFenceProperties(
			device->handle, info, properties);
		return;
	}
	kr_emulation_say(device->owner, function, NULL);
	kr_emulation_say_ignored(device->owner, function, "pExternalFenceInfo->pNext", info->pNext);
	kr_emulation_say_ignored(
		device->owner, function, "pExternalFenceProperties->pNext", properties->pNext);
	properties->exportFromImportedHandleTypes = 0;
	properties->compatibleHandleTypes = 0;
	properties->externalFenceFeatures = 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceToolPropertiesEXT(
	VkPhysicalDevice handle, uint32_t *count, VkPhysicalDeviceToolProperties *tools)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	/*
	 * By the extension alone: a driver may give the function out for a device that hasn't it.
	 */
	if (kr_instance_table_has(device->driver, KR_CMD_GetPhysicalDeviceToolPropertiesEXT) &&
		kr_physical_device_has_extension(device, VK_EXT_TOOLING_INFO_EXTENSION_NAME))
		return device->driver->GetPhysicalDeviceToolPropertiesEXT(
			device->handle, count, tools);
	*count = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceToolProperties(
	VkPhysicalDevice handle, uint32_t *count, VkPhysicalDeviceToolProperties *tools)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_instance_table_has(device->driver, KR_CMD_GetPhysicalDeviceToolProperties))
		return device->driver->GetPhysicalDeviceToolProperties(
			device->handle, count, tools);
	return terminator_GetPhysicalDeviceToolPropertiesEXT(handle, count, tools);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPhysicalDeviceExternalImageFormatPropertiesNV(VkPhysicalDevice handle,
	VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage,
	VkImageCreateFlags flags, VkExternalMemoryHandleTypeFlagsNV external,
	VkExternalImageFormatPropertiesNV *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_instance_table_has(
		    device->driver, KR_CMD_GetPhysicalDeviceExternalImageFormatPropertiesNV))
		return device->driver->GetPhysicalDeviceExternalImageFormatPropertiesNV(
			device->handle, format, type, tiling, usage, flags, external, properties);
	if (external)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	kr_emulation_say(device->owner, "vkGetPhysicalDeviceExternalImageFormatPropertiesNV",
		"vkGetPhysicalDeviceImageFormatProperties");
	properties->externalMemoryFeatures = 0;
	properties->exportFromImportedHandleTypes = 0;
	properties->compatibleHandleTypes = 0;
	return device->driver->GetPhysicalDeviceImageFormatProperties(device->handle, format, type,
		tiling, usage, flags, &properties->imageFormatProperties);
}

static VKAPI_ATTR void VKAPI_CALL
terminator_GetPhysicalDeviceMultisamplePropertiesEXT(VkPhysicalDevice handle,
	VkSampleCountFlagBits samples, VkMultisamplePropertiesEXT *properties)
{
	const struct kr_physical_device *device = kr_physical_device_from_handle(handle);

	if (kr_instance_table_has(
		    device->driver, KR_CMD_GetPhysicalDeviceMultisamplePropertiesEXT)) {
		device->driver->GetPhysicalDeviceMultisamplePropertiesEXT(
			device->handle, samples, properties);
		return;
	}
	kr_missing_tell(handle, KR_CMD_GetPhysicalDeviceMultisamplePropertiesEXT);
	properties->maxSampleLocationGridSize = (VkExtent2D){0, 0};
}

static const struct kr_terminator terminators[] = {
	KR_TERMINATOR_TWICE(GetPhysicalDeviceExternalBufferProperties),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceExternalSemaphoreProperties),
	KR_TERMINATOR_TWICE(GetPhysicalDeviceExternalFenceProperties),
	KR_TERMINATOR(GetPhysicalDeviceToolProperties),
	KR_TERMINATOR(GetPhysicalDeviceToolPropertiesEXT),
	KR_TERMINATOR(GetPhysicalDeviceExternalImageFormatPropertiesNV),
	KR_TERMINATOR(GetPhysicalDeviceMultisamplePropertiesEXT),
};
const struct kr_terminators kr_terminators_emulated = {terminators, KR_ARRAY_LEN(terminators)};
