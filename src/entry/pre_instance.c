/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that are called before there is an instance. Implicit layers may take part: the entry point
 * builds their chain (layers/queries.h), at whose bottom is the loader's own answer.
 */
#include <stdlib.h>
#include <string.h>

#include "entry/entry.h"
#include "gen/trampolines.h"
#include "layers/queries.h"
#include "loader/extensions.h"
#include "util/alloc.h"

uint32_t
kr_entry_version(void)
{
	/* 1.4 added nothing that a loader does: device functions pass through by name (L-05). */
	return KR_MAX(VK_MAKE_API_VERSION(0, 1, 4, 0), (uint32_t)VK_HEADER_VERSION_COMPLETE);
}

static VKAPI_ATTR VkResult VKAPI_CALL
bottom_version(const VkEnumerateInstanceVersionChain *link, uint32_t *version)
{
	*version = kr_entry_version();
	return VK_SUCCESS;
}

/* Of drivers, of the loader, of implicit layers. */
static VkResult
enumerate_extensions(
	const struct kr_layer_query *query, uint32_t *count, VkExtensionProperties *properties)
{
	struct kr_extension_union all = {.items = properties, .room = *count};
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

static VkResult
answer_extensions(const struct kr_layer_query *query, const char *name, uint32_t *count,
	VkExtensionProperties *properties)
{
	const struct kr_layer_manifest *layer;

	if (!name || !*name)
		return enumerate_extensions(query, count, properties);
	layer = kr_layers_get(&query->layers, name);
	return layer ? kr_layer_extensions_enumerate(&layer->instance_extensions, count, properties)
		     : VK_ERROR_LAYER_NOT_PRESENT;
}

static enum kr_layer_scope
scope_of(const char *layer)
{
	return layer && *layer ? KR_LAYERS_ALL : KR_LAYERS_IMPLICIT;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bottom_extensions(const VkEnumerateInstanceExtensionPropertiesChain *link, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	const struct kr_layer_query *query =
		kr_pre_chain_query(link, (PFN_vkVoidFunction)bottom_extensions);
	struct kr_layer_query own;
	VkResult result;

	/* A layer may ask for another name than the application did. */
	if (query && (query->scope == KR_LAYERS_ALL || scope_of(layer) == KR_LAYERS_IMPLICIT))
		return answer_extensions(query, layer, count, properties);
	result = kr_layer_query_begin(&own, scope_of(layer));
	if (result != VK_SUCCESS)
		return result;
	result = answer_extensions(&own, layer, count, properties);
	kr_layer_query_end(&own);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bottom_layers(const VkEnumerateInstanceLayerPropertiesChain *link, uint32_t *count,
	VkLayerProperties *properties)
{
	const struct kr_layer_query *query =
		kr_pre_chain_query(link, (PFN_vkVoidFunction)bottom_layers);
	struct kr_layer_query own;
	VkResult result;

	if (query)
		return kr_layers_enumerate(&query->layers, count, properties);
	result = kr_layer_query_begin(&own, KR_LAYERS_ALL);
	if (result != VK_SUCCESS)
		return result;
	result = kr_layers_enumerate(&own.layers, count, properties);
	kr_layer_query_end(&own);
	return result;
}

/* A chain and what it was made from. */
struct call {
	struct kr_layer_query query;
	struct kr_pre_chain chain;
};

static VkResult
begin(struct call *call, enum kr_pre_function function, enum kr_layer_scope scope,
	PFN_vkVoidFunction bottom)
{
	VkResult result = kr_layer_query_begin(&call->query, scope);

	if (result != VK_SUCCESS)
		return result;
	result = kr_pre_chain_create(&call->chain, function, &call->query, bottom);
	if (result != VK_SUCCESS)
		kr_layer_query_end(&call->query);
	return result;
}

static void
end(struct call *call)
{
	kr_pre_chain_finish(&call->chain);
	kr_layer_query_end(&call->query);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceVersion(uint32_t *version)
{
	const VkEnumerateInstanceVersionChain *first;
	struct call call;
	VkResult result = begin(
		&call, KR_PRE_VERSION, KR_LAYERS_IMPLICIT, (PFN_vkVoidFunction)bottom_version);

	if (result != VK_SUCCESS)
		return result;
	first = &call.chain.links->version;
	result = first->pfnNextLayer(first->pNextLink, version);
	end(&call);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	const VkEnumerateInstanceExtensionPropertiesChain *first;
	struct call call;
	VkResult result = begin(
		&call, KR_PRE_EXTENSIONS, scope_of(layer), (PFN_vkVoidFunction)bottom_extensions);

	if (result != VK_SUCCESS)
		return result;
	first = &call.chain.links->extensions;
	result = first->pfnNextLayer(first->pNextLink, layer, count, properties);
	end(&call);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
	const VkEnumerateInstanceLayerPropertiesChain *first;
	struct call call;
	VkResult result =
		begin(&call, KR_PRE_LAYERS, KR_LAYERS_ALL, (PFN_vkVoidFunction)bottom_layers);

	if (result != VK_SUCCESS)
		return result;
	first = &call.chain.links->layers;
	result = first->pfnNextLayer(first->pNextLink, count, properties);
	end(&call);
	return result;
}
