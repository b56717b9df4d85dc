/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metadata.json and the driver's manifest of a package: docs/packages.md. Fuchsia's three keys have
 * Fuchsia's rules, and other keys beside them may be there; below "krafla" everything must be known
 * and right, because a word that is spelled wrong there would otherwise be a driver that lacks
 * something in a sandbox.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "service/package/claims.h"
#include "service/package/internal.h"
#include "util/text.h"

#define OURS "krafla"

static int
refuse_key(const struct kr_package *package, const char *key, const char *what, char **reason)
{
	return kr_package_refuse(
		reason, -EINVAL, "%s: \"%s\" %s", package->metadata_file, key, what);
}

/* A member that must be there and be a path in contents. */
static int
take_path(const struct kr_package *package, const json_t *root, const char *key, char **path,
	char **reason)
{
	const json_t *value = json_object_get(root, key);
	const char *text = json_string_value(value);

	if (!value)
		return refuse_key(package, key, "is missing", reason);
	if (!text)
		return refuse_key(package, key, "must be a string", reason);
	if (!kr_package_path_is_good(text))
		return refuse_key(
			package, key, "is bad: " KR_PACKAGE_PATH_RULE " (in contents)", reason);
	*path = strdup(text);
	return *path ? 0 : -ENOMEM;
}

static bool
content_path_is_good(const char *path)
{
	return kr_package_path_is_good(path) && strcmp(path, KR_INDEX_FILE) != 0;
}

static bool
system_path_is_good(const char *path)
{
	return path[0] == '/' && kr_package_path_is_good(path + 1) && kr_index_is_system_path(path);
}

/* That it is one of the list is found out by the check. */
static bool
word_is_good(const char *text)
{
	return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz-") == strlen(text);
}

/* Two to four numbers with dots between them: "2.34". */
static bool
version_is_good(const char *text)
{
	int count = 0;

	for (;;) {
		size_t digits = strspn(text, "0123456789");

		if (!digits || digits > 5 || ++count > 4)
			return false;
		if (!text[digits])
			return count >= 2;
		if (text[digits] != '.')
			return false;
		text += digits + 1;
	}
}

static int
take_list(const struct kr_package *package, const json_t *value, const char *key,
	bool (*is_good)(const char *), const char *rule, char ***list, char **reason)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) > KR_INDEX_MAX_FILES)
		return refuse_key(package, key, "must be an array of at most 252 strings", reason);
	json_array_foreach(value, i, item)
	{
		const char *text = json_string_value(item);

		if (!text || !is_good(text))
			return kr_package_refuse(reason, -EINVAL, "%s: \"%s\", element %zu: %s",
				package->metadata_file, key, i,
				text ? rule : "it must be a string");
		if (kr_package_list_add(list, text))
			return -ENOMEM;
	}
	return 0;
}

static int
take_version(const struct kr_package *package, const json_t *value, const char *key, char **version,
	char **reason)
{
	const char *text = json_string_value(value);

	if (!text || !version_is_good(text))
		return refuse_key(package, key,
			"must be a string with a version, like \"2.34\" or \"3.4.30\"", reason);
	*version = strdup(text);
	return *version ? 0 : -ENOMEM;
}

/* Variables and the files that they name, kept as "NAME=path". */
static int
take_environment(struct kr_package *package, const json_t *value, char **reason)
{
	const char *key = OURS ".environment", *name;
	const json_t *path;

	if (!json_is_object(value) || json_object_size(value) > KR_INDEX_MAX_FILES)
		return refuse_key(package, key, "must be an object of variables and files", reason);
	json_object_foreach((json_t *)value, name, path)
	{
		const char *text = json_string_value(path);
		char *item;
		int ret;

		if (!kr_index_is_variable(name))
			return kr_package_refuse(reason, -EINVAL,
				"%s: \"%s\": %s isn't a variable that a package may set",
				package->metadata_file, key, name);
		if (!text || !content_path_is_good(text))
			return kr_package_refuse(reason, -EINVAL, "%s: \"%s\", %s: %s",
				package->metadata_file, key, name,
				text ? KR_PACKAGE_PATH_RULE " (in contents)"
				     : "it must be a string");
		item = kr_asprintf("%s=%s", name, text);
		ret = item ? kr_package_list_add(&package->environment, item) : -ENOMEM;
		free(item);
		if (ret)
			return ret;
	}
	return 0;
}

static int
take_platform(struct kr_package *package, const json_t *value, char **reason)
{
	if (!json_is_integer(value) || json_integer_value(value) < 1 ||
		json_integer_value(value) > 999999)
		return refuse_key(package, OURS ".platform", "must be a number, 1 or more", reason);
	package->platform = (unsigned)json_integer_value(value);
	return 0;
}

static int
take_ours(struct kr_package *package, const char *key, const json_t *value, char **reason)
{
	if (!strcmp(key, "nodes"))
		return take_list(package, value, OURS ".nodes", kr_package_path_is_good,
			KR_PACKAGE_PATH_RULE " (below /dev)", &package->nodes, reason);
	if (!strcmp(key, "devices"))
		return kr_package_parse_claims(package, value, reason);
	if (!strcmp(key, "data_files"))
		return take_list(package, value, OURS ".data_files", content_path_is_good,
			KR_PACKAGE_PATH_RULE " (in contents)", &package->data_files, reason);
	if (!strcmp(key, "runtime_libraries"))
		return take_list(package, value, OURS ".runtime_libraries", content_path_is_good,
			KR_PACKAGE_PATH_RULE " (in contents)", &package->runtime_libraries, reason);
	if (!strcmp(key, "system_paths"))
		return take_list(package, value, OURS ".system_paths", system_path_is_good,
			"a path must lie below /sys or /usr/share, without empty parts, \".\" and \"..\"",
			&package->system_paths, reason);
	if (!strcmp(key, "environment"))
		return take_environment(package, value, reason);
	if (!strcmp(key, "imports"))
		return take_list(package, value, OURS ".imports", word_is_good,
			"a word must be of small letters and dashes", &package->imports, reason);
	if (!strcmp(key, "platform"))
		return take_platform(package, value, reason);
	if (!strcmp(key, "glibc"))
		return take_version(package, value, OURS ".glibc", &package->glibc, reason);
	if (!strcmp(key, "libstdcxx"))
		return take_version(package, value, OURS ".libstdcxx", &package->libstdcxx, reason);
	if (!strcmp(key, "compiles_at_run_time")) {
		if (!json_is_boolean(value))
			return refuse_key(package, OURS ".compiles_at_run_time",
				"must be true or false", reason);
		package->compiles_at_run_time = json_is_true(value);
		package->compiles_is_said = true;
		return 0;
	}
	if (!strcmp(key, "ephemeral")) {
		if (!json_is_boolean(value))
			return refuse_key(
				package, OURS ".ephemeral", "must be true or false", reason);
		package->ephemeral = json_is_true(value);
		return 0;
	}
	return kr_package_refuse(reason, -EINVAL,
		"%s: \"" OURS
		".%s\" isn't known: there are nodes, devices, data_files, runtime_libraries, system_paths, environment, imports, platform, glibc, libstdcxx, compiles_at_run_time, ephemeral",
		package->metadata_file, key);
}

static int
take_all(struct kr_package *package, json_t *root, char **reason)
{
	json_t *version = json_object_get(root, "version"), *ours = json_object_get(root, OURS),
	       *value;
	const char *key;
	int ret;

	if (!json_is_object(root))
		return kr_package_refuse(
			reason, -EINVAL, "%s: it must hold an object", package->metadata_file);
	if (!version)
		return refuse_key(package, "version", "is missing", reason);
	if (!json_is_number(version) || json_number_value(version) != 1)
		return refuse_key(package, "version", "must be the number 1", reason);
	ret = take_path(package, root, "file_path", &package->file_path, reason);
	if (!ret)
		ret = take_path(package, root, "manifest_path", &package->manifest_path, reason);
	if (ret || !ours)
		return ret;
	if (!json_is_object(ours))
		return refuse_key(package, OURS, "must be an object", reason);
	json_object_foreach(ours, key, value)
	{
		ret = take_ours(package, key, value, reason);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Bad JSON is told with line and column. A zero byte, which jansson passes over between words,
 * would be the end of it for all who take it for a string.
 */
static int
load(const char *file, const char *text, size_t size, json_t **root, char **reason)
{
	json_error_t error;

	if (memchr(text, '\0', size))
		return kr_package_refuse(reason, -EINVAL, "%s: it is no text: byte %zu is zero",
			file, (size_t)((const char *)memchr(text, '\0', size) - text));
	*root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (*root)
		return 0;
	return kr_package_refuse(reason, -EINVAL, "%s: line %d, column %d: %s", file, error.line,
		error.column, error.text);
}

int
kr_package_parse_metadata(struct kr_package *package, const char *text, size_t size, char **reason)
{
	json_t *root;
	int ret = load(package->metadata_file, text, size, &root, reason);

	if (ret)
		return ret;
	ret = take_all(package, root, reason);
	json_decref(root);
	return ret;
}

static int
take_icd(struct kr_package *package, const char *path, const json_t *root, char **reason)
{
	const json_t *icd = json_object_get(root, "ICD");
	const char *library = json_string_value(json_object_get(icd, "library_path"));
	const char *api_version = json_string_value(json_object_get(icd, "api_version"));

	if (!json_is_string(json_object_get(root, "file_format_version")))
		return kr_package_refuse(reason, -EINVAL,
			"%s: it has no string \"file_format_version\": it is no driver's manifest",
			path);
	if (!library || !api_version)
		return kr_package_refuse(reason, -EINVAL, "%s: \"ICD\" has no string \"%s\"", path,
			library ? "api_version" : "library_path");
	library = kr_package_base_name(library);
	if (!kr_package_path_is_good(library) || strlen(library) > KR_PACKAGE_MAX_LIBRARY_PATH)
		return kr_package_refuse(reason, -EINVAL,
			"%s: \"library_path\" must name a file, with 1 to %d characters", path,
			KR_PACKAGE_MAX_LIBRARY_PATH);
	package->library_path = strdup(library);
	package->api_version = strdup(api_version);
	return package->library_path && package->api_version ? 0 : -ENOMEM;
}

int
kr_package_parse_manifest(
	struct kr_package *package, const char *path, const char *text, size_t size, char **reason)
{
	json_t *root;
	int ret = load(path, text, size, &root, reason);

	if (ret)
		return ret;
	ret = take_icd(package, path, root, reason);
	json_decref(root);
	if (ret)
		return ret;
	package->manifest = strndup(text, size);
	return package->manifest ? 0 : -ENOMEM;
}

char *
kr_package_renamed_manifest(const char *manifest, const char *library_path)
{
	json_t *root = json_loads(manifest, 0, NULL), *icd = json_object_get(root, "ICD");
	char *text = NULL;

	if (!json_object_set_new(icd, "library_path", json_string(library_path)))
		text = json_dumps(root, JSON_INDENT(4));
	json_decref(root);
	return text;
}

char *
kr_package_served_manifest(const struct kr_package *package, const char *name)
{
	return kr_package_renamed_manifest(package->manifest, name);
}
