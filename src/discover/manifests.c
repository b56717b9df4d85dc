/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux drivers by their manifests (K-01 to K-04, docs/loader.md): those that the settings file
 * adds, then what the search finds; filters decide which of them are opened.
 */
#include "discover/sources.h"

#include <errno.h>

#include "discover/scan.h"
#include "manifest/driver_manifest.h"
#include "manifest/settings.h"
#include "util/env.h"
#include "util/log.h"

/* What stands for the variable of drivers that the settings file names. */
#define SETTINGS "settings"

static int
add_manifest(struct kr_driver_scan *scan, const char *path, const char *variable)
{
	struct kr_manifest_driver manifest;
	char *reason = NULL;
	int ret = kr_manifest_driver_read(path, &manifest, &reason);

	return kr_driver_scan_add(scan, path, variable, ret, &manifest, reason);
}

/* A variable that leaves a program without any driver deserves more than a debug line. */
static void
note_empty_override(const struct kr_discover_options *options, size_t manifests)
{
	static const char *const variables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};

	for (size_t i = 0; i < KR_ARRAY_LEN(variables); i++) {
		const char *value = options->search.env_get ? options->search.env_get(variables[i])
							    : kr_env_get_raw(variables[i]);

		if (!value)
			continue;
		if (!value[0])
			kr_log(KR_LOG_ERROR | KR_LOG_DRIVER,
				"%s is set to nothing, so that no driver is looked for: unset it to use those that are installed",
				variables[i]);
		else
			kr_log(KR_LOG_ERROR | KR_LOG_DRIVER, "%s=%s names %s", variables[i], value,
				manifests ? "no driver that can be used" : "no driver manifest");
		return;
	}
}

static int
scan_search(struct kr_driver_scan *scan)
{
	struct kr_list *last = scan->list->drivers.prev;
	struct kr_search_list files;
	int ret = kr_manifest_find(KR_MANIFEST_DRIVER, &scan->options->search, &files);

	if (ret)
		return ret;
	for (size_t i = 0; i < files.count && !ret; i++)
		ret = add_manifest(scan, files.places[i].path, files.places[i].variable);
	if (!ret && scan->list->drivers.prev == last && !scan->options->search.no_override &&
		!scan->list->portability_skipped)
		note_empty_override(scan->options, files.count);
	kr_search_list_finish(&files);
	return ret;
}

int
kr_discover_manifests(const struct kr_discover_options *options,
	const struct kr_driver_list *served, struct kr_driver_list *list)
{
	const struct kr_settings *settings = options->settings;
	struct kr_discover_options searched = *options;
	struct kr_driver_scan scan;
	int ret = 0;

	/* The devices that the settings file lists are looked for among all drivers. */
	searched.search.no_override |= settings && settings->device_count;
	kr_driver_scan_begin(&scan, &searched, list);
	scan.served = served;
	for (size_t i = 0; settings && !ret && i < settings->driver_count; i++)
		ret = add_manifest(&scan, settings->driver_paths[i], SETTINGS);
	if (ret || (settings && settings->drivers_exclusive))
		return ret;
	return scan_search(&scan);
}
