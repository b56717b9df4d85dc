/* SPDX-License-Identifier: Apache-2.0 */
/* What applications ask about layers: see queries.h. */
#include "layers/queries.h"

#include <string.h>

#include "manifest/layer_extensions.h"

VkResult
kr_layer_query_begin(struct kr_layer_query *query, enum kr_layer_scope scope)
{
	VkResult result;

	query->scope = scope;
	if (kr_settings_read(NULL, &query->settings))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_layer_rules_read(&query->rules, &query->settings);
	result = kr_layers_find(&query->rules, scope, &query->layers);
	if (result != VK_SUCCESS)
		goto err_settings;
	result = kr_layers_select_implicit(&query->layers, &query->rules, &query->implicit);
	if (result != VK_SUCCESS)
		goto err_layers;
	return VK_SUCCESS;

err_layers:
	kr_layers_finish(&query->layers);
err_settings:
	kr_settings_finish(&query->settings);
	return result;
}

void
kr_layer_query_end(struct kr_layer_query *query)
{
	kr_layer_selection_finish(&query->implicit, NULL);
	kr_layers_finish(&query->layers);
	kr_settings_finish(&query->settings);
}

static VkResult
finish_count(uint32_t total, bool counting, uint32_t *count)
{
	uint32_t room = *count;

	*count = counting ? total : KR_MIN(total, room);
	return !counting && total > room ? VK_INCOMPLETE : VK_SUCCESS;
}

static void
put_properties(const struct kr_manifest_layer *layer, VkLayerProperties *properties)
{
	*properties = (VkLayerProperties){
		.specVersion = layer->api_version,
		.implementationVersion = layer->implementation_version,
	};
	memcpy(properties->layerName, layer->name, sizeof(properties->layerName));
	memcpy(properties->description, layer->description, sizeof(properties->description));
}

VkResult
kr_layers_enumerate(const struct kr_layers *layers, uint32_t *count, VkLayerProperties *properties)
{
	const struct kr_manifest_layer *layer;
	uint32_t total = 0;

	kr_list_for_each (layer, &layers->list, link) {
		if (properties && total < *count)
			put_properties(layer, &properties[total]);
		total++;
	}
	return finish_count(total, !properties, count);
}

VkResult
kr_layer_chain_enumerate(
	const struct kr_layer_chain *chain, uint32_t *count, VkLayerProperties *properties)
{
	uint32_t total = chain ? chain->enabled.count : 0;

	for (uint32_t i = 0; properties && i < total && i < *count; i++)
		put_properties(chain->enabled.items[i].manifest, &properties[i]);
	return finish_count(total, !properties, count);
}

static void
put(const struct kr_manifest_extension *extension, VkExtensionProperties *properties)
{
	memset(properties, 0, sizeof(*properties));
	memcpy(properties->extensionName, extension->name, sizeof(properties->extensionName));
	properties->specVersion = extension->spec_version;
}

VkResult
kr_layer_extensions_enumerate(const struct kr_manifest_extensions *extensions, uint32_t *count,
	VkExtensionProperties *properties)
{
	uint32_t total = (uint32_t)extensions->count;

	for (uint32_t i = 0; properties && i < total && i < *count; i++)
		put(&extensions->items[i], &properties[i]);
	return finish_count(total, !properties, count);
}

VkResult
kr_layer_device_extensions_enumerate(
	const char *name, uint32_t *count, VkExtensionProperties *properties)
{
	const struct kr_manifest_layer *layer;
	struct kr_layer_query query;
	VkResult result = kr_layer_query_begin(&query, KR_LAYERS_ALL);

	if (result != VK_SUCCESS)
		return result;
	layer = kr_layers_get(&query.layers, name);
	result = layer ? kr_layer_extensions_enumerate(&layer->device_extensions, count, properties)
		       : VK_ERROR_LAYER_NOT_PRESENT;
	kr_layer_query_end(&query);
	return result;
}

static bool
is_known(const VkExtensionProperties *known, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(known[i].extensionName, name))
			return true;
	}
	return false;
}

/* Whether a layer before the `end`-th has it too. */
static bool
is_before(const struct kr_layer_selection *selection, uint32_t end, bool devices, const char *name)
{
	for (uint32_t i = 0; i < end; i++) {
		const struct kr_manifest_layer *layer = selection->items[i].manifest;

		if (layer->implicit &&
			kr_manifest_extensions_have(
				devices ? &layer->device_extensions : &layer->instance_extensions,
				name))
			return true;
	}
	return false;
}

void
kr_layer_extensions_add(const struct kr_layer_selection *selection, bool devices,
	const VkExtensionProperties *known, uint32_t known_count,
	struct kr_layer_extension_union *extensions)
{
	for (uint32_t i = 0; i < selection->count; i++) {
		const struct kr_manifest_layer *layer = selection->items[i].manifest;
		const struct kr_manifest_extensions *own =
			devices ? &layer->device_extensions : &layer->instance_extensions;

		for (size_t j = 0; layer->implicit && j < own->count; j++) {
			const char *name = own->items[j].name;

			if (is_known(known, known_count, name) ||
				is_before(selection, i, devices, name))
				continue;
			if (extensions->items && extensions->count < extensions->room)
				put(&own->items[j], &extensions->items[extensions->count]);
			extensions->count++;
		}
	}
}
