/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points that make and end devices, and what a device has to offer with its layers. */
#include "entry/elsewhere.h"
#include "gen/trampolines.h"
#include "layers/queries.h"
#include "loader/device.h"
#include "loader/handles/handles.h"
#include "util/enumerate.h"

static bool
is_ours(VkPhysicalDevice device)
{
	return device && kr_instance_table_is_live(kr_instance_table_of(device));
}

/* The same command of the loader that has made the device. */
#define ELSEWHERE(device, name) ((PFN_vk##name)kr_entry_elsewhere(device, KR_CMD_##name))

VKAPI_ATTR VkResult VKAPI_CALL
vkCreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device)
{
	if (!is_ours(physical_device))
		return ELSEWHERE(physical_device, CreateDevice)(
			physical_device, info, allocator, device);
	return kr_device_create(physical_device, info, allocator, device);
}

VKAPI_ATTR void VKAPI_CALL
vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *allocator)
{
	if (!device)
		return;
	if (kr_device_from_dispatchable(device)->table.magic != KR_DEVICE_MAGIC)
		ELSEWHERE(device, DestroyDevice)(device, allocator);
	else
		kr_device_destroy(device, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical_device, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	VkResult result;
	uint32_t room;

	if (!is_ours(physical_device))
		return ELSEWHERE(physical_device, EnumerateDeviceExtensionProperties)(
			physical_device, layer, count, properties);
	room = kr_enumeration_room(properties, count);
	/* A layer may answer for itself; the bottom has what manifests say. */
	result = kr_instance_table_of(physical_device)
			 ->EnumerateDeviceExtensionProperties(
				 physical_device, layer, count, properties);
	kr_enumeration_fit(properties, room, count);
	return result;
}

/* Layers of devices are those of their instance. */
VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateDeviceLayerProperties(
	VkPhysicalDevice physical_device, uint32_t *count, VkLayerProperties *properties)
{
	if (!is_ours(physical_device))
		return ELSEWHERE(physical_device, EnumerateDeviceLayerProperties)(
			physical_device, count, properties);
	return kr_layer_chain_enumerate(
		kr_instance_from_dispatchable(physical_device)->chain, count, properties);
}
