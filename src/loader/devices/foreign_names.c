/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that take a physical device beside their first parameter, for devices that
 * layers made: those of VK_EXT_debug_utils and VK_EXT_debug_marker that name any object, and
 * groups in vkCreateDevice.
 */
#include "chain/chain.h"
#include "loader/devices/foreign.h"

#include "util/alloc.h"

static uint64_t
unwrap(VkDevice handle, uint64_t object)
{
	const struct kr_device *device = kr_device_from_dispatchable(handle);
	VkPhysicalDevice physical_device = (VkPhysicalDevice)(uintptr_t)object;

	if (!object || !kr_instance_table_is_live(kr_instance_table_of(physical_device)))
		return object;
	return (uintptr_t)kr_foreign_unwrap(device->instance, physical_device);
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)
{
	VkDebugUtilsObjectNameInfoEXT chosen = *info;

	if (info->objectType == VK_OBJECT_TYPE_PHYSICAL_DEVICE)
		chosen.objectHandle = unwrap(device, info->objectHandle);
	return kr_device_from_dispatchable(device)->chain_functions.set_name(device, &chosen);
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_tag(VkDevice device, const VkDebugUtilsObjectTagInfoEXT *info)
{
	VkDebugUtilsObjectTagInfoEXT chosen = *info;

	if (info->objectType == VK_OBJECT_TYPE_PHYSICAL_DEVICE)
		chosen.objectHandle = unwrap(device, info->objectHandle);
	return kr_device_from_dispatchable(device)->chain_functions.set_tag(device, &chosen);
}

static VKAPI_ATTR VkResult VKAPI_CALL
mark_name(VkDevice device, const VkDebugMarkerObjectNameInfoEXT *info)
{
	VkDebugMarkerObjectNameInfoEXT chosen = *info;

	if (info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT)
		chosen.object = unwrap(device, info->object);
	return kr_device_from_dispatchable(device)->chain_functions.mark_name(device, &chosen);
}

static VKAPI_ATTR VkResult VKAPI_CALL
mark_tag(VkDevice device, const VkDebugMarkerObjectTagInfoEXT *info)
{
	VkDebugMarkerObjectTagInfoEXT chosen = *info;

	if (info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_PHYSICAL_DEVICE_EXT)
		chosen.object = unwrap(device, info->object);
	return kr_device_from_dispatchable(device)->chain_functions.mark_tag(device, &chosen);
}

void
kr_foreign_intercept_names(struct kr_device *device)
{
	struct kr_device_table *table = &device->table;

	device->chain_functions.set_name = table->SetDebugUtilsObjectNameEXT;
	device->chain_functions.set_tag = table->SetDebugUtilsObjectTagEXT;
	device->chain_functions.mark_name = table->DebugMarkerSetObjectNameEXT;
	device->chain_functions.mark_tag = table->DebugMarkerSetObjectTagEXT;
	if (table->SetDebugUtilsObjectNameEXT)
		table->SetDebugUtilsObjectNameEXT = set_name;
	if (table->SetDebugUtilsObjectTagEXT)
		table->SetDebugUtilsObjectTagEXT = set_tag;
	if (table->DebugMarkerSetObjectNameEXT)
		table->DebugMarkerSetObjectNameEXT = mark_name;
	if (table->DebugMarkerSetObjectTagEXT)
		table->DebugMarkerSetObjectTagEXT = mark_tag;
}

static bool
is_group(VkStructureType type)
{
	return type == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO;
}

VkResult
kr_foreign_group_init(struct kr_foreign_group *out, const struct kr_instance *instance,
	const void *chain, const VkAllocationCallbacks *allocator)
{
	const VkDeviceGroupDeviceCreateInfo *group =
		kr_chain_find(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
	VkResult result;

	*out = (struct kr_foreign_group){.head = chain};
	if (!instance->foreign || !group || !group->physicalDeviceCount)
		return VK_SUCCESS;
	out->devices = kr_zalloc_array(allocator, group->physicalDeviceCount, sizeof(*out->devices),
		VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!out->devices)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_arena_init(&out->arena, allocator);
	result = kr_chain_strip(&out->arena, chain, is_group, "vkCreateDevice", &out->head);
	if (result != VK_SUCCESS) {
		kr_foreign_group_finish(out, allocator);
		out->devices = NULL;
		return result;
	}
	for (uint32_t i = 0; i < group->physicalDeviceCount; i++)
		out->devices[i] = kr_foreign_unwrap(instance, group->pPhysicalDevices[i]);
	out->group = *group;
	out->group.pPhysicalDevices = out->devices;
	out->group.pNext = out->head;
	out->head = &out->group;
	return VK_SUCCESS;
}

void
kr_foreign_group_finish(struct kr_foreign_group *group, const VkAllocationCallbacks *allocator)
{
	if (!group->devices)
		return;
	kr_free(allocator, group->devices);
	kr_arena_finish(&group->arena);
}
