/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers: every manifest is read here once more, beside what the loader's own rules leave of all
 * (kr_layers_find) and enable for a program that names none (kr_layers_select); what is
 * different is then explained.
 */
#include "tools/explain/entries.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layers/layers.h"
#include "manifest/elf_file.h"
#include "manifest/paths.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "util/env.h"
#include "util/library.h"
#include "util/text.h"

struct explain {
	struct kr_settings settings;
	struct kr_layer_rules rules;
	struct kr_layers layers;             /* that there are */
	struct kr_layer_selection selection; /* that are enabled */
	json_t *array;
	char *program; /* krafla-probe, or NULL */
};

/*
 * What is told of a layer or manifest; `why` and `advice` are new strings, the second may be NULL.
 */
struct finding {
	const char *verdict;
	bool used;
	char *why, *advice;
};

static struct finding
find(const char *verdict, bool used, char *take_why, char *take_advice)
{
	return (struct finding){verdict, used, take_why, take_advice};
}

static void
add(const struct explain *explain, const struct kr_search_place *place,
	const struct kr_manifest_layer *layer, bool implicit, struct finding finding)
{
	json_array_append_new(explain->array,
		json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:s, s:o, s:o}", "kind", "layer",
			"source", implicit ? "implicit" : "explicit", "name",
			kr_tool_json_text(layer ? layer->name : NULL), "path",
			kr_tool_json_text(place->path), "library",
			kr_tool_json_text(layer ? layer->library_path : NULL), "named_by",
			kr_tool_json_text(place->variable), "used", (int)finding.used, "verdict",
			finding.verdict, "reason", kr_tool_json_text(finding.why), "advice",
			kr_tool_json_text(finding.advice)));
	free(finding.why);
	free(finding.advice);
}

static const struct kr_layer_choice *
find_choice(const struct explain *explain, const struct kr_manifest_layer *layer)
{
	for (uint32_t i = 0; i < explain->selection.count; i++) {
		const struct kr_layer_choice *choice = &explain->selection.items[i];

		if (!strcmp(choice->manifest->name, layer->name) &&
			!strcmp(choice->manifest->path, layer->path))
			return choice;
	}
	return NULL;
}

static const char *
cause_name(enum kr_layer_cause cause)
{
	switch (cause) {
	case KR_LAYER_IMPLICIT:
		return "implicit: enabled for every program";
	case KR_LAYER_BY_VARIABLE:
		return "named by VK_INSTANCE_LAYERS";
	case KR_LAYER_BY_FILTER:
		return "enabled by VK_LOADER_LAYERS_ENABLE";
	case KR_LAYER_BY_META:
		return "a part of a meta-layer that is enabled";
	case KR_LAYER_BY_SETTINGS:
		return "on in the settings file";
	case KR_LAYER_BY_APPLICATION:
		break;
	}
	return "enabled";
}

/*
 * Why the layer's library can't be opened, or NULL: a new string. It is opened by krafla-probe
 * first, as its constructor may crash, then here for the dynamic linker's sentence, and stays open.
 */
static char *
test_library(const struct explain *explain, const char *path)
{
	struct kr_probe_result probe;
	char *why = NULL;
	const char *error;

	if (explain->program &&
		!kr_probe_run(explain->program, path, KR_PROBE_OPEN, KR_PROBE_TIMEOUT_MS, &probe) &&
		probe.outcome != KR_PROBE_WORKS)
		return kr_asprintf("its probe ended with %s", probe.text);
	if (strchr(path, '/') && kr_elf_check(path, &why)) {
		char *sentence = kr_asprintf("%s can't be used: %s", path, why ? why : "?");

		free(why);
		return sentence;
	}
	if (kr_library_load(path, RTLD_LAZY | RTLD_LOCAL, &error))
		return NULL;
	return kr_asprintf("%s", error);
}

static struct finding
explain_enabled(const struct explain *explain, const struct kr_manifest_layer *layer,
	const struct kr_layer_choice *choice)
{
	char *broken = layer->library_path ? test_library(explain, layer->library_path) : NULL;
	struct finding finding;

	if (!broken)
		return find("used", true, kr_asprintf("%s", cause_name(choice->cause)), NULL);
	finding = find("unloadable", false,
		kr_asprintf("%s, but its library fails: %s", cause_name(choice->cause), broken),
		kr_explain_library_advice(layer->library_path, layer->path, broken));
	free(broken);
	return finding;
}

/* An implicit layer that is there and isn't enabled. */
static struct finding
explain_implicit(const struct kr_manifest_layer *layer)
{
	const struct kr_manifest_environment *enable = &layer->enable_environment;
	const struct kr_manifest_environment *disable = &layer->disable_environment;

	if (disable->name && kr_env_get_raw(disable->name))
		return find("disabled", false,
			kr_asprintf("%s is set, which disables it", disable->name),
			kr_asprintf("unset %s", disable->name));
	if (enable->name)
		return find("not enabled", false,
			kr_asprintf("an implicit layer that waits for %s=%s", enable->name,
				enable->value),
			kr_asprintf("set %s=%s", enable->name, enable->value));
	return find(
		"not enabled", false, kr_asprintf("an implicit layer that isn't enabled"), NULL);
}

/* One that the loader has taken out of the list. */
static struct finding
explain_gone(const struct explain *explain, const struct kr_manifest_layer *layer)
{
	const struct kr_manifest_layer *other = kr_layers_get(&explain->layers, layer->name);

	if (kr_layer_is_filtered(&explain->rules, layer))
		return find("disabled", false, kr_asprintf("VK_LOADER_LAYERS_DISABLE disables it"),
			kr_asprintf(
				"unset VK_LOADER_LAYERS_DISABLE, or name it in VK_LOADER_LAYERS_ALLOW=%s",
				layer->name));
	if (explain->rules.settings)
		return find("disabled", false,
			kr_asprintf("the settings file %s leaves it out",
				explain->rules.settings->path),
			kr_asprintf("change or remove that file"));
	if (other)
		return find("duplicate", false,
			kr_asprintf("a layer of this name is found before it: %s", other->path),
			kr_asprintf("nothing; one of the manifests could be removed"));
	if (explain->layers.override)
		return find("disabled", false,
			kr_asprintf("the override layer %s leaves it out",
				explain->layers.override->path),
			kr_asprintf(
				"remove that file, or change it with the tool that wrote it (vkconfig)"));
	return find("unusable", false,
		kr_asprintf(layer->library_path ? "the loader takes it for unusable"
						: "a meta-layer that lacks one of its layers"),
		kr_asprintf("VK_LOADER_DEBUG=layer,warn shows what is wrong with it"));
}

static bool
is_left(const struct explain *explain, const struct kr_manifest_layer *layer)
{
	const struct kr_manifest_layer *other;

	kr_list_for_each (other, &explain->layers.list, link) {
		if (!strcmp(other->name, layer->name))
			return !strcmp(other->path, layer->path);
	}
	return false;
}

static struct finding
explain_layer(const struct explain *explain, const struct kr_manifest_layer *layer)
{
	const struct kr_layer_choice *choice = find_choice(explain, layer);

	if (choice)
		return explain_enabled(explain, layer, choice);
	if (!is_left(explain, layer))
		return explain_gone(explain, layer);
	if (layer->implicit)
		return explain_implicit(layer);
	return find("available", false,
		kr_asprintf("an explicit layer: used by programs that ask for it"),
		kr_asprintf("VK_INSTANCE_LAYERS=%s uses it with any program", layer->name));
}

static struct finding
explain_unread(const struct kr_search_place *place, int error, char *take_reason)
{
	if (error == -EINVAL || error == -EFBIG)
		return find("bad manifest", false, take_reason,
			kr_asprintf(
				"repair or remove %s, or install its package again", place->path));
	if (error == -ELIBBAD)
		return find("wrong architecture", false, take_reason,
			kr_asprintf("nothing, if there is a manifest for this word size too"));
	return find("unreadable", false, take_reason,
		error == -ENOENT && place->variable
			? kr_asprintf("correct %s, which names this file", place->variable)
			: kr_asprintf("make %s readable for this user", place->path));
}

static void
explain_file(const struct explain *explain, const struct kr_search_place *place, bool implicit)
{
	struct kr_manifest_layer *layer, *next;
	struct kr_list list;
	char *reason = NULL;
	int ret;

	kr_list_init(&list);
	ret = kr_manifest_layer_read(place->path, implicit, &list, &reason);
	if (ret || reason)
		add(explain, place, NULL, implicit,
			explain_unread(place, ret ? ret : -EINVAL, reason));
	kr_list_for_each_safe (layer, next, &list, link) {
		add(explain, place, layer, implicit, explain_layer(explain, layer));
		kr_manifest_layer_destroy(layer);
	}
}

static void
explain_kind(const struct explain *explain, enum kr_manifest_kind kind)
{
	struct kr_search_list files;

	if (kr_manifest_find(kind, NULL, &files))
		return;
	for (size_t i = 0; i < files.count; i++)
		explain_file(explain, &files.places[i], kind == KR_MANIFEST_IMPLICIT_LAYER);
	kr_search_list_finish(&files);
}

/* Layers without manifests, as they have described themselves. */
static void
explain_libraries(const struct explain *explain)
{
	const struct kr_manifest_layer *layer;

	kr_list_for_each (layer, &explain->layers.list, link) {
		struct kr_search_place place = {.path = layer->path};

		add(explain, &place, layer, layer->implicit,
			layer->implicit
				? find("used", true,
					  kr_asprintf("a property debug.vulkan.layer* names it"),
					  NULL)
				: find("available", false,
					  kr_asprintf("used by programs that ask for it"),
					  kr_asprintf(
						  "the property debug.vulkan.layers=%s uses it with any program",
						  layer->name)));
	}
}

json_t *
kr_explain_layers(void)
{
	const struct kr_layer_request none = {.api_version = VK_API_VERSION_1_0};
	struct explain explain = {.array = json_array()};

	if (kr_settings_read(NULL, &explain.settings))
		return explain.array;
	explain.program = kr_find_installed_probe();
	kr_layer_rules_read(&explain.rules, &explain.settings);
	if (kr_layers_find(&explain.rules, KR_LAYERS_ALL, &explain.layers) == VK_SUCCESS) {
		if (explain.rules.by_library) {
			explain_libraries(&explain);
		} else if (kr_layers_select(&explain.layers, &explain.rules, &none, NULL,
				   &explain.selection) == VK_SUCCESS) {
			explain_kind(&explain, KR_MANIFEST_IMPLICIT_LAYER);
			explain_kind(&explain, KR_MANIFEST_EXPLICIT_LAYER);
			kr_layer_selection_finish(&explain.selection, NULL);
		}
		kr_layers_finish(&explain.layers);
	}
	kr_settings_finish(&explain.settings);
	free(explain.program);
	return explain.array;
}
