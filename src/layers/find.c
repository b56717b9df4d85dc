/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers there are: from manifests, as settings, override layer and filters leave them.
 *
 * The override layer is an implicit meta-layer that tools write to rule over all others. There may
 * be one for a program (its app_keys have the program's path) and one for all (without app_keys);
 * the first of the better kind is used.
 */
#include "layers/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layers/android.h"
#include "util/log.h"

/* --- reading --- */

/* Reads the manifests of a kind behind those in the list. `instead`: see kr_search_options. */
static VkResult
read_all(enum kr_manifest_kind kind, const struct kr_names *instead, struct kr_list *list)
{
	struct kr_search_options options = {.instead = instead};
	struct kr_search_list files;
	VkResult result = VK_SUCCESS;

	if (kr_manifest_find(kind, &options, &files))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (size_t i = 0; i < files.count && result == VK_SUCCESS; i++) {
		char *reason = NULL;

		/* What a file lacks has been said; the others may do. */
		if (kr_manifest_layer_read(files.places[i].path, kind == KR_MANIFEST_IMPLICIT_LAYER,
			    list, &reason) == -ENOMEM)
			result = VK_ERROR_OUT_OF_HOST_MEMORY;
		free(reason);
	}
	kr_search_list_finish(&files);
	return result;
}

/* --- the override layer --- */

#define info(...) kr_log(KR_LOG_INFO | KR_LOG_LAYER, __VA_ARGS__)

static bool
read_program(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size);

	if (len <= 0 || (size_t)len >= size)
		return false;
	path[len] = '\0';
	return true;
}

/* The best one, or NULL. */
static const struct kr_manifest_layer *
find_best(const struct kr_list *list, const char *program)
{
	const struct kr_manifest_layer *layer, *global = NULL;

	kr_list_for_each (layer, list, link) {
		if (!layer->override)
			continue;
		if (layer->app_keys.count && kr_names_have(&layer->app_keys, program))
			return layer;
		if (!layer->app_keys.count && !global)
			global = layer;
	}
	return global;
}

/* Leaves at most one override layer in the list: the one for this program, else the global one. */
static void
choose_override(struct kr_list *list)
{
	const struct kr_manifest_layer *best;
	struct kr_manifest_layer *layer, *next;
	char program[PATH_MAX] = "";

	if (!kr_layer_find_name(list, KR_OVERRIDE_LAYER))
		return;
	if (!read_program(program, sizeof(program)))
		program[0] = '\0';
	best = find_best(list, program);
	kr_list_for_each_safe (layer, next, list, link) {
		if (!layer->override || layer == best)
			continue;
		if (layer->app_keys.count && !kr_names_have(&layer->app_keys, program))
			info("%s: this override layer is not used: its app_keys don't name %s",
				layer->path, program);
		else
			info("%s: this override layer is not used: %s goes before it", layer->path,
				best->path);
		kr_manifest_layer_destroy(layer);
	}
	if (best)
		info("%s: the override layer %s%s is used", best->path,
			best->app_keys.count ? "for " : "for all programs",
			best->app_keys.count ? program : "");
}

/* Takes out what the override layer blacklists. */
static void
apply_blacklist(struct kr_list *list, const struct kr_manifest_layer *override)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, list, link) {
		if (layer == override || !kr_names_have(&override->blacklist, layer->name))
			continue;
		kr_log(KR_LOG_INFO | KR_LOG_LAYER,
			"loader_remove_layers_in_blacklist: Override layer is active and layer %s is in the blacklist inside of it. Removing that layer from current layer list. (%s)",
			layer->name, override->path);
		kr_manifest_layer_destroy(layer);
	}
}

/* The override layer of the list, when it is enabled. */
static const struct kr_manifest_layer *
active_override(const struct kr_layer_rules *rules, const struct kr_list *list)
{
	const struct kr_manifest_layer *layer;

	kr_list_for_each (layer, list, link) {
		if (layer->override && layer->control != KR_CONTROL_OFF &&
			kr_layer_implicit_is_enabled(rules, NULL, layer, NULL))
			return layer;
	}
	return NULL;
}

/* --- all together --- */

static bool
has_meta(const struct kr_list *list)
{
	const struct kr_manifest_layer *layer;

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
	const struct kr_manifest_layer *override;
	VkResult result;

	if (rules->settings && !kr_layer_settings_want_others(rules->settings))
		return VK_SUCCESS;
	result = read_all(KR_MANIFEST_IMPLICIT_LAYER, NULL, list);
	if (result != VK_SUCCESS)
		return result;
	choose_override(list);
	/* Components of implicit meta-layers may be explicit ones. */
	if (scope == KR_LAYERS_IMPLICIT && !has_meta(list))
		return VK_SUCCESS;
	override = active_override(rules, list);
	if (override && override->override_paths.count) {
		for (size_t i = 0; i < override->override_paths.count; i++)
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"%s: Override layer has override paths set to %s: explicit layers are looked for there and nowhere else",
				override->path, override->override_paths.items[i]);
		return read_all(KR_MANIFEST_EXPLICIT_LAYER, &override->override_paths, list);
	}
	return read_all(KR_MANIFEST_EXPLICIT_LAYER, NULL, list);
}

/* Takes out layers that are off, or disabled by a filter and not on. */
static void
drop_disabled(const struct kr_layer_rules *rules, struct kr_list *list)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, list, link) {
		if (layer->control == KR_CONTROL_OFF) {
			kr_log(KR_LOG_INFO | KR_LOG_LAYER, "layer %s is off in the settings file",
				layer->name);
		} else if (layer->control == KR_CONTROL_AUTO &&
			kr_layer_is_filtered(rules, layer)) {
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"Layer \"%s\" forced disabled because name matches filter of env var '%s' (%s)",
				layer->name, rules->disable.variable, layer->path);
		} else {
			continue;
		}
		kr_manifest_layer_destroy(layer);
	}
}

/*
 * More aren't what a person has installed: further on, a name that comes twice is listed twice, so
 * that a manifest of megabytes doesn't take minutes.
 */
#define MAX_COMPARED 4096

/*
 * Of layers of one name the first stays: what is behind it couldn't be enabled, and a program that
 * lists layers would show the name twice. What the settings file lists and turns on is meant so.
 */
static void
drop_duplicates(const struct kr_layers *layers)
{
	struct kr_manifest_layer *layer, *next;
	unsigned seen = 0;

	kr_list_for_each_safe (layer, next, &layers->list, link) {
		const struct kr_manifest_layer *first;

		if (++seen > MAX_COMPARED)
			break;
		first = kr_layers_get(layers, layer->name);
		if (first == layer || layer == layers->override ||
			layer->control != KR_CONTROL_AUTO)
			continue;
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			"Removing layer %s (%s) because it is a duplicate of %s (%s)", layer->name,
			layer->path, first->name, first->path);
		kr_manifest_layer_destroy(layer);
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
		apply_blacklist(list, layers->override);
	drop_disabled(rules, list);
	drop_duplicates(layers);
	return VK_SUCCESS;
}
