/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers section of the settings file. It lists layers in the order of chains, each with its
 * manifest and a control; layers that it doesn't list are used only when it says where they go:
 *
 *   settings:   A on, B off, unordered_layer_location, C auto         found:  X, B, C, Y
 *   list:       A | X, B (off), Y | C
 *               front   others       back
 */
#include "layers/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

bool
kr_layer_settings_want_others(const struct kr_settings *settings)
{
	for (size_t i = 0; i < settings->layer_count; i++) {
		const struct kr_settings_layer *entry = &settings->layers[i];

		if (entry->control == KR_CONTROL_UNORDERED || !entry->path)
			return true;
	}
	return false;
}

static void
move(struct kr_manifest_layer *layer, struct kr_list *to)
{
	kr_list_remove(&layer->link);
	kr_list_append(to, &layer->link);
}

/* Two descriptions of one layer. */
static bool
is_same(const struct kr_manifest_layer *a, const struct kr_manifest_layer *b)
{
	if (strcmp(a->name, b->name))
		return false;
	return kr_layer_is_meta(a) || kr_layer_is_meta(b) ||
		!strcmp(a->library_path, b->library_path);
}

static bool
has_same(const struct kr_list *list, const struct kr_manifest_layer *layer)
{
	const struct kr_manifest_layer *other;

	kr_list_for_each (other, list, link) {
		if (is_same(other, layer))
			return true;
	}
	return false;
}

static void
destroy_all(struct kr_list *list)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, list, link)
		kr_manifest_layer_destroy(layer);
}

/* The three parts of the final list; see the picture above. */
struct parts {
	struct kr_list front, back;
	struct kr_list *others; /* what was found */
	struct kr_list *to;     /* front, then back */
};

static void
take(struct parts *parts, struct kr_manifest_layer *layer, const struct kr_settings_layer *entry)
{
	layer->control = entry->control;
	if (has_same(&parts->front, layer) || has_same(&parts->back, layer)) {
		kr_log(KR_LOG_INFO | KR_LOG_LAYER, "layer %s stands twice in the settings file",
			layer->name);
		kr_manifest_layer_destroy(layer);
		return;
	}
	move(layer, parts->to);
}

/* The layers of the entry's manifest that have its name. */
static VkResult
take_from_file(struct parts *parts, const struct kr_settings_layer *entry)
{
	struct kr_manifest_layer *layer, *next;
	struct kr_list read;
	char *reason = NULL;
	bool found = false;
	int ret;

	kr_list_init(&read);
	ret = kr_manifest_layer_read(entry->path, entry->implicit, &read, &reason);
	free(reason);
	if (ret)
		return ret == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
	kr_list_for_each_safe (layer, next, &read, link) {
		if (strcmp(layer->name, entry->name))
			continue;
		found = true;
		take(parts, layer, entry);
	}
	destroy_all(&read);
	if (!found)
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			"%s has no layer %s, for which the settings file names it", entry->path,
			entry->name);
	return VK_SUCCESS;
}

static void
turn_off(struct kr_list *list, const char *name)
{
	struct kr_manifest_layer *layer;

	kr_list_for_each (layer, list, link) {
		if (!strcmp(layer->name, name))
			layer->control = KR_CONTROL_OFF;
	}
}

static VkResult
take_entry(struct parts *parts, const struct kr_settings_layer *entry)
{
	struct kr_manifest_layer *layer;

	if (entry->control == KR_CONTROL_UNORDERED) {
		parts->to = &parts->back;
		return VK_SUCCESS;
	}
	if (entry->control == KR_CONTROL_OFF)
		turn_off(parts->others, entry->name);
	if (entry->path)
		return take_from_file(parts, entry);
	layer = kr_layer_find_name(parts->others, entry->name);
	if (layer)
		take(parts, layer, entry);
	else if (entry->control == KR_CONTROL_ON)
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			"layer %s, which the settings file names, is not installed", entry->name);
	return VK_SUCCESS;
}

/* Of layers that are listed and found, the listed one stays. */
static void
drop_others(struct parts *parts, bool all)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, parts->others, link) {
		if (all || has_same(&parts->front, layer) || has_same(&parts->back, layer))
			kr_manifest_layer_destroy(layer);
	}
}

static void
join(struct parts *parts)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, parts->others, link)
		move(layer, &parts->front);
	kr_list_for_each_safe (layer, next, &parts->front, link)
		move(layer, parts->others);
	kr_list_for_each_safe (layer, next, &parts->back, link)
		move(layer, parts->others);
}

VkResult
kr_layers_apply_settings(const struct kr_settings *settings, struct kr_list *list)
{
	struct parts parts = {.others = list};
	VkResult result = VK_SUCCESS;

	kr_list_init(&parts.front);
	kr_list_init(&parts.back);
	parts.to = &parts.front;
	for (size_t i = 0; i < settings->layer_count && result == VK_SUCCESS; i++)
		result = take_entry(&parts, &settings->layers[i]);
	/* Without their place in the list, layers that it doesn't name are not used. */
	drop_others(&parts, parts.to == &parts.front);
	join(&parts);
	return result;
}
