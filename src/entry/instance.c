/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points without an object, and those that make and end instances. */
#include <stdlib.h>
#include <string.h>

#include "entry/entry.h"
#include "gen/trampolines.h"
#include "layers/layers.h"
#include "loader/extensions.h"
#include "loader/handles.h"
#include "loader/instance.h"
#include "util/log.h"

_Noreturn void
kr_entry_invalid(enum kr_command_id id)
{
	const struct kr_command *command = &kr_commands[id];

	kr_log(KR_LOG_ERROR | KR_LOG_FATAL,
		"%s: Invalid %s [VUID-%s-%s-parameter]: no such object is alive in this loader",
		command->name, command->handle, kr_commands[command->specified].name,
		command->handle);
	abort();
}

uint32_t
kr_entry_version(void)
{
	/* 1.4 added nothing that a loader does: device functions pass through by name (L-05). */
	return KR_MAX(VK_MAKE_API_VERSION(0, 1, 4, 0), (uint32_t)VK_HEADER_VERSION_COMPLETE);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceVersion(uint32_t *version)
{
	*version = kr_entry_version();
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	const struct kr_layer_manifest *manifest;
	struct kr_list layers;
	VkResult result;

	if (!layer || !*layer)
		return kr_instance_extensions_enumerate(count, properties);
	result = kr_layers_find(&layers);
	if (result != VK_SUCCESS)
		return result;
	manifest = kr_layers_get(&layers, layer);
	result = manifest
		? kr_layer_extensions_enumerate(&manifest->instance_extensions, count, properties)
		: VK_ERROR_LAYER_NOT_PRESENT;
	kr_layers_finish(&layers);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
	const struct kr_layer_manifest *layer;
	uint32_t total = 0, room = *count;
	struct kr_list layers;
	VkResult result = kr_layers_find(&layers);

	if (result != VK_SUCCESS)
		return result;
	kr_list_for_each (layer, &layers, link) {
		if (properties && total < room)
			kr_layer_properties(layer, &properties[total]);
		total++;
	}
	kr_layers_finish(&layers);
	*count = properties ? KR_MIN(total, room) : total;
	return properties && total > room ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkInstance *instance)
{
	return kr_instance_create(info, allocator, instance);
}

VKAPI_ATTR void VKAPI_CALL
vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
	if (!instance)
		return;
	if (!kr_instance_table_is_live(kr_instance_table_of(instance)))
		kr_entry_invalid(KR_CMD_DestroyInstance);
	kr_instance_destroy(instance, allocator);
}
