/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading an index: every length, number and path in it is checked, for it comes from another
 * process.
 */
#include "delivery/index_outside.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/text.h"

#define MAX_NEEDS    1024
#define MAX_VERSIONS 1024
#define MAX_TEXT     255

static const char *const role_names[] = {
	[KR_INDEX_LIBRARY] = "library",
	[KR_INDEX_DRIVER] = "driver",
	[KR_INDEX_RUNTIME] = "runtime",
	[KR_INDEX_DATA] = "data",
};

static bool
is_soname(const char *text)
{
	return kr_index_is_plain(text, MAX_TEXT) && !strchr(text, '/');
}

/* A copy of a checked string; -ENOMEM without memory. */
static int
copy(const char *text, char **out)
{
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

static int
parse_role(const char *text, enum kr_index_role *role)
{
	for (size_t i = 0; text && i < KR_ARRAY_LEN(role_names); i++) {
		if (!strcmp(text, role_names[i])) {
			*role = (enum kr_index_role)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int
parse_own(const struct kr_json *json, bool *own)
{
	if (json && kr_json_type_of(json) != KR_JSON_BOOL)
		return -EINVAL;
	*own = json && kr_json_bool(json);
	return 0;
}

static int
parse_file(const struct kr_json *json, size_t number, struct kr_index_file *file, char **reason)
{
	const char *path = kr_json_string(kr_json_get(json, "path"));
	const struct kr_json *soname = kr_json_get(json, "soname");
	int ret;

	if (!kr_index_is_path(path)) {
		*reason = kr_asprintf(
			"files[%zu]: \"path\" is no relative path of plain names", number);
		return -EINVAL;
	}
	if (parse_role(kr_json_string(kr_json_get(json, "role")), &file->role)) {
		*reason = kr_asprintf(
			"%s: \"role\" is none of library, driver, runtime and data", path);
		return -EINVAL;
	}
	if (parse_own(kr_json_get(json, "own"), &file->own)) {
		*reason = kr_asprintf("%s: \"own\" is neither true nor false", path);
		return -EINVAL;
	}
	ret = copy(path, &file->path);
	if (ret || !soname || kr_json_type_of(soname) == KR_JSON_NULL)
		return ret;
	if (!is_soname(kr_json_string(soname))) {
		*reason = kr_asprintf("%s: \"soname\" is no name of a library", path);
		return -EINVAL;
	}
	return copy(kr_json_string(soname), &file->soname);
}

/* What a file may not share with those before it. */
static int
check_unique(const struct kr_index *index, const struct kr_index_file *file, char **reason)
{
	for (const struct kr_index_file *other = index->files; other < file; other++) {
		if (!strcmp(other->path, file->path)) {
			*reason = kr_asprintf("%s is there twice", file->path);
			return -EINVAL;
		}
		if (file->role != KR_INDEX_DATA && other->soname && file->soname &&
			!strcmp(other->soname, file->soname)) {
			*reason = kr_asprintf("%s and %s have the same SONAME %s", other->path,
				file->path, file->soname);
			return -EINVAL;
		}
	}
	return 0;
}

/* Roles in the order of the enumeration, and exactly one driver, which `driver` names. */
static int
check_roles(const struct kr_index *index, char **reason)
{
	size_t drivers = 0;

	for (size_t i = 0; i < index->file_count; i++) {
		const struct kr_index_file *file = &index->files[i];

		if (i && file->role < file[-1].role) {
			*reason = kr_asprintf(
				"%s, a %s, stands behind %s, a %s: the order is library, driver, runtime, data",
				file->path, role_names[file->role], file[-1].path,
				role_names[file[-1].role]);
			return -EINVAL;
		}
		if (file->role == KR_INDEX_DRIVER)
			drivers += strcmp(file->path, index->driver) ? 2 : 1;
	}
	if (drivers == 1)
		return 0;
	*reason = kr_asprintf(
		"not exactly one file has the role \"driver\" and the path \"%s\" that \"driver\" says",
		index->driver);
	return -EINVAL;
}

static int
parse_files(const struct kr_json *files, struct kr_index *index, char **reason)
{
	size_t count = kr_json_count(files);

	if (kr_json_type_of(files) != KR_JSON_ARRAY || !count || count > KR_INDEX_MAX_FILES) {
		*reason = kr_asprintf("\"files\" is no list of 1 to %d", KR_INDEX_MAX_FILES);
		return -EINVAL;
	}
	index->files = calloc(count, sizeof(*index->files));
	if (!index->files)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct kr_index_file *file = &index->files[index->file_count++];
		int ret = parse_file(kr_json_at(files, i), i, file, reason);

		if (!ret)
			ret = check_unique(index, file, reason);
		if (ret)
			return ret;
	}
	return check_roles(index, reason);
}

static int
parse_versions(const struct kr_json *versions, struct kr_index_need *need, char **reason)
{
	size_t count = kr_json_count(versions);

	if (!versions)
		return 0;
	if (kr_json_type_of(versions) != KR_JSON_ARRAY || count > MAX_VERSIONS) {
		*reason = kr_asprintf(
			"%s: \"versions\" is no list of at most %d", need->library, MAX_VERSIONS);
		return -EINVAL;
	}
	need->versions = count ? calloc(count, sizeof(*need->versions)) : NULL;
	if (count && !need->versions)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *version = kr_json_string(kr_json_at(versions, i));

		if (!kr_index_is_plain(version, MAX_TEXT)) {
			*reason = kr_asprintf("%s: versions[%zu] is no name of a symbol version",
				need->library, i);
			return -EINVAL;
		}
		if (copy(version, &need->versions[i]))
			return -ENOMEM;
		need->version_count++;
	}
	return 0;
}

static int
parse_need(const struct kr_json *json, size_t number, struct kr_index_need *need, char **reason)
{
	const char *library = kr_json_string(kr_json_get(json, "library"));

	if (!is_soname(library)) {
		*reason = kr_asprintf("needs[%zu]: \"library\" is no name of a library", number);
		return -EINVAL;
	}
	if (copy(library, &need->library))
		return -ENOMEM;
	return parse_versions(kr_json_get(json, "versions"), need, reason);
}

static int
parse_needs(const struct kr_json *needs, struct kr_index *index, char **reason)
{
	size_t count = kr_json_count(needs);

	if (kr_json_type_of(needs) != KR_JSON_ARRAY || count > MAX_NEEDS) {
		*reason = kr_asprintf("\"needs\" is no list of at most %d", MAX_NEEDS);
		return -EINVAL;
	}
	index->needs = count ? calloc(count, sizeof(*index->needs)) : NULL;
	if (count && !index->needs)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct kr_index_need *need = &index->needs[index->need_count++];
		int ret = parse_need(kr_json_at(needs, i), i, need, reason);

		if (ret)
			return ret;
	}
	return 0;
}

static int
parse_names(const struct kr_json *root, struct kr_index *index, char **reason)
{
	const char *name = kr_json_string(kr_json_get(root, "name"));
	const char *driver = kr_json_string(kr_json_get(root, "driver"));

	if (!is_soname(name)) {
		*reason = kr_asprintf("\"name\" is no file name");
		return -EINVAL;
	}
	if (!kr_index_is_path(driver)) {
		*reason = kr_asprintf("\"driver\" is no relative path of plain names");
		return -EINVAL;
	}
	if (copy(name, &index->name) || copy(driver, &index->driver))
		return -ENOMEM;
	return 0;
}

static int
parse_root(const struct kr_json *root, struct kr_index *index, char **reason)
{
	const struct kr_json *version = kr_json_get(root, "version");
	int ret;

	if (kr_json_type_of(version) != KR_JSON_NUMBER ||
		kr_json_number(version) != KR_INDEX_VERSION) {
		*reason = kr_asprintf(
			"its \"version\" isn't %d, the only one known here", KR_INDEX_VERSION);
		return -EINVAL;
	}
	ret = parse_names(root, index, reason);
	if (!ret)
		ret = parse_files(kr_json_get(root, "files"), index, reason);
	if (!ret)
		ret = parse_needs(kr_json_get(root, "needs"), index, reason);
	return ret ? ret : kr_index_parse_outside(root, index, reason);
}

int
kr_index_parse(const char *text, size_t size, struct kr_index *index, char **reason)
{
	struct kr_json_error error = {0};
	struct kr_index parsed = {0};
	struct kr_json *root;
	int ret;

	*reason = NULL;
	ret = kr_json_parse(text, size, &root, &error);
	if (ret) {
		if (ret != -ENOMEM)
			*reason = kr_asprintf("it is no JSON: line %zu, column %zu: %s", error.line,
				error.column, error.text);
		return ret == -ENOMEM ? ret : -EINVAL;
	}
	ret = parse_root(root, &parsed, reason);
	kr_json_free(root);
	if (ret)
		kr_index_finish(&parsed);
	else
		*index = parsed;
	return ret;
}
