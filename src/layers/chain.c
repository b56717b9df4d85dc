/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of one instance: enabled, loaded, kept as long as it. */
#include "layers/internal.h"

#include <string.h>

#include "manifest/layer_extensions.h"
#include "util/alloc.h"
#include "util/library.h"
#include "util/log.h"

/* What becomes of an instance when this layer can't be used. */
static VkResult
do_without(const struct kr_layer_choice *choice, enum kr_layer_open_result why)
{
	kr_log((choice->requested ? KR_LOG_ERROR : KR_LOG_INFO) | KR_LOG_LAYER,
		"Requested layer \"%s\" %s%s", choice->manifest->name,
		why == KR_LAYER_WRONG_CLASS ? "was wrong bit-type" : "failed to load",
		choice->requested ? "!" : ".");
	return choice->requested ? VK_ERROR_LAYER_NOT_PRESENT : VK_SUCCESS;
}

/*
 * Layers are written for a version; a newer application may give them what they don't
 * know. A warning to who asked for the layer; one that the system enables in every program
 * is as old as the system is.
 */
static void
compare_version(const struct kr_layer_choice *choice, uint32_t application)
{
	const struct kr_manifest_layer *layer = choice->manifest;
	bool implicit = choice->cause == KR_LAYER_IMPLICIT && !choice->requested;
	uint32_t major = VK_API_VERSION_MAJOR(layer->api_version);
	uint32_t minor = VK_API_VERSION_MINOR(layer->api_version);
	uint32_t wanted_major = VK_API_VERSION_MAJOR(application);
	uint32_t wanted_minor = VK_API_VERSION_MINOR(application);

	if (major > wanted_major || (major == wanted_major && minor >= wanted_minor))
		return;
	kr_log((implicit ? KR_LOG_INFO : KR_LOG_WARN) | KR_LOG_LAYER,
		"Layer %s uses API version %u.%u, older than the application's %u.%u: it may not know all that is used (%s)",
		layer->name, major, minor, wanted_major, wanted_minor, layer->path);
}

static VkResult
open_all(struct kr_layer_chain *chain, const struct kr_layer_request *request)
{
	VkResult result = VK_SUCCESS;

	for (uint32_t i = 0; i < chain->enabled.count; i++) {
		const struct kr_layer_choice *choice = &chain->enabled.items[i];
		enum kr_layer_open_result opened;

		if (kr_layer_is_meta(choice->manifest))
			continue;
		compare_version(choice, request->api_version);
		opened = kr_layer_open(&chain->layers[chain->count], choice);
		if (opened == KR_LAYER_OPENED)
			chain->count++;
		else if (do_without(choice, opened) != VK_SUCCESS)
			result = VK_ERROR_LAYER_NOT_PRESENT;
	}
	return result;
}

/* All there is; `from` is empty then. */
static void
move_layers(struct kr_layers *to, struct kr_layers *from)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_init(&to->list);
	kr_list_for_each_safe (layer, next, &from->list, link) {
		kr_list_remove(&layer->link);
		kr_list_append(&to->list, &layer->link);
	}
	to->override = from->override;
}

/* Takes over both, also on failure. */
static VkResult
create(struct kr_layers *take_layers, struct kr_layer_selection *take_enabled,
	const struct kr_layer_request *request, const VkAllocationCallbacks *allocator,
	struct kr_layer_chain **out)
{
	struct kr_layer_chain *chain = kr_zalloc(allocator,
		sizeof(*chain) + take_enabled->count * sizeof(chain->layers[0]),
		VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	VkResult result;

	if (!chain) {
		kr_layer_selection_finish(take_enabled, allocator);
		kr_layers_finish(take_layers);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	move_layers(&chain->all, take_layers);
	chain->enabled = *take_enabled;
	result = open_all(chain, request);
	if (result != VK_SUCCESS || !chain->count) {
		kr_layer_chain_destroy(chain, allocator);
		chain = NULL;
	}
	if (result == VK_SUCCESS)
		*out = chain;
	return result;
}

VkResult
kr_layer_chain_create(const struct kr_settings *settings, const struct kr_layer_request *request,
	const VkAllocationCallbacks *allocator, struct kr_layer_chain **out)
{
	struct kr_layer_selection enabled;
	struct kr_layer_rules rules;
	struct kr_layers layers;
	VkResult result;

	kr_layer_rules_read(&rules, settings);
	/* Libraries are opened to be asked: not when nobody asked for one. */
	result = kr_layers_find(&rules,
		rules.by_library && !request->count ? KR_LAYERS_IMPLICIT : KR_LAYERS_ALL, &layers);
	if (result != VK_SUCCESS)
		return result;
	result = kr_layers_select(&layers, &rules, request, allocator, &enabled);
	if (result != VK_SUCCESS) {
		kr_layers_finish(&layers);
		return result;
	}
	if (enabled.count)
		return create(&layers, &enabled, request, allocator, out);
	kr_layer_selection_finish(&enabled, allocator);
	kr_layers_finish(&layers);
	*out = NULL;
	return VK_SUCCESS;
}

void
kr_layer_chain_destroy(struct kr_layer_chain *chain, const VkAllocationCallbacks *allocator)
{
	if (!chain)
		return;
	while (chain->count) {
		const struct kr_layer *layer = &chain->layers[--chain->count];

		kr_log(KR_LOG_DEBUG | KR_LOG_LAYER, "Unloading layer library %s",
			layer->choice.manifest->library_path);
		kr_library_close(layer->dso);
	}
	kr_layer_selection_finish(&chain->enabled, allocator);
	kr_layers_finish(&chain->all);
	kr_free(allocator, chain);
}

bool
kr_layer_chain_has_instance_extension(const struct kr_layer_chain *chain, const char *name)
{
	for (uint32_t i = 0; chain && i < chain->enabled.count; i++) {
		if (kr_manifest_extensions_have(
			    &chain->enabled.items[i].manifest->instance_extensions, name))
			return true;
	}
	return false;
}

bool
kr_layer_chain_has_device_extension(const struct kr_layer_chain *chain, const char *name)
{
	for (uint32_t i = 0; chain && i < chain->enabled.count; i++) {
		if (kr_manifest_extensions_have(
			    &chain->enabled.items[i].manifest->device_extensions, name))
			return true;
	}
	return false;
}
