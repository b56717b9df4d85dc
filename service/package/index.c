/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a package (delivery/index.h), and what `krafla service status` shows of it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/claims.h"
#include "service/package/internal.h"

static const char *const roles[] = {
	[KR_INDEX_LIBRARY] = "library",
	[KR_INDEX_DRIVER] = "driver",
	[KR_INDEX_RUNTIME] = "runtime",
	[KR_INDEX_DATA] = "data",
};

static bool
is_own(const struct kr_package_file *file)
{
	return file->soname && file->role != KR_INDEX_DRIVER &&
		kr_package_is_applications(file->soname);
}

static json_t *
list_files(const struct kr_package *package)
{
	json_t *files = json_array();

	for (size_t i = 0; i < package->file_count; i++) {
		const struct kr_package_file *file = &package->files[i];

		json_array_append_new(files,
			json_pack("{s:s, s:s, s:s*, s:o*}", "path", file->path, "role",
				roles[file->role], "soname", file->soname, "own",
				is_own(file) ? json_true() : NULL));
	}
	return files;
}

static json_t *
list_needs(const struct kr_package *package)
{
	json_t *needs = json_array();

	for (size_t i = 0; i < package->need_count; i++) {
		const struct kr_index_need *need = &package->needs[i];
		json_t *versions = json_array();

		for (size_t k = 0; k < need->version_count; k++)
			json_array_append_new(versions, json_string(need->versions[k]));
		json_array_append_new(needs,
			json_pack("{s:s, s:o}", "library", need->library, "versions", versions));
	}
	return needs;
}

static json_t *
list_texts(char *const *texts)
{
	json_t *list = json_array();

	for (; texts && *texts; texts++)
		json_array_append_new(list, json_string(*texts));
	return list;
}

static json_t *
list_environment(const struct kr_package *package)
{
	json_t *list = json_array();

	for (char *const *item = package->environment; item && *item; item++) {
		const char *equals = strchr(*item, '=');

		json_array_append_new(list,
			json_pack("{s:s%, s:s}", "name", *item, (size_t)(equals - *item), "path",
				equals + 1));
	}
	return list;
}

static bool
is_as_long(const json_t *root, const char *key, char *const *list)
{
	return json_array_size(json_object_get(root, key)) == kr_package_list_count(list);
}

/* Memory may have run out while a list was made, which a shorter list shows. */
static bool
is_whole(const struct kr_package *package, const json_t *root)
{
	return json_array_size(json_object_get(root, "files")) == package->file_count &&
		json_array_size(json_object_get(root, "needs")) == package->need_count &&
		is_as_long(root, "nodes", package->nodes) &&
		is_as_long(root, "system_paths", package->system_paths) &&
		is_as_long(root, "environment", package->environment);
}

char *
kr_package_index(const struct kr_package *package, const char *name)
{
	json_t *root = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "version",
		KR_INDEX_VERSION, "name", name, "driver", package->file_path, "files",
		list_files(package), "needs", list_needs(package), "nodes",
		list_texts(package->nodes), "system_paths", list_texts(package->system_paths),
		"environment", list_environment(package));
	char *text = NULL;

	if (is_whole(package, root) &&
		(!package->compiles_at_run_time ||
			!json_object_set_new(root, "compiles_at_run_time", json_true())))
		text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return text;
}

json_t *
kr_package_inspect(const struct kr_package *package)
{
	uint64_t size = 0;

	for (size_t i = 0; i < package->file_count; i++)
		size += package->files[i].size;
	return json_pack(
		"{s:s, s:s, s:b, s:s?, s:s?, s:s, s:s, s:s, s:s, s:b, s:I, s:s?, s:s?, s:b, s:i, s:o, s:o, s:o, s:o, s:o*, s:o, s:o}",
		"name", package->name, "path", package->path, "component",
		package->component != NULL, "metadata", package->metadata_file, "contents",
		package->contents, "file_path", package->file_path, "manifest_path",
		package->manifest_path, "library_path", package->library_path, "api_version",
		package->api_version, "checked", package->checked, "size", (json_int_t)size,
		"glibc", package->glibc, "libstdcxx", package->libstdcxx, "compiles_at_run_time",
		package->compiles_at_run_time, "platform", (int)package->platform, "imports",
		list_texts(package->imports), "files", list_files(package), "needs",
		list_needs(package), "nodes", list_texts(package->nodes), "devices",
		kr_package_list_claims(package), "system_paths", list_texts(package->system_paths),
		"environment", list_environment(package));
}
