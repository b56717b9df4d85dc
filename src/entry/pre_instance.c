/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that are called before there is an instance. Implicit layers may take part: the
 * entry point builds their chain (layers/queries.h), at whose bottom is the loader's own answer.
 *
 * Programs ask again and again (vulkaninfo forty times), and each time everything is looked at
 * anew. What is found and what is wrong is told when a question is asked for the first time in this
 * process; vkCreateInstance tells it every time.
 */
#include <stdatomic.h>

#include "entry/entry.h"
#include "gen/trampolines.h"
#include "layers/queries.h"
#include "loader/global.h"
#include "util/enumerate.h"
#include "util/log.h"

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_version(const VkEnumerateInstanceVersionChain *link, uint32_t *version)
{
	return kr_terminator_EnumerateInstanceVersion(version);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_extensions(const VkEnumerateInstanceExtensionPropertiesChain *link, const char *layer,
	uint32_t *count, VkExtensionProperties *properties)
{
	const struct kr_layer_query *query =
		kr_pre_chain_query(link, (PFN_vkVoidFunction)terminator_extensions);

	/*
	 * A layer may have asked for another name than the application, which needs
	 * more than was read.
	 */
	if (query && query->scope <= kr_extensions_scope(layer))
		return kr_extensions_answer(query, layer, count, properties);
	return kr_terminator_EnumerateInstanceExtensionProperties(layer, count, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_layers(const VkEnumerateInstanceLayerPropertiesChain *link, uint32_t *count,
	VkLayerProperties *properties)
{
	const struct kr_layer_query *query =
		kr_pre_chain_query(link, (PFN_vkVoidFunction)terminator_layers);

	return query ? kr_layers_enumerate(&query->layers, count, properties)
		     : kr_terminator_EnumerateInstanceLayerProperties(count, properties);
}

/* A chain and what it was made from. */
struct call {
	struct kr_layer_query query;
	struct kr_pre_chain chain;
	struct kr_log_hold log;
};

/* Whether this is the first time. A question is a function, and which layers it looks at. */
static bool
is_news(enum kr_pre_function function, enum kr_layer_scope scope)
{
	static _Atomic unsigned asked;
	unsigned bit = 1u << (2 * function + (scope == KR_LAYERS_ALL));

	return !(atomic_fetch_or_explicit(&asked, bit, memory_order_relaxed) & bit);
}

static VkResult
begin(struct call *call, enum kr_pre_function function, enum kr_layer_scope scope,
	PFN_vkVoidFunction bottom)
{
	VkResult result;

	if (is_news(function, scope))
		kr_log_hold_begin(&call->log);
	else
		kr_log_mute_begin(&call->log);
	result = kr_layer_query_begin(&call->query, scope);
	if (result != VK_SUCCESS)
		goto err_log;
	result = kr_pre_chain_create(&call->chain, function, &call->query, bottom);
	if (result != VK_SUCCESS)
		goto err_query;
	return VK_SUCCESS;

err_query:
	kr_layer_query_end(&call->query);
err_log:
	kr_log_hold_end(&call->log);
	return result;
}

static void
end(struct call *call)
{
	kr_pre_chain_finish(&call->chain);
	kr_layer_query_end(&call->query);
	kr_log_hold_end(&call->log);
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_entry_EnumerateInstanceVersion(uint32_t *version)
{
	const VkEnumerateInstanceVersionChain *first;
	struct call call;
	VkResult result = begin(
		&call, KR_PRE_VERSION, KR_LAYERS_IMPLICIT, (PFN_vkVoidFunction)terminator_version);

	if (result != VK_SUCCESS)
		return result;
	first = &call.chain.links->version;
	result = first->pfnNextLayer(first->pNextLink, version);
	end(&call);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_entry_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	const VkEnumerateInstanceExtensionPropertiesChain *first;
	struct call call;
	uint32_t room;
	VkResult result = begin(&call, KR_PRE_EXTENSIONS, kr_extensions_scope(layer),
		(PFN_vkVoidFunction)terminator_extensions);

	if (result != VK_SUCCESS)
		return result;
	first = &call.chain.links->extensions;
	room = kr_enumeration_room(properties, count);
	result = first->pfnNextLayer(first->pNextLink, layer, count, properties);
	kr_enumeration_fit(properties, room, count);
	end(&call);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
kr_entry_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
	const VkEnumerateInstanceLayerPropertiesChain *first;
	struct call call;
	uint32_t room;
	VkResult result =
		begin(&call, KR_PRE_LAYERS, KR_LAYERS_ALL, (PFN_vkVoidFunction)terminator_layers);

	if (result != VK_SUCCESS)
		return result;
	first = &call.chain.links->layers;
	room = kr_enumeration_room(properties, count);
	result = first->pfnNextLayer(first->pNextLink, count, properties);
	kr_enumeration_fit(properties, room, count);
	end(&call);
	return result;
}
