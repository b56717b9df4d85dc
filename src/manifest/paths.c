/* SPDX-License-Identifier: Apache-2.0 */
/* The search order of manifests, as Linux loaders have it (paths.h). */
#include "manifest/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/profile.h"
#include "util/env.h"
#include "util/log.h"
#include "util/macros.h"
#include "util/text.h"

#define SUFFIX ".json"

/* What differs between the kinds. */
struct kind {
	const char *what; /* in messages */
	uint32_t log;
	const char *folder;
	const char *override[2]; /* the first that is set, to nothing too, replaces the search */
	const char *add;         /* goes in front of it */
};

static const struct kind kinds[] = {
	[KR_MANIFEST_DRIVER] = {"driver", KR_LOG_DRIVER, "icd.d",
		{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}, "VK_ADD_DRIVER_FILES"},
	[KR_MANIFEST_EXPLICIT_LAYER] = {"explicit layer", KR_LOG_LAYER, "explicit_layer.d",
		{"VK_LAYER_PATH", NULL}, "VK_ADD_LAYER_PATH"},
	[KR_MANIFEST_IMPLICIT_LAYER] = {"implicit layer", KR_LOG_LAYER, "implicit_layer.d",
		{"VK_IMPLICIT_LAYER_PATH", NULL}, "VK_ADD_IMPLICIT_LAYER_PATH"},
};

/* A search that is being put together. */
struct search {
	const struct kind *kind;
	const char *(*env_get)(const char *name);
	const char *sysconfdir;
	bool no_override;
	bool no_standard;
	struct kr_search_list list;
};

void
kr_search_list_finish(struct kr_search_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->places[i].path);
	free(list->places);
	*list = (struct kr_search_list){0};
}

/* Appends a place; takes the path, NULL being what an allocation that failed gave. */
static int
append(struct kr_search_list *list, char *take_path, const char *variable)
{
	struct kr_search_place *places = list->places;

	if (!take_path)
		return -ENOMEM;
	/*
	 * Twice as many each time: a list that grows one by one is copied as often
	 * where realloc always copies.
	 */
	if (!(list->count & (list->count - 1)))
		places = realloc(places, KR_MAX(2 * list->count, (size_t)1) * sizeof(*places));
	if (!places) {
		free(take_path);
		return -ENOMEM;
	}
	list->places = places;
	places[list->count++] = (struct kr_search_place){take_path, variable};
	return 0;
}

/*
 * A search that lists more isn't one that a person wrote: further on, a place that comes twice is
 * searched twice, so that a variable of a megabyte doesn't take minutes.
 */
#define MAX_COMPARED 512

static bool
contains(const struct kr_search_list *list, const char *path)
{
	for (size_t i = 0; i < list->count && i < MAX_COMPARED; i++) {
		if (!strcmp(list->places[i].path, path))
			return true;
	}
	return false;
}

/* Appends a place unless the search has it already. */
static int
add_place(struct search *search, char *take_path, const char *variable)
{
	if (take_path && contains(&search->list, take_path)) {
		free(take_path);
		return 0;
	}
	return append(&search->list, take_path, variable);
}

/* A variable whose empty value is as good as none. */
static const char *
value_of(const struct search *search, const char *variable)
{
	const char *value = search->env_get(variable);

	return value && value[0] ? value : NULL;
}

/* Every element of the variable's colon list is a place as it stands. */
static int
add_variable(struct search *search, const char *variable)
{
	const char *value = search->env_get(variable), *item;
	size_t len;
	int ret = 0;

	while (!ret && kr_list_next(&value, ':', &item, &len))
		ret = add_place(search, strndup(item, len), variable);
	return ret;
}

/*
 * base/middle/vulkan/<kind's folder>; middle may be "". A base that is a manifest stays as it is.
 */
static int
add_base(struct search *search, const char *base, size_t len, const char *middle)
{
	size_t tail = strlen(SUFFIX);

	if (len > tail && !strncmp(base + len - tail, SUFFIX, tail))
		return add_place(search, strndup(base, len), NULL);
	return add_place(search,
		kr_asprintf("%.*s%s/vulkan/%s", (int)len, base, middle, search->kind->folder),
		NULL);
}

/* The directories of a colon list. */
static int
add_list(struct search *search, const char *list)
{
	const char *item;
	size_t len;
	int ret = 0;

	while (!ret && kr_list_next(&list, ':', &item, &len)) {
		while (len && item[len - 1] == '/')
			len--;
		ret = add_base(search, item, len, "");
	}
	return ret;
}

/* A home: what `variable` names, which loaders take as a list too, else $HOME/`below`. */
static int
add_home(struct search *search, const char *variable, const char *below)
{
	const char *list = value_of(search, variable), *home = value_of(search, "HOME");

	if (list)
		return add_list(search, list);
	return home ? add_base(search, home, strlen(home), below) : 0;
}

static int
add_dirs(struct search *search, const char *variable, const char *fallback)
{
	const char *list = value_of(search, variable);

	return add_list(search, list ? list : fallback);
}

/* Where a profile has its configuration instead. */
static int
add_configured(struct search *search, const char *const *dirs)
{
	int ret = 0;

	for (; *dirs && !ret; dirs++)
		ret = add_base(search, *dirs, strlen(*dirs), "");
	return ret;
}

static int
add_xdg(struct search *search)
{
	int ret = add_home(search, "XDG_CONFIG_HOME", "/.config");

	if (!ret)
		ret = add_dirs(search, "XDG_CONFIG_DIRS", "/etc/xdg");
	if (!ret)
		ret = add_base(search, search->sysconfdir, strlen(search->sysconfdir), "");
	if (!ret)
		ret = add_home(search, "XDG_DATA_HOME", "/.local/share");
	if (!ret)
		ret = add_dirs(search, "XDG_DATA_DIRS", "/usr/local/share:/usr/share");
	return ret;
}

static int
add_standard(struct search *search)
{
	const char *const *dirs = kr_profile_get()->config_dirs;

	return dirs ? add_configured(search, dirs) : add_xdg(search);
}

static int
add_instead(struct search *search, const struct kr_names *paths)
{
	const char *variable = search->kind->override[0];
	int ret = 0;

	for (size_t i = 0; i < paths->count && !ret; i++)
		ret = add_place(search, strdup(paths->items[i]), NULL);
	if (search->env_get(variable))
		kr_log(KR_LOG_INFO | search->kind->log,
			"Ignoring %s. The Override layer is active and has override paths set, which takes priority. %s is set to %s",
			variable, variable, search->env_get(variable));
	return ret;
}

static int
add_all(struct search *search, const struct kr_names *instead)
{
	const char *const *override = search->kind->override;
	int ret;

	if (instead && instead->count)
		return add_instead(search, instead);
	for (size_t i = 0; i < 2 && override[i] && !search->no_override; i++) {
		if (search->env_get(override[i]))
			return add_variable(search, override[i]);
	}
	ret = search->no_override ? 0 : add_variable(search, search->kind->add);
	return ret || search->no_standard ? ret : add_standard(search);
}

bool
kr_search_is_replaced(enum kr_manifest_kind kind, const struct kr_search_options *options)
{
	const char *(*env_get)(const char *name) =
		options && options->env_get ? options->env_get : kr_env_get_raw;
	const char *const *override = kinds[kind].override;

	if (options && options->no_override)
		return false;
	return env_get(override[0]) || (override[1] && env_get(override[1]));
}

int
kr_search_places(enum kr_manifest_kind kind, const struct kr_search_options *options,
	struct kr_search_list *list)
{
	struct search search = {
		.kind = &kinds[kind],
		.env_get = options && options->env_get ? options->env_get : kr_env_get_raw,
		.sysconfdir = options && options->sysconfdir ? options->sysconfdir : "/etc",
		.no_override = options && options->no_override,
		.no_standard = options && options->no_standard,
	};
	int ret = add_all(&search, options ? options->instead : NULL);

	if (ret) {
		kr_search_list_finish(&search.list);
		return ret;
	}
	*list = search.list;
	return 0;
}

/*
 * fopen of a FIFO would wait for a writer, and a device for who knows what. Where the file system
 * doesn't tell (DT_UNKNOWN), and for a link, reading decides.
 */
static bool
can_be_a_file(const struct dirent *entry)
{
	switch (entry->d_type) {
	case DT_FIFO:
	case DT_SOCK:
	case DT_CHR:
	case DT_BLK:
		return false;
	default:
		return true;
	}
}

static int
add_directory(const struct kr_search_place *place, struct kr_search_list *files)
{
	DIR *dir = opendir(place->path);
	struct dirent *entry;
	int ret = 0;

	if (!dir) {
		if (place->variable)
			kr_warn("%s names %s: %s", place->variable, place->path, strerror(errno));
		return 0;
	}
	while (!ret && (entry = readdir(dir))) {
		if (!kr_has_suffix(entry->d_name, SUFFIX))
			continue;
		if (!can_be_a_file(entry))
			kr_warn("%s/%s is no file: passed over", place->path, entry->d_name);
		else
			ret = append(files, kr_asprintf("%s/%s", place->path, entry->d_name),
				place->variable);
	}
	closedir(dir);
	return ret;
}

int
kr_search_manifests(const struct kr_search_list *places, struct kr_search_list *files)
{
	struct kr_search_list found = {0};
	int ret = 0;

	for (size_t i = 0; i < places->count && !ret; i++) {
		const struct kr_search_place *place = &places->places[i];

		if (kr_has_suffix(place->path, SUFFIX))
			ret = append(&found, strdup(place->path), place->variable);
		else
			ret = add_directory(place, &found);
	}
	if (ret) {
		kr_search_list_finish(&found);
		return ret;
	}
	*files = found;
	return 0;
}

/* The lines that other loaders have. */
static void
tell(const char *intro, const struct kind *kind, const struct kr_search_list *list)
{
	const uint32_t bits = KR_LOG_DEBUG | kind->log;

	kr_log(bits, "   %s", list->count ? intro : "Found no files");
	for (size_t i = 0; i < list->count; i++)
		kr_log(bits, "      %s", list->places[i].path);
}

int
kr_manifest_find(enum kr_manifest_kind kind, const struct kr_search_options *options,
	struct kr_search_list *files)
{
	struct kr_search_list places;
	int ret = kr_search_places(kind, options, &places);

	if (ret)
		return ret;
	kr_log(KR_LOG_DEBUG | kinds[kind].log, "Searching for %s manifest files", kinds[kind].what);
	if (places.count)
		tell("In following locations:", &kinds[kind], &places);
	ret = kr_search_manifests(&places, files);
	kr_search_list_finish(&places);
	if (!ret)
		tell("Found the following files:", &kinds[kind], files);
	return ret;
}
