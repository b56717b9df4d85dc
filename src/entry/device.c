/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points that make and end devices, and what a device has to offer with its layers. */
#include "entry/entry.h"
#include "gen/trampolines.h"
#include "layers/layers.h"
#include "loader/device.h"
#include "loader/extensions.h"
#include "loader/handles.h"

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

/* Of any layer that is installed, whether the instance uses it or not. */
static VkResult
enumerate_layers(const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	const struct kr_layer_manifest *manifest;
	struct kr_list layers;
	VkResult result = kr_layers_find(&layers);

	if (result != VK_SUCCESS)
		return result;
	manifest = kr_layers_get(&layers, layer);
	result = manifest
		? kr_layer_extensions_enumerate(&manifest->device_extensions, count, properties)
		: VK_ERROR_LAYER_NOT_PRESENT;
	kr_layers_finish(&layers);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical_device, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	struct kr_instance *instance =
		checked_instance(physical_device, KR_CMD_EnumerateDeviceExtensionProperties);

	if (layer && *layer)
		return enumerate_layers(layer, count, properties);
	return instance->table.EnumerateDeviceExtensionProperties(
		physical_device, NULL, count, properties);
}

/* Layers of devices are those of their instance. */
VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateDeviceLayerProperties(
	VkPhysicalDevice physical_device, uint32_t *count, VkLayerProperties *properties)
{
	struct kr_instance *instance =
		checked_instance(physical_device, KR_CMD_EnumerateDeviceLayerProperties);
	uint32_t total = instance->chain ? instance->chain->count : 0, room = *count;

	*count = total;
	if (!properties)
		return VK_SUCCESS;
	*count = KR_MIN(total, room);
	for (uint32_t i = 0; i < *count; i++)
		kr_layer_properties(instance->chain->layers[i].manifest, &properties[i]);
	return total > room ? VK_INCOMPLETE : VK_SUCCESS;
}
