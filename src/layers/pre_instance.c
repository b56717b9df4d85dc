/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chains of functions that are called before there is an instance: an implicit layer's
 * manifest names one of its exports (pre_instance_functions), which gets the next link as
 * an extra first argument.
 *
 *   links[0] -> links[1] -> ... -> links[count]    pfnNextLayer: of layers, then the bottom
 *                                       |
 *                                     bottom       what the bottom is called with: ours, for it to
 *                                                  know
 *
 * The library is opened for the call alone. Of several layers the last one found is called first,
 * as other loaders have it.
 */
#include "layers/queries.h"

#include <dlfcn.h>
#include <string.h>

#include "layers/internal.h"
#include "util/alloc.h"
#include "util/library.h"
#include "util/log.h"

static const char *
name_of(const struct kr_manifest_layer *layer, enum kr_pre_function function)
{
	switch (function) {
	case KR_PRE_VERSION:
		return layer->pre_enumerate_version;
	case KR_PRE_EXTENSIONS:
		return layer->pre_enumerate_extensions;
	case KR_PRE_LAYERS:
		return layer->pre_enumerate_layers;
	}
	return NULL;
}

static void
fill_link(union kr_pre_link *link, enum kr_pre_function function, PFN_vkVoidFunction fn,
	const union kr_pre_link *next)
{
	VkChainHeader header = {.version = VK_CURRENT_CHAIN_VERSION};

	switch (function) {
	case KR_PRE_VERSION:
		header.type = VK_CHAIN_TYPE_ENUMERATE_INSTANCE_VERSION;
		header.size = sizeof(link->version);
		link->version = (VkEnumerateInstanceVersionChain){
			.header = header, .pNextLink = next ? &next->version : NULL};
		memcpy(&link->version.pfnNextLayer, &fn, sizeof(fn));
		break;
	case KR_PRE_EXTENSIONS:
		header.type = VK_CHAIN_TYPE_ENUMERATE_INSTANCE_EXTENSION_PROPERTIES;
		header.size = sizeof(link->extensions);
		link->extensions = (VkEnumerateInstanceExtensionPropertiesChain){
			.header = header, .pNextLink = next ? &next->extensions : NULL};
		memcpy(&link->extensions.pfnNextLayer, &fn, sizeof(fn));
		break;
	case KR_PRE_LAYERS:
		header.type = VK_CHAIN_TYPE_ENUMERATE_INSTANCE_LAYER_PROPERTIES;
		header.size = sizeof(link->layers);
		link->layers = (VkEnumerateInstanceLayerPropertiesChain){
			.header = header, .pNextLink = next ? &next->layers : NULL};
		memcpy(&link->layers.pfnNextLayer, &fn, sizeof(fn));
		break;
	}
}

static PFN_vkVoidFunction
open_function(const struct kr_manifest_layer *layer, const char *name, void **dso)
{
	PFN_vkVoidFunction fn;

	if (kr_layer_open_library(layer, dso) != KR_LAYER_OPENED)
		return NULL;
	fn = (PFN_vkVoidFunction)dlsym(*dso, name);
	if (fn)
		return fn;
	kr_log(KR_LOG_WARN | KR_LOG_LAYER,
		"implicit layer %s (%s) doesn't export its pre-instance function %s", layer->name,
		layer->library_path, name);
	dlclose(*dso);
	return NULL;
}

VkResult
kr_pre_chain_create(struct kr_pre_chain *chain, enum kr_pre_function function,
	const struct kr_layer_query *query, PFN_vkVoidFunction bottom)
{
	size_t most = query->implicit.count;

	*chain = (struct kr_pre_chain){.query = query};
	chain->links = kr_zalloc_array(
		NULL, most + 1, sizeof(*chain->links), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	chain->dsos = kr_zalloc_array(
		NULL, most + 1, sizeof(*chain->dsos), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	if (!chain->links || !chain->dsos) {
		kr_pre_chain_finish(chain);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	for (size_t i = most; i-- > 0;) {
		const struct kr_manifest_layer *layer = query->implicit.items[i].manifest;
		const char *name = layer->implicit ? name_of(layer, function) : NULL;
		union kr_pre_link *link = &chain->links[chain->count];
		PFN_vkVoidFunction fn;

		if (!name || kr_layer_is_meta(layer))
			continue;
		fn = open_function(layer, name, &chain->dsos[chain->count]);
		if (!fn)
			continue;
		fill_link(link, function, fn, link + 1);
		chain->count++;
	}
	fill_link(&chain->bottom, function, bottom, NULL);
	fill_link(&chain->links[chain->count], function, bottom, &chain->bottom);
	return VK_SUCCESS;
}

void
kr_pre_chain_finish(struct kr_pre_chain *chain)
{
	for (uint32_t i = 0; i < chain->count; i++)
		kr_library_close(chain->dsos[i]);
	kr_free(NULL, chain->links);
	kr_free(NULL, chain->dsos);
	*chain = (struct kr_pre_chain){0};
}

const struct kr_layer_query *
kr_pre_chain_query(const void *link, PFN_vkVoidFunction bottom)
{
	const union kr_pre_link *given = link;
	PFN_vkVoidFunction fn;

	if (!given)
		return NULL;
	memcpy(&fn, &given->version.pfnNextLayer, sizeof(fn));
	if (fn != bottom || given->version.pNextLink)
		return NULL;
	return kr_container_of((union kr_pre_link *)(uintptr_t)given, struct kr_pre_chain, bottom)
		->query;
}
