/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests of vendors. */
#include "egl/vendor/manifests.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/env.h"
#include "util/guard.h"
#include "util/json.h"
#include "util/log.h"
#include "util/text.h"

#define OTHERS     "KRAFLA_EGL_VENDORS"
#define FILENAMES  "__EGL_VENDOR_LIBRARY_FILENAMES"
#define DIRS       "__EGL_VENDOR_LIBRARY_DIRS"
#define GLVND_DIRS "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d"
#define OURSELVES  "libEGL_krafla.so"

bool
kr_egl_is_told_of_vendors(void)
{
	return kr_env_get(FILENAMES);
}

/* The last part of a library's path. */
static bool
is_ourselves(const char *library)
{
	const char *slash = strrchr(library, '/');
	const char *name = slash ? slash + 1 : library;

	return !strncmp(name, OURSELVES, strlen(OURSELVES));
}

/* Without a slash, or from the root, as it stands; else beside the file that names it. */
static char *
resolve(const char *path, const char *library)
{
	const char *slash = strrchr(path, '/');

	if (library[0] == '/' || !strchr(library, '/') || !slash)
		return strdup(library);
	return kr_asprintf("%.*s/%s", (int)(slash - path), path, library);
}

/* "1.0", and whatever stands behind that: what glvnd reads. */
static bool
is_known_format(const char *version)
{
	int major = -1, minor = 0;

	return version && sscanf(version, "%d.%d", &major, &minor) > 0 && major == 1 && minor <= 0;
}

/* What makes a file no manifest; NULL: nothing. */
static const char *
mistake(const struct kr_json *root)
{
	const struct kr_json *icd = kr_json_get(root, "ICD");

	if (!is_known_format(kr_json_string(kr_json_get(root, "file_format_version"))))
		return "its file_format_version isn't 1.0";
	return kr_json_string(kr_json_get(icd, "library_path"))
		? NULL
		: "there is no ICD.library_path in it";
}

/* Passed over, with a warning, where it is no manifest or one too many. 0 or -ENOMEM. */
static int
add(struct kr_egl_manifests *manifests, const char *path)
{
	struct kr_egl_manifest *item = &manifests->items[manifests->count];
	struct kr_json_error error;
	struct kr_json *root;
	const char *library, *wrong;
	int result;

	if (manifests->count == KR_EGL_MAX_MANIFESTS) {
		kr_warn("%s: not read: there are %d vendors of EGL already", path,
			KR_EGL_MAX_MANIFESTS);
		return 0;
	}
	result = kr_json_read_file(path, &root, &error);
	if (result == -ENOMEM)
		return result;
	if (result) {
		kr_warn("%s: %s: no vendor of EGL is loaded for it", path,
			error.text[0] ? error.text : strerror(-result));
		return 0;
	}
	wrong = mistake(root);
	library = kr_json_string(kr_json_get(kr_json_get(root, "ICD"), "library_path"));
	if (wrong)
		kr_warn("%s: %s: no vendor of EGL is loaded for it", path, wrong);
	else if (!is_ourselves(library)) {
		item->path = strdup(path);
		item->library = resolve(path, library);
		manifests->count++;
		if (!item->path || !item->library)
			result = -ENOMEM;
	}
	kr_json_free(root);
	return result;
}

/* What certainly is no file isn't worth a warning. */
static int
is_manifest(const struct dirent *entry)
{
	return kr_has_suffix(entry->d_name, ".json") &&
		(entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}

static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int
add_directory(struct kr_egl_manifests *manifests, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_manifest, by_bytes), result = 0;

	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < count; i++) {
		char *path = result ? NULL : kr_asprintf("%s/%s", directory, entries[i]->d_name);

		if (!result)
			result = path ? add(manifests, path) : -ENOMEM;
		free(path);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int
add_list(struct kr_egl_manifests *manifests, const char *list,
	int (*add_item)(struct kr_egl_manifests *, const char *))
{
	const char *item;
	int result = 0;
	size_t len;

	memset(manifests, 0, sizeof(*manifests));
	while (!result && kr_list_next(&list, ':', &item, &len)) {
		char *path = strndup(item, len);

		result = path ? add_item(manifests, path) : -ENOMEM;
		free(path);
	}
	return result;
}

int
kr_egl_manifests_find(struct kr_egl_manifests *manifests)
{
	/* Set to nothing names none, as glvnd has it. */
	const char *files = kr_env_get_code_raw(OTHERS), *dirs = kr_env_get_code_raw(DIRS);

	if (files)
		return add_list(manifests, files, add);
	return add_list(manifests, dirs ? dirs : GLVND_DIRS, add_directory);
}

int
kr_egl_manifests_of_glvnd(struct kr_egl_manifests *manifests)
{
	const char *files = kr_env_get(FILENAMES);

	return add_list(manifests, files ? files : "", add);
}

void
kr_egl_manifests_finish(struct kr_egl_manifests *manifests)
{
	for (size_t i = 0; i < manifests->count; i++) {
		free(manifests->items[i].path);
		free(manifests->items[i].library);
	}
	manifests->count = 0;
}
