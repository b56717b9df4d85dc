/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about layers before there is an instance, and the chains by which implicit
 * layers take part in vkEnumerateInstance{Version,ExtensionProperties,LayerProperties}.
 * Settings and manifests are read once in a call; the bottom of a chain finds them again
 * through the link that it is called with.
 *
 * Thread-safety: no shared state.
 */
#ifndef KR_LAYERS_QUERIES_H
#define KR_LAYERS_QUERIES_H

#include "layers/layers.h"

struct kr_layer_query {
	enum kr_layer_scope scope;
	struct kr_settings settings;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	struct kr_layer_selection implicit; /* enabled without being asked for */
};

VkResult kr_layer_query_begin(struct kr_layer_query *query, enum kr_layer_scope scope)
	KR_MUST_CHECK;
void kr_layer_query_end(struct kr_layer_query *query);

/* vkEnumerateInstanceLayerProperties without its chain; vkEnumerateDeviceLayerProperties. */
VkResult kr_layers_enumerate(
	const struct kr_layers *layers, uint32_t *count, VkLayerProperties *properties);
VkResult kr_layer_chain_enumerate(
	const struct kr_layer_chain *chain, uint32_t *count, VkLayerProperties *properties);

/* The instance or the device extensions of a manifest. */
VkResult kr_layer_extensions_enumerate(const struct kr_manifest_extensions *extensions,
	uint32_t *count, VkExtensionProperties *properties);
/* The device extensions of a layer that is installed; VK_ERROR_LAYER_NOT_PRESENT when it isn't. */
VkResult kr_layer_device_extensions_enumerate(
	const char *layer, uint32_t *count, VkExtensionProperties *properties);

/* Extensions put together from several sources, each once. */
struct kr_layer_extension_union {
	VkExtensionProperties *items; /* NULL: count only */
	uint32_t room;
	uint32_t count; /* so far; may be more than there is room for */
};

/*
 * Adds the extensions of the implicit layers in a selection that `known` hasn't: with layer
 * extensions of devices (`devices`) or of instances.
 */
void kr_layer_extensions_add(const struct kr_layer_selection *selection, bool devices,
	const VkExtensionProperties *known, uint32_t known_count,
	struct kr_layer_extension_union *extensions);

/* One link, of any of the three functions: they differ in the type of a pointer. */
union kr_pre_link {
	VkEnumerateInstanceVersionChain version;
	VkEnumerateInstanceExtensionPropertiesChain extensions;
	VkEnumerateInstanceLayerPropertiesChain layers;
};

enum kr_pre_function {
	KR_PRE_VERSION,
	KR_PRE_EXTENSIONS,
	KR_PRE_LAYERS,
};

struct kr_pre_chain {
	union kr_pre_link *links; /* the first is to be called */
	void **dsos;
	uint32_t count; /* of layers in it */
	union kr_pre_link bottom;
	const struct kr_layer_query *query;
};

/* `bottom` is called last, with a link of the chain that kr_pre_chain_query knows. */
VkResult kr_pre_chain_create(struct kr_pre_chain *chain, enum kr_pre_function function,
	const struct kr_layer_query *query, PFN_vkVoidFunction bottom) KR_MUST_CHECK;
void kr_pre_chain_finish(struct kr_pre_chain *chain);
/* The query of the chain with this bottom link; NULL when a layer made up another one. */
const struct kr_layer_query *kr_pre_chain_query(const void *link, PFN_vkVoidFunction bottom);

#endif
