/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The override layer: an implicit meta-layer that tools write to rule over all others. There may be one for
 * a program (its app_keys have the program's path) and one for all (without app_keys); the first of the
 * better kind is used.
 */
#include "layers/internal.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"

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
static const struct kr_layer_manifest *
find_best(const struct kr_list *list, const char *program)
{
	const struct kr_layer_manifest *layer, *global = NULL;

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

void
kr_layers_choose_override(struct kr_list *list)
{
	const struct kr_layer_manifest *best;
	struct kr_layer_manifest *layer, *next;
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
		kr_layer_manifest_destroy(layer);
	}
	if (best)
		info("%s: the override layer %s%s is used", best->path,
			best->app_keys.count ? "for " : "for all programs",
			best->app_keys.count ? program : "");
}

void
kr_layers_apply_blacklist(struct kr_list *list, const struct kr_layer_manifest *override)
{
	struct kr_layer_manifest *layer, *next;

	kr_list_for_each_safe (layer, next, list, link) {
		if (layer == override || !kr_names_have(&override->blacklist, layer->name))
			continue;
		kr_log(KR_LOG_INFO | KR_LOG_LAYER,
			"loader_remove_layers_in_blacklist: Override layer is active and layer %s "
			"is in the blacklist inside of it. Removing that layer from current layer "
			"list. (%s)",
			layer->name, override->path);
		kr_layer_manifest_destroy(layer);
	}
}
