/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that an installed driver reads: those that were declared, and the one by which glvnd's
 * libEGL finds the library of the driver's maker. libEGL looks for that in directories of the
 * system, which a sandbox doesn't show, and takes another place from a variable; a driver that
 * renders through EGL finds no device without it.
 */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/builder.h"
#include "service/package/internal.h"
#include "util/text.h"

#define EGL_LIBRARY  "libEGL.so.1"
#define EGL_VARIABLE "__EGL_VENDOR_LIBRARY_FILENAMES"

static int
add_data(struct kr_package_builder *builder, const char *path)
{
	const char *name = kr_package_base_name(path);
	char *copy = strdup(path);
	int ret = copy ? kr_package_builder_add(builder, copy, name) : -ENOMEM;

	return ret ? ret : kr_package_list_add(&builder->package->data_files, name);
}

/* The file, and the variable that names it; `length` is that of the variable's name. */
static int
add_named(struct kr_package_builder *builder, const char *variable, size_t length, const char *path)
{
	char *item = kr_asprintf("%.*s=%s", (int)length, variable, kr_package_base_name(path));
	int ret = item ? add_data(builder, path) : -ENOMEM;

	if (!ret)
		ret = kr_package_list_add(&builder->package->environment, item);
	free(item);
	return ret;
}

static bool
is_set(const struct kr_package *package, const char *variable, size_t length)
{
	for (char *const *item = package->environment; item && *item; item++) {
		if (!strncmp(*item, variable, length) && (*item)[length] == '=')
			return true;
	}
	return false;
}

/* "NAME=path" */
static int
add_variable(struct kr_package_builder *builder, const char *text)
{
	size_t length = strcspn(text, "=");
	char *name = strndup(text, length);
	bool good = name && kr_index_is_variable(name) && text[length] && text[length + 1];

	if (!name)
		return -ENOMEM;
	free(name);
	if (!good)
		return kr_package_refuse(builder->reason, -EINVAL,
			"'%s' is no NAME=PATH of a variable that a package may set", text);
	if (is_set(builder->package, text, length))
		return kr_package_refuse(builder->reason, -EINVAL, "the variable %.*s is set twice",
			(int)length, text);
	return add_named(builder, text, length, text + length + 1);
}

/* --- glvnd's vendor files --- */

/* Whether it names a library of the package, as libEGL will ask for it: by its name alone. */
static bool
names_ours(const struct kr_package *package, const char *path)
{
	json_t *root = json_load_file(path, 0, NULL);
	const char *library =
		json_string_value(json_object_get(json_object_get(root, "ICD"), "library_path"));
	bool ours = library && !strchr(library, '/') && kr_package_find_file(package, library);

	json_decref(root);
	return ours;
}

static int
is_json(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && kr_has_suffix(entry->d_name, ".json");
}

/* The first that names one, as libEGL orders them; *path is NULL when none does. */
static int
find_vendor_file(const struct kr_package *package, const char *directory, char **path)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_json, alphasort), ret = 0;

	*path = NULL;
	for (int i = 0; i < count; i++) {
		char *candidate =
			*path || ret ? NULL : kr_asprintf("%s/%s", directory, entries[i]->d_name);

		if (candidate && names_ours(package, candidate))
			*path = candidate;
		else if (!candidate && !*path)
			ret = -ENOMEM;
		if (*path != candidate)
			free(candidate);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return ret;
}

static int
add_egl_vendor(struct kr_package_builder *builder)
{
	static const char *const usual[] = {
		"/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d", NULL};
	const char *const *directory = builder->options->egl_vendor_directories;
	char *path = NULL;
	int ret = 0;

	if (!kr_package_find_file(builder->package, EGL_LIBRARY) ||
		is_set(builder->package, EGL_VARIABLE, strlen(EGL_VARIABLE)))
		return 0;
	for (directory = directory ? directory : usual; !ret && !path && *directory; directory++)
		ret = find_vendor_file(builder->package, *directory, &path);
	if (path)
		ret = add_named(builder, EGL_VARIABLE, strlen(EGL_VARIABLE), path);
	free(path);
	return ret;
}

int
kr_package_builder_data(struct kr_package_builder *builder)
{
	const char *const *path = builder->options->data_files;
	const char *const *variable = builder->options->environment;
	int ret = 0;

	for (; !ret && path && *path; path++)
		ret = add_data(builder, *path);
	for (; !ret && variable && *variable; variable++)
		ret = add_variable(builder, *variable);
	return ret ? ret : add_egl_vendor(builder);
}
