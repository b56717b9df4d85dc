/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer that shows one physical device more than there are, whose handle points at nothing, and
 * tells what it was called with.
 */
#include "adding_layer.h"

#include <stdio.h>
#include <string.h>

#include "layer_link.h"
#include "util/macros.h"

KR_EXPORT extern struct adding_layer adding_layer;
struct adding_layer adding_layer;

static PFN_vkGetInstanceProcAddr next_gipa;
static PFN_GetPhysicalDeviceProcAddr next_gpdpa;
static PFN_vkGetDeviceProcAddr next_gdpa;
static VkInstance instance;
static VkPhysicalDevice real;

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(
	const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
	VkLayerInstanceCreateInfo *link = instance_link(info);
	VkResult result;

	next_gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	next_gpdpa = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateInstance)next_gipa(VK_NULL_HANDLE, "vkCreateInstance"))(
		info, allocator, out);
	instance = *out;
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate(VkInstance handle, uint32_t *count, VkPhysicalDevice *devices)
{
	uint32_t below = devices ? *count - 1 : 0;
	VkResult result = ((PFN_vkEnumeratePhysicalDevices)next_gipa(handle,
		"vkEnumeratePhysicalDevices"))(handle, &below, devices ? devices + 1 : NULL);

	if (devices) {
		devices[0] = ADDED_DEVICE;
		real = devices[1];
	}
	*count = below + 1;
	if (adding_layer.lies && devices) {
		devices[0] = VK_NULL_HANDLE;
		*count = 5000;
	}
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	if (device != ADDED_DEVICE) {
		((PFN_vkGetPhysicalDeviceProperties)next_gipa(
			instance, "vkGetPhysicalDeviceProperties"))(device, properties);
		return;
	}
	memset(properties, 0, sizeof(*properties));
	snprintf(properties->deviceName, sizeof(properties->deviceName), "added");
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	return ((PFN_vkEnumerateDeviceExtensionProperties)next_gipa(
		instance, "vkEnumerateDeviceExtensionProperties"))(
		device == ADDED_DEVICE ? real : device, layer, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *out)
{
	VkLayerDeviceCreateInfo *link = device_link(info);
	PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	VkResult result;

	adding_layer.created_with = device;
	for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
		const VkDeviceGroupDeviceCreateInfo *group = (const void *)s;

		if (s->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO)
			adding_layer.group_with = group->pPhysicalDevices[0];
	}
	if (adding_layer.overwrites)
		memset(*out, 0, 128);
	next_gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	result = ((PFN_vkCreateDevice)gipa(instance, "vkCreateDevice"))(
		device == ADDED_DEVICE ? real : device, info, allocator, out);
	if (adding_layer.lies && result == VK_SUCCESS)
		*out = VK_NULL_HANDLE;
	/* As a layer does that has no memory left for itself: the device below is forgotten. */
	return adding_layer.forgets && result == VK_SUCCESS ? VK_ERROR_OUT_OF_HOST_MEMORY : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)
{
	adding_layer.named = info->objectHandle;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
set_tag(VkDevice device, const VkDebugUtilsObjectTagInfoEXT *info)
{
	adding_layer.tagged = info->objectHandle;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
mark_name(VkDevice device, const VkDebugMarkerObjectNameInfoEXT *info)
{
	adding_layer.marked = info->object;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
mark_tag(VkDevice device, const VkDebugMarkerObjectTagInfoEXT *info)
{
	adding_layer.mark_tagged = info->object;
	return VK_SUCCESS;
}

/* Those of below, and one of the added device alone. */
static VkResult
enumerate_groups(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups,
	const char *name)
{
	PFN_vkEnumeratePhysicalDeviceGroups next =
		(PFN_vkEnumeratePhysicalDeviceGroups)next_gipa(handle, name);
	uint32_t below = groups ? *count - 1 : 0;
	VkResult result = next(handle, &below, groups ? groups + 1 : NULL);

	if (groups) {
		groups[0].physicalDeviceCount = 1;
		groups[0].physicalDevices[0] = ADDED_DEVICE;
	}
	*count = below + 1;
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
groups_of_core(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
	return enumerate_groups(handle, count, groups, "vkEnumeratePhysicalDeviceGroups");
}

static VKAPI_ATTR VkResult VKAPI_CALL
groups_of_extension(VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
	return enumerate_groups(handle, count, groups, "vkEnumeratePhysicalDeviceGroupsKHR");
}

static VKAPI_ATTR int VKAPI_CALL
future(VkPhysicalDevice device)
{
	adding_layer.future = device;
	return 7;
}

static PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char *name);
static PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance handle, const char *name);

#define NAME_FUNCTIONS 4
#define FN(name, function)                                                                         \
	{                                                                                          \
		"vk" name, (PFN_vkVoidFunction)function                                            \
	}
static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} functions[] = {
	FN("GetInstanceProcAddr", get_instance_proc_addr),
	FN("CreateInstance", create_instance),
	FN("EnumeratePhysicalDevices", enumerate),
	FN("GetPhysicalDeviceProperties", get_properties),
	FN("EnumerateDeviceExtensionProperties", enumerate_extensions),
	FN("CreateDevice", create_device),
	FN("GetDeviceProcAddr", get_device_proc_addr),
	FN("EnumeratePhysicalDeviceGroups", groups_of_core),
	FN("EnumeratePhysicalDeviceGroupsKHR", groups_of_extension),
	/* The rest but for `no_names`. */
	FN("SetDebugUtilsObjectNameEXT", set_name),
	FN("SetDebugUtilsObjectTagEXT", set_tag),
	FN("DebugMarkerSetObjectNameEXT", mark_name),
	FN("DebugMarkerSetObjectTagEXT", mark_tag),
};

static PFN_vkVoidFunction
find(const char *name)
{
	size_t count = KR_ARRAY_LEN(functions) - (adding_layer.no_names ? NAME_FUNCTIONS : 0);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL
get_device_proc_addr(VkDevice device, const char *name)
{
	PFN_vkVoidFunction function = find(name);

	return function || !device ? function : next_gdpa(device, name);
}

static PFN_vkVoidFunction VKAPI_CALL
get_instance_proc_addr(VkInstance handle, const char *name)
{
	PFN_vkVoidFunction function = find(name);

	return function || !handle ? function : next_gipa(handle, name);
}

static PFN_vkVoidFunction VKAPI_CALL
get_physical_device_proc_addr(VkInstance handle, const char *name)
{
	return strcmp(name, "vkFutureOfLayerKR") ? next_gpdpa(handle, name)
						 : (PFN_vkVoidFunction)future;
}

KR_EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(
	VkNegotiateLayerInterface *interface);
VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
	interface->pfnGetInstanceProcAddr = get_instance_proc_addr;
	interface->pfnGetDeviceProcAddr = get_device_proc_addr;
	interface->pfnGetPhysicalDeviceProcAddr = get_physical_device_proc_addr;
	return VK_SUCCESS;
}
