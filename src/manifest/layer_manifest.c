/* SPDX-License-Identifier: Apache-2.0 */
/* Layer manifests: {"file_format_version", "layer": {...}} or {..., "layers": [{...}, ...]}. */
#include "manifest/layer_manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/document.h"
#include "manifest/layer_object.h"
#include "util/json.h"
#include "util/log.h"
#include "util/text.h"

/* From here on several layers stand in an array, and one "layer" is all there may be. */
#define WITH_ARRAY VK_MAKE_API_VERSION(0, 1, 0, 1)

#define refuse(path, code, reason, ...)                                                            \
	kr_document_refuse(path, KR_LOG_LAYER, code, reason, __VA_ARGS__)

/* Puts the sentence of one more layer behind those that are there already. */
static void
join_reason(char **all, char *take_reason)
{
	char *joined;

	if (!*all) {
		*all = take_reason;
		return;
	}
	joined = take_reason ? kr_asprintf("%s; %s", *all, take_reason) : NULL;
	free(take_reason);
	if (joined) {
		free(*all);
		*all = joined;
	}
}

/* A file can hold a hundred thousand bad layers: no more sentences than someone would read. */
#define MAX_REASONS 8

/* What came of the layers of one file. */
struct outcome {
	size_t read, refused;
	int first; /* failure */
	char *reason;
};

static void
read_one(const struct kr_manifest_layer_place *place, const struct kr_json *object,
	struct kr_list *layers, struct outcome *outcome)
{
	char *why = NULL;
	int ret = kr_manifest_layer_object_read(place, object, layers, &why);

	if (!ret) {
		outcome->read++;
		return;
	}
	/* Without memory nothing that follows is worth trying. */
	if (!outcome->first || ret == -ENOMEM)
		outcome->first = ret;
	if (outcome->refused++ < MAX_REASONS)
		join_reason(&outcome->reason, why);
	else
		free(why);
}

static size_t
count_members(const struct kr_json *root, const char *key)
{
	size_t count = 0;

	for (size_t i = 0; i < kr_json_count(root); i++)
		count += !strcmp(kr_json_key_at(root, i), key);
	return count;
}

/* Format 1.0.0 had several members of the same name where later ones have an array. */
static void
read_members(const struct kr_manifest_layer_place *place, const struct kr_json *root,
	struct kr_list *layers, struct outcome *outcome)
{
	for (size_t i = 0; i < kr_json_count(root); i++) {
		if (!strcmp(kr_json_key_at(root, i), "layer"))
			read_one(place, kr_json_at(root, i), layers, outcome);
	}
}

static int
read_layers(const struct kr_manifest_layer_place *place, const struct kr_json *root,
	struct kr_list *layers, struct outcome *outcome)
{
	const struct kr_json *array = kr_json_get(root, "layers");
	size_t members = count_members(root, "layer");

	if (kr_json_count(array) && kr_json_type_of(array) == KR_JSON_ARRAY) {
		if (place->format < WITH_ARRAY)
			kr_log(KR_LOG_WARN | KR_LOG_LAYER,
				"%s: manifests have layers from format 1.0.1 on", place->path);
		for (size_t i = 0; i < kr_json_count(array); i++)
			read_one(place, kr_json_at(array, i), layers, outcome);
		return 0;
	}
	if (kr_json_type_of(kr_json_get(root, "layer")) != KR_JSON_OBJECT)
		/* A driver's manifest in a directory of layers is none of theirs. */
		return kr_document_refuse(place->path,
			KR_LOG_LAYER | (kr_json_get(root, "ICD") ? KR_LOG_DEBUG : KR_LOG_WARN),
			-EINVAL, &outcome->reason, "it has neither an object layer nor layers");
	if (members > 1 && place->format >= WITH_ARRAY)
		return refuse(place->path, -EINVAL, &outcome->reason,
			"it has %zu members layer: from format 1.0.1 on they stand in an array layers",
			members);
	read_members(place, root, layers, outcome);
	return 0;
}

/* An unknown format is told and tried. */
static int
read_format(struct kr_manifest_layer_place *place, const struct kr_json *root, char **reason)
{
	static const uint32_t known[] = {
		VK_MAKE_API_VERSION(0, 1, 0, 0),
		VK_MAKE_API_VERSION(0, 1, 0, 1),
		VK_MAKE_API_VERSION(0, 1, 1, 0),
		VK_MAKE_API_VERSION(0, 1, 1, 1),
		VK_MAKE_API_VERSION(0, 1, 1, 2),
		VK_MAKE_API_VERSION(0, 1, 2, 0),
		VK_MAKE_API_VERSION(0, 1, 2, 1),
	};
	const char *text = kr_member_string(root, "file_format_version");
	bool is_known = false;

	if (kr_member_version(
		    root, "file_format_version", place->path, KR_LOG_LAYER, &place->format))
		return refuse(place->path, -EINVAL, reason, "it has no file_format_version");
	if (!text)
		text = "no string";
	kr_log(KR_LOG_INFO | KR_LOG_LAYER, "Found manifest file %s (file version %.40s)",
		place->path, text);
	for (size_t i = 0; i < KR_ARRAY_LEN(known); i++)
		is_known |= known[i] == place->format;
	if (!is_known)
		kr_log(KR_LOG_INFO | KR_LOG_LAYER,
			"loader_add_layer_properties: %s has unknown layer manifest file version %.40s.  May cause errors.",
			place->path, text);
	return 0;
}

static void
destroy_all(struct kr_list *layers)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, layers, link)
		kr_manifest_layer_destroy(layer);
}

static void
move_all(struct kr_list *to, struct kr_list *from)
{
	struct kr_manifest_layer *layer, *next;

	kr_list_for_each_safe (layer, next, from, link) {
		kr_list_remove(&layer->link);
		kr_list_append(to, &layer->link);
	}
}

int
kr_manifest_layer_read(const char *path, bool implicit, struct kr_list *layers, char **reason)
{
	struct kr_manifest_layer_place place = {.path = path, .implicit = implicit};
	struct outcome outcome = {0};
	struct kr_list read;
	struct kr_json *root;
	int ret = kr_document_read(path, KR_LOG_LAYER, &root, reason);

	if (ret)
		return ret;
	kr_list_init(&read);
	ret = read_format(&place, root, &outcome.reason);
	if (!ret)
		ret = read_layers(&place, root, &read, &outcome);
	kr_json_free(root);
	*reason = outcome.reason;
	if (!ret && (!outcome.read || outcome.first == -ENOMEM))
		ret = outcome.first;
	if (ret)
		destroy_all(&read);
	else
		move_all(layers, &read);
	return ret;
}
