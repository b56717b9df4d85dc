/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points without an object, and those that make and end instances. */
#include "entry/elsewhere.h"
#include "entry/entry.h"
#include "gen/trampolines.h"
#include "loader/handles/handles.h"
#include "loader/instance.h"

VKAPI_ATTR VkResult VKAPI_CALL
kr_entry_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	return kr_instance_create(info, allocator, false, instance);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_entry_CreateBareInstance(const VkInstanceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkInstance *instance)
{
	if (info->enabledLayerCount)
		return VK_ERROR_LAYER_NOT_PRESENT;
	return kr_instance_create(info, allocator, true, instance);
}

VKAPI_ATTR void VKAPI_CALL
vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	if (!instance)
		return;
	if (kr_instance_table_is_live(kr_instance_table_of(instance)))
		kr_instance_destroy(instance, allocator);
	else
		((PFN_vkDestroyInstance)kr_entry_elsewhere(instance, KR_CMD_DestroyInstance))(
			instance, allocator);
}

/* The function of the loader that the caller of the exported name means. */
#define MEANT(name)                                                                                \
	((PFN_vk##name)meant(                                                                      \
		__builtin_return_address(0), (PFN_vkVoidFunction)vk##name, KR_CMD_##name))
static PFN_vkVoidFunction
meant(const void *caller, PFN_vkVoidFunction exported, enum kr_command_id id)
{
	PFN_vkVoidFunction function = kr_entry_meant_elsewhere(caller, exported, id);

	return function ? function : kr_entry_own(id);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	return MEANT(CreateInstance)(info, allocator, instance);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceVersion(uint32_t *version)
{
	return MEANT(EnumerateInstanceVersion)(version);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	return MEANT(EnumerateInstanceExtensionProperties)(layer, count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
	return MEANT(EnumerateInstanceLayerProperties)(count, properties);
}

PFN_vkVoidFunction
kr_entry_own(enum kr_command_id id)
{
	switch (id) {
	case KR_CMD_CreateInstance:
		return (PFN_vkVoidFunction)kr_entry_CreateInstance;
	case KR_CMD_EnumerateInstanceVersion:
		return (PFN_vkVoidFunction)kr_entry_EnumerateInstanceVersion;
	case KR_CMD_EnumerateInstanceExtensionProperties:
		return (PFN_vkVoidFunction)kr_entry_EnumerateInstanceExtensionProperties;
	case KR_CMD_EnumerateInstanceLayerProperties:
		return (PFN_vkVoidFunction)kr_entry_EnumerateInstanceLayerProperties;
	default:
		return kr_trampolines[id];
	}
}
