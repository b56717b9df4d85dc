/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points that make and end devices, and what a device has to offer with its layers. */
#include "entry/entry.h"
#include "gen/trampolines.h"
#include "layers/queries.h"
#include "loader/device.h"
#include "loader/handles.h"
#include "util/enumerate.h"

static struct kr_instance *
checked_instance(VkPhysicalDevice device, enum kr_command_id id)
{
	if (!device || !kr_instance_table_is_live(kr_instance_table_of(device)))
		kr_entry_invalid(id);
	return kr_instance_from_dispatchable(device);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkCreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDevice *device)
{
	(void)checked_instance(physical_device, KR_CMD_CreateDevice);
	return kr_device_create(physical_device, info, allocator, device);
}

VKAPI_ATTR void VKAPI_CALL
vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *allocator)
{
	if (!device)
		return;
	if (kr_device_from_dispatchable(device)->table.magic != KR_DEVICE_MAGIC)
		kr_entry_invalid(KR_CMD_DestroyDevice);
	kr_device_destroy(device, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical_device, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	uint32_t room = kr_enumeration_room(properties, count);
	VkResult result;

	(void)checked_instance(physical_device, KR_CMD_EnumerateDeviceExtensionProperties);
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
	struct kr_instance *instance =
		checked_instance(physical_device, KR_CMD_EnumerateDeviceLayerProperties);

	return kr_layer_chain_enumerate(instance->chain, count, properties);
}
