/* SPDX-License-Identifier: Apache-2.0 */
/* Version, extensions and layers of the loader, before there is an instance: see global.h. */
#include "loader/global.h"

#include "loader/drivers/extensions.h"
#include "util/alloc.h"

uint32_t
kr_loader_version(void)
{
	/*
	 * 1.4 added nothing that a loader does: its functions are handed on (L-05,
	 * gen/core_1_4.py).
	 */
	return KR_MAX(VK_MAKE_API_VERSION(0, 1, 4, 0), (uint32_t)VK_HEADER_VERSION_COMPLETE);
}

/* Of drivers, of the loader, of implicit layers. */
static VkResult
enumerate_all(
	const struct kr_layer_query *query, uint32_t *count, VkExtensionProperties *properties)
{
	struct kr_layer_extension_union all = {.items = properties, .room = *count};
	VkExtensionProperties *own;
	uint32_t own_count = 0;
	VkResult result = kr_instance_extensions_enumerate(&own_count, NULL);

	if (result != VK_SUCCESS)
		return result;
	own = kr_zalloc_array(
		NULL, own_count + 1, sizeof(*own), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!own)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	result = kr_instance_extensions_enumerate(&own_count, own);
	if (result >= VK_SUCCESS) {
		for (uint32_t i = 0; properties && i < own_count && i < all.room; i++)
			properties[i] = own[i];
		all.count = own_count;
		kr_layer_extensions_add(&query->implicit, false, own, own_count, &all);
		*count = properties ? KR_MIN(all.count, all.room) : all.count;
		result = properties && all.count > all.room ? VK_INCOMPLETE : VK_SUCCESS;
	}
	kr_free(NULL, own);
	return result;
}

enum kr_layer_scope
kr_extensions_scope(const char *layer)
{
	return layer && *layer ? KR_LAYERS_ALL : KR_LAYERS_IMPLICIT;
}

VkResult
kr_extensions_answer(const struct kr_layer_query *query, const char *name, uint32_t *count,
	VkExtensionProperties *properties)
{
	const struct kr_manifest_layer *layer;

	if (!name || !*name)
		return enumerate_all(query, count, properties);
	layer = kr_layers_get(&query->layers, name);
	return layer ? kr_layer_extensions_enumerate(&layer->instance_extensions, count, properties)
		     : VK_ERROR_LAYER_NOT_PRESENT;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_terminator_EnumerateInstanceVersion(uint32_t *version)
{
	*version = kr_loader_version();
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_terminator_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	struct kr_layer_query query;
	VkResult result = kr_layer_query_begin(&query, kr_extensions_scope(layer));

	if (result != VK_SUCCESS)
		return result;
	result = kr_extensions_answer(&query, layer, count, properties);
	kr_layer_query_end(&query);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_terminator_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
	struct kr_layer_query query;
	VkResult result = kr_layer_query_begin(&query, KR_LAYERS_ALL);

	if (result != VK_SUCCESS)
		return result;
	result = kr_layers_enumerate(&query.layers, count, properties);
	kr_layer_query_end(&query);
	return result;
}
