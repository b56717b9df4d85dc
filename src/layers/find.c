/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers there are: from manifests, as settings, override layer and filters leave them. */
#include "layers/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layers/android.h"
#include "util/log.h"

struct kr_layer_manifest *
kr_layer_find_name(const struct kr_list *list, const char *name)
{
	struct kr_layer_manifest *layer;

	kr_list_for_each (layer, list, link) {
		if (!strcmp(layer->name, name))
			return layer;
	}
	return NULL;
}

const struct kr_layer_manifest *
kr_layers_get(const struct kr_layers *layers, const char *name)
{
	return kr_layer_find_name(&layers->list, name);
}

VkResult
kr_layers_read(enum kr_manifest_kind kind, const struct kr_names *instead, struct kr_list *list)
{
	struct kr_search_options options = {.instead = instead};
	struct kr_search_list files;
	VkResult result = VK_SUCCESS;

	if (kr_manifest_find(kind, &options, &files))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (size_t i = 0; i < files.count && result == VK_SUCCESS; i++) {
		char *reason = NULL;

		/* What a file lacks has been said; the others may do. */
		if (kr_layer_manifest_read(files.places[i].path, kind == KR_MANIFEST_IMPLICIT_LAYER,
			    list, &reason) == -ENOMEM)
			result = VK_ERROR_OUT_OF_HOST_MEMORY;
		free(reason);
	}
	kr_search_list_finish(&files);
	return result;
}

/* The override layer of the list, when it is enabled. */
static const struct kr_layer_manifest *
active_override(const struct kr_layer_rules *rules, const struct kr_list *list)
{
	const struct kr_layer_manifest *layer;

	kr_list_for_each (layer, list, link) {
		if (layer->override && layer->control != KR_CONTROL_OFF &&
			kr_layer_implicit_is_enabled(rules, NULL, layer, NULL))
			return layer;
	}
	return NULL;
}

static bool
has_meta(const struct kr_list *list)
{
	const struct kr_layer_manifest *layer;

	kr_list_for_each (layer, list, link) {
		if (kr_layer_is_meta(layer))
			return true;
	}
	return false;
}

/* All manifests that the rules let look for. */
static VkResult
discover(const struct kr_layer_rules *rules, enum kr_layer_scope scope, struct kr_list *list)
{
	const struct kr_layer_manifest *override;
	VkResult result;

	if (rules->settings && !kr_settings_want_others(rules->settings))
		return VK_SUCCESS;
	result = kr_layers_read(KR_MANIFEST_IMPLICIT_LAYER, NULL, list);
	if (result != VK_SUCCESS)
		return result;
	kr_layers_choose_override(list);
	/* Components of implicit meta-layers may be explicit ones. */
	if (scope == KR_LAYERS_IMPLICIT && !has_meta(list))
		return VK_SUCCESS;
	override = active_override(rules, list);
	if (override && override->override_paths.count) {
		for (size_t i = 0; i < override->override_paths.count; i++)
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"%s: Override layer has override paths set to %s: explicit layers "
				"are looked for there and nowhere else",
				override->path, override->override_paths.items[i]);
		return kr_layers_read(KR_MANIFEST_EXPLICIT_LAYER, &override->override_paths, list);
	}
	return kr_layers_read(KR_MANIFEST_EXPLICIT_LAYER, NULL, list);
}

/* Takes out layers that are off, or disabled by a filter and not on. */
static void
drop_disabled(const struct kr_layer_rules *rules, struct kr_list *list)
{
	struct kr_layer_manifest *layer, *next;

	kr_list_for_each_safe (layer, next, list, link) {
		if (layer->control == KR_CONTROL_OFF) {
			kr_log(KR_LOG_INFO | KR_LOG_LAYER, "layer %s is off in the settings file",
				layer->name);
		} else if (layer->control == KR_CONTROL_AUTO &&
			kr_layer_is_filtered(rules, layer)) {
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"Layer \"%s\" forced disabled because name matches filter of env "
				"var '%s' (%s)",
				layer->name, rules->disable.variable, layer->path);
		} else {
			continue;
		}
		kr_layer_manifest_destroy(layer);
	}
}

/*
 * More aren't what a person has installed: further on, a name that comes twice is listed twice, so that a manifest
 * of megabytes doesn't take minutes.
 */
#define MAX_COMPARED 4096

/*
 * Of layers of one name the first stays: what is behind it couldn't be enabled, and a program that lists layers
 * would show the name twice. What the settings file lists and turns on is meant so.
 */
static void
drop_duplicates(const struct kr_layers *layers)
{
	struct kr_layer_manifest *layer, *next;
	unsigned seen = 0;

	kr_list_for_each_safe (layer, next, &layers->list, link) {
		const struct kr_layer_manifest *first;

		if (++seen > MAX_COMPARED)
			break;
		first = kr_layers_get(layers, layer->name);
		if (first == layer || layer == layers->override ||
			layer->control != KR_CONTROL_AUTO)
			continue;
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			"Removing layer %s (%s) because it is a duplicate of %s (%s)", layer->name,
			layer->path, first->name, first->path);
		kr_layer_manifest_destroy(layer);
	}
}

VkResult
kr_layers_find(
	const struct kr_layer_rules *rules, enum kr_layer_scope scope, struct kr_layers *layers)
{
	struct kr_list *list = &layers->list;
	VkResult result;

	if (rules->by_library)
		return kr_layers_find_libraries(scope, layers);
	kr_list_init(list);
	layers->override = NULL;
	result = discover(rules, scope, list);
	if (result == VK_SUCCESS && rules->settings)
		result = kr_layers_apply_settings(rules->settings, list);
	if (result == VK_SUCCESS)
		result = kr_layers_check_meta(list);
	if (result != VK_SUCCESS) {
		kr_layers_finish(layers);
		return result;
	}
	layers->override = active_override(rules, list);
	if (layers->override)
		kr_layers_apply_blacklist(list, layers->override);
	drop_disabled(rules, list);
	drop_duplicates(layers);
	return VK_SUCCESS;
}

void
kr_layers_move(struct kr_layers *to, struct kr_layers *from)
{
	struct kr_layer_manifest *layer, *next;

	kr_list_init(&to->list);
	kr_list_for_each_safe (layer, next, &from->list, link) {
		kr_list_remove(&layer->link);
		kr_list_append(&to->list, &layer->link);
	}
	to->override = from->override;
}

void
kr_layers_finish(struct kr_layers *layers)
{
	struct kr_layer_manifest *layer, *next;

	kr_list_for_each_safe (layer, next, &layers->list, link)
		kr_layer_manifest_destroy(layer);
}

void
kr_layer_properties(const struct kr_layer_manifest *layer, VkLayerProperties *properties)
{
	*properties = (VkLayerProperties){
		.specVersion = layer->api_version,
		.implementationVersion = layer->implementation_version,
	};
	memcpy(properties->layerName, layer->name, sizeof(properties->layerName));
	memcpy(properties->description, layer->description, sizeof(properties->description));
}
