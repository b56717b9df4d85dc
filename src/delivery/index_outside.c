/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers read of an index: see index_outside.h. */
#include "delivery/index_outside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

static int
parse_list(const struct kr_json *root, const char *key, bool (*is_good)(const char *), char ***list,
	char **reason)
{
	const struct kr_json *json = kr_json_get(root, key);
	size_t count = kr_json_count(json);

	if (!json)
		return 0;
	if (kr_json_type_of(json) != KR_JSON_ARRAY || count > KR_INDEX_MAX_FILES) {
		*reason = kr_asprintf("\"%s\" is no list of at most %d", key, KR_INDEX_MAX_FILES);
		return -EINVAL;
	}
	*list = calloc(count + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *text = kr_json_string(kr_json_at(json, i));

		if (!text || !is_good(text)) {
			*reason = kr_asprintf("%s[%zu] is no path that may stand there", key, i);
			return -EINVAL;
		}
		(*list)[i] = strdup(text);
		if (!(*list)[i])
			return -ENOMEM;
	}
	return 0;
}

static int
parse_variable(const struct kr_json *json, size_t number, struct kr_index *index, char **reason)
{
	struct kr_index_variable *variable = &index->variables[index->variable_count];
	const char *name = kr_json_string(kr_json_get(json, "name"));
	const char *path = kr_json_string(kr_json_get(json, "path"));

	if (!name || !kr_index_is_variable(name)) {
		*reason = kr_asprintf(
			"environment[%zu]: \"name\" is no variable that may be set", number);
		return -EINVAL;
	}
	while (variable->file < index->file_count &&
		(!path || strcmp(index->files[variable->file].path, path) != 0))
		variable->file++;
	if (variable->file == index->file_count) {
		*reason = kr_asprintf("environment[%zu]: \"path\" is none of the files", number);
		return -EINVAL;
	}
	variable->name = strdup(name);
	if (!variable->name)
		return -ENOMEM;
	index->variable_count++;
	return 0;
}

static int
parse_environment(const struct kr_json *json, struct kr_index *index, char **reason)
{
	size_t count = kr_json_count(json);
	int ret = 0;

	if (!json)
		return 0;
	if (kr_json_type_of(json) != KR_JSON_ARRAY || count > KR_INDEX_MAX_FILES) {
		*reason =
			kr_asprintf("\"environment\" is no list of at most %d", KR_INDEX_MAX_FILES);
		return -EINVAL;
	}
	index->variables = count ? calloc(count, sizeof(*index->variables)) : NULL;
	if (count && !index->variables)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < count; i++)
		ret = parse_variable(kr_json_at(json, i), i, index, reason);
	return ret;
}

static int
parse_compiles(const struct kr_json *json, struct kr_index *index, char **reason)
{
	if (json && kr_json_type_of(json) != KR_JSON_BOOL) {
		*reason = kr_asprintf("\"compiles_at_run_time\" is neither true nor false");
		return -EINVAL;
	}
	index->compiles = json && kr_json_bool(json);
	return 0;
}

int
kr_index_parse_outside(const struct kr_json *root, struct kr_index *index, char **reason)
{
	int ret = parse_list(root, "nodes", kr_index_is_path, &index->nodes, reason);

	if (!ret)
		ret = parse_list(root, "system_paths", kr_index_is_system_path,
			&index->system_paths, reason);
	if (!ret)
		ret = parse_environment(kr_json_get(root, "environment"), index, reason);
	return ret ? ret : parse_compiles(kr_json_get(root, "compiles_at_run_time"), index, reason);
}
