/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers are enabled, and in which order: implicit ones, those of the environment, those of
 * the application, each once. An implicit layer that VK_INSTANCE_LAYERS names has its place
 * there. A settings file with layers orders them itself; then each layer of its list is asked for
 * every cause there may be.
 */
#include "layers/internal.h"

#include <stdio.h>
#include <string.h>

#include "layers/android.h"
#include "util/alloc.h"
#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

#define INSTANCE_LAYERS "VK_INSTANCE_LAYERS"

/* What the mark of a meta-layer says while a selection is made. */
enum mark {
	UNSEEN,
	ADDING, /* its components */
	ADDED,
	INCOMPLETE,
};

/* A selection that is being made. */
struct select {
	const struct kr_layers *layers;
	const struct kr_layer_rules *rules;
	struct kr_layer_selection *selection; /* room for all layers */
};

/* By name; but the settings file may list several layers of one name. */
static bool
has(const struct select *select, const struct kr_manifest_layer *layer)
{
	for (uint32_t i = 0; i < select->selection->count; i++) {
		const struct kr_manifest_layer *other = select->selection->items[i].manifest;

		if (other == layer ||
			(layer->control != KR_CONTROL_ON && !strcmp(other->name, layer->name)))
			return true;
	}
	return false;
}

static void
append(struct select *select, const struct kr_manifest_layer *layer, enum kr_layer_cause cause)
{
	struct kr_layer_selection *selection = select->selection;

	if (!has(select, layer))
		selection->items[selection->count++] =
			(struct kr_layer_choice){.manifest = layer, .cause = cause};
}

static bool
implicit_is_enabled(const struct select *select, const struct kr_manifest_layer *layer)
{
	bool forced;

	if (!kr_layer_implicit_is_enabled(select->rules, select->layers->override, layer, &forced))
		return false;
	if (forced && !has(select, layer))
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			"Implicit layer \"%s\" forced enabled due to env var '%s'", layer->name,
			select->rules->enable.variable);
	return true;
}

/* Whether the colon list has the name. */
static bool
names(const char *list, const char *name)
{
	const char *item;
	size_t len;

	while (kr_list_next(&list, ':', &item, &len)) {
		if (strlen(name) == len && !strncmp(name, item, len))
			return true;
	}
	return false;
}

static bool add(struct select *select, struct kr_manifest_layer *layer, enum kr_layer_cause cause);

/* True when all components that may be used were added. */
static bool
add_components(struct select *select, const struct kr_manifest_layer *meta)
{
	bool all = true;

	for (size_t i = 0; i < meta->components.count; i++) {
		const char *name = meta->components.items[i];
		struct kr_manifest_layer *component =
			kr_layer_find_name(&select->layers->list, name);

		if (!component) {
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"meta-layer %s is used without its component layer %s, which is disabled",
				meta->name, name);
			all = false;
		} else if (!component->implicit || implicit_is_enabled(select, component)) {
			all &= add(select, component, KR_LAYER_BY_META);
		}
	}
	return all;
}

/*
 * Looks at the components of each meta-layer once, however many contain it. One that is met
 * among its own components, which only the loss of another layer of its name can bring
 * about, lacks a component.
 */
static bool
is_complete(struct select *select, struct kr_manifest_layer *meta)
{
	if (meta->mark == UNSEEN) {
		meta->mark = ADDING;
		meta->mark = add_components(select, meta) ? ADDED : INCOMPLETE;
	}
	return meta->mark == ADDED;
}

/* False for a meta-layer that lacks a component. */
static bool
add(struct select *select, struct kr_manifest_layer *layer, enum kr_layer_cause cause)
{
	if (kr_layer_is_meta(layer) && !is_complete(select, layer))
		return false;
	append(select, layer, cause);
	return true;
}

/* VK_INSTANCE_LAYERS, where layers have manifests. */
static const char *
named_by_variable(const struct kr_layer_rules *rules)
{
	return rules->by_library ? NULL : kr_env_get(INSTANCE_LAYERS);
}

/* `variable`: a list of names whose places are chosen by it, or NULL. */
static void
add_implicit(struct select *select, const char *variable)
{
	struct kr_manifest_layer *layer;

	kr_list_for_each (layer, &select->layers->list, link) {
		if (layer->implicit && !names(variable, layer->name) &&
			implicit_is_enabled(select, layer))
			add(select, layer, KR_LAYER_IMPLICIT);
	}
}

/* A name that isn't there is told, and no failure. */
static void
add_variable(struct select *select)
{
	const char *list = named_by_variable(select->rules), *item;
	size_t len;

	while (kr_list_next(&list, ':', &item, &len)) {
		struct kr_manifest_layer *layer = NULL;
		char name[VK_MAX_EXTENSION_NAME_SIZE]; /* no layer's name is longer */

		if (len < sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", (int)len, item);
			layer = kr_layer_find_name(&select->layers->list, name);
		}
		if (layer)
			add(select, layer, KR_LAYER_BY_VARIABLE);
		else
			kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
				"Layer \"%.*s\" was not found but was requested by env var " INSTANCE_LAYERS
				"!",
				(int)len, item);
	}
}

static void
force(struct select *select, struct kr_manifest_layer *layer)
{
	if (has(select, layer))
		return;
	kr_log(KR_LOG_WARN | KR_LOG_LAYER, "Layer \"%s\" forced enabled due to env var '%s'",
		layer->name, select->rules->enable.variable);
	add(select, layer, KR_LAYER_BY_FILTER);
}

/* Explicit layers that VK_LOADER_LAYERS_ENABLE names. */
static void
add_filtered(struct select *select)
{
	struct kr_manifest_layer *layer;

	kr_list_for_each (layer, &select->layers->list, link) {
		if (!layer->implicit && kr_filters_match(&select->rules->enable, layer->name))
			force(select, layer);
	}
}

static bool
request_names(const struct kr_layer_request *request, const char *name)
{
	for (uint32_t i = 0; i < request->count; i++) {
		if (!strcmp(request->names[i], name))
			return true;
	}
	return false;
}

/* One layer of a list that the settings file orders. */
static void
add_in_place(struct select *select, struct kr_manifest_layer *layer,
	const struct kr_layer_request *request)
{
	if (layer->control == KR_CONTROL_ON)
		add(select, layer, KR_LAYER_BY_SETTINGS);
	else if (!layer->implicit && kr_filters_match(&select->rules->enable, layer->name))
		force(select, layer);
	else if (names(named_by_variable(select->rules), layer->name))
		add(select, layer, KR_LAYER_BY_VARIABLE);
	else if (request_names(request, layer->name))
		add(select, layer, KR_LAYER_BY_APPLICATION);
	else if (layer->implicit && implicit_is_enabled(select, layer))
		add(select, layer, KR_LAYER_IMPLICIT);
}

/* All that the request names must be there. */
static VkResult
check_request(const struct kr_layers *layers, const struct kr_layer_request *request)
{
	if (request->count && !request->names) {
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
			"vkCreateInstance: enabledLayerCount is %u and ppEnabledLayerNames NULL",
			request->count);
		return VK_ERROR_LAYER_NOT_PRESENT;
	}
	for (uint32_t i = 0; i < request->count; i++) {
		const char *name = request->names[i];

		if (name && kr_layers_get(layers, name))
			continue;
		kr_log(KR_LOG_ERROR | KR_LOG_LAYER,
			"vkCreateInstance: layer %.255s, which the application enables, is not installed, disabled, or unusable",
			name ? name : "NULL");
		return VK_ERROR_LAYER_NOT_PRESENT;
	}
	return VK_SUCCESS;
}

static VkResult
begin(struct select *select, const VkAllocationCallbacks *allocator, VkSystemAllocationScope scope)
{
	struct kr_manifest_layer *layer;
	size_t count = 0;

	kr_list_for_each (layer, &select->layers->list, link) {
		layer->mark = UNSEEN;
		count++;
	}
	*select->selection = (struct kr_layer_selection){0};
	if (!count)
		return VK_SUCCESS;
	select->selection->items =
		kr_zalloc_array(allocator, count, sizeof(struct kr_layer_choice), scope);
	return select->selection->items ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void
mark_requested(struct kr_layer_selection *selection, const struct kr_layer_request *request)
{
	for (uint32_t i = 0; i < selection->count; i++) {
		struct kr_layer_choice *choice = &selection->items[i];

		choice->requested = request_names(request, choice->manifest->name);
	}
}

VkResult
kr_layers_select(const struct kr_layers *layers, const struct kr_layer_rules *rules,
	const struct kr_layer_request *request, const VkAllocationCallbacks *allocator,
	struct kr_layer_selection *selection)
{
	struct select select = {layers, rules, selection};
	struct kr_manifest_layer *layer;
	VkResult result = check_request(layers, request);

	if (result == VK_SUCCESS && rules->by_library)
		result = kr_layers_check_properties(layers);
	if (result == VK_SUCCESS)
		result = begin(&select, allocator, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
	if (result != VK_SUCCESS)
		return result;
	if (named_by_variable(rules))
		kr_log(KR_LOG_WARN | KR_LOG_LAYER,
			rules->settings
				? "env var '" INSTANCE_LAYERS "' defined and adding layers: %s"
				: "env var '" INSTANCE_LAYERS "' defined and adding layers \"%s\"",
			named_by_variable(rules));
	if (rules->settings) {
		kr_list_for_each (layer, &layers->list, link)
			add_in_place(&select, layer, request);
	} else {
		add_implicit(&select, named_by_variable(rules));
		add_variable(&select);
		add_filtered(&select);
		for (uint32_t i = 0; i < request->count; i++)
			add(&select, kr_layer_find_name(&layers->list, request->names[i]),
				KR_LAYER_BY_APPLICATION);
	}
	mark_requested(selection, request);
	return VK_SUCCESS;
}

VkResult
kr_layers_select_implicit(const struct kr_layers *layers, const struct kr_layer_rules *rules,
	struct kr_layer_selection *selection)
{
	struct select select = {layers, rules, selection};
	VkResult result = begin(&select, NULL, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);

	if (result == VK_SUCCESS)
		add_implicit(&select, NULL);
	return result;
}

void
kr_layer_selection_finish(
	struct kr_layer_selection *selection, const VkAllocationCallbacks *allocator)
{
	kr_free(allocator, selection->items);
	*selection = (struct kr_layer_selection){0};
}
