/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The installed driver that is delivered: found as the loader finds them, passing over those
 * whose hardware isn't here. A software driver comes last: it works everywhere, and is what
 * nobody wants who has another.
 */
#include "tools/deliver/parcel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "discover/discover.h"
#include "manifest/driver_manifest.h"
#include "manifest/filters.h"
#include "service/package/package.h"
#include "tools/command/command.h"
#include "util/text.h"

struct search {
	const char *wanted; /* NULL: the best */
	struct kr_discover_options options;
	struct kr_filters select, disable;
	struct kr_words found; /* a line each, for who asked for another */
	char *best;            /* a manifest */
	bool best_is_software;
};

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "lvp" of "libvulkan_lvp.so" and of "libvulkan_lvp.so.1". */
static bool
is_short_name(const char *name, const char *library)
{
	static const char prefix[] = "libvulkan_";
	size_t length = strlen(name);

	return !strncmp(library, prefix, strlen(prefix)) &&
		!strncmp(library + strlen(prefix), name, length) &&
		!strncmp(library + strlen(prefix) + length, ".so", 3);
}

bool
kr_deliver_is_named(const char *name, const char *library, const char *manifest)
{
	size_t length = strlen(name);
	const char *base = file_name(manifest);

	if (!length)
		return false;
	library = file_name(library);
	if (!strcmp(name, library) || !strcmp(name, base) || is_short_name(name, library))
		return true;
	return !strncmp(base, name, length) &&
		(!strcmp(base + length, ".json") || !strncmp(base + length, "_icd.", 5));
}

static bool
is_filtered(const struct search *search, const char *manifest)
{
	bool selected = kr_filters_match(&search->select, file_name(manifest));

	return !selected &&
		(search->select.count || kr_filters_match(&search->disable, file_name(manifest)));
}

/* Whether it may be the one; if not, *why is a sentence (NULL without memory). */
static bool
is_eligible(const struct search *search, const struct kr_manifest_driver *manifest,
	const char *variable, char **why)
{
	if (search->wanted) {
		if (kr_deliver_is_named(search->wanted, manifest->library_path, manifest->path))
			return true;
		*why = strdup(manifest->path);
		return false;
	}
	if (is_filtered(search, manifest->path)) {
		*why = kr_asprintf(
			"%s, left out by a variable VK_LOADER_DRIVERS_*", manifest->path);
		return false;
	}
	return !kr_driver_absent(&search->options, manifest->library_path, variable, why);
}

static void
consider(struct search *search, const struct kr_manifest_driver *manifest, const char *variable)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(manifest->library_path);
	bool software = rule && rule->always;
	char *why = NULL;

	if (!is_eligible(search, manifest, variable, &why)) {
		kr_words_addf(&search->found, "%s (%s)", file_name(manifest->library_path),
			why ? why : manifest->path);
	} else if (!search->best || (search->best_is_software && !software)) {
		free(search->best);
		search->best = strdup(manifest->path);
		search->best_is_software = software;
	}
	free(why);
}

static int
search_manifests(struct search *search)
{
	struct kr_search_list files = {0};
	int err = kr_manifest_find(KR_MANIFEST_DRIVER, &search->options.search, &files);

	for (size_t i = 0; !err && i < files.count; i++) {
		struct kr_manifest_driver manifest;
		char *reason = NULL;

		if (!kr_manifest_driver_read(files.places[i].path, &manifest, &reason)) {
			consider(search, &manifest, files.places[i].variable);
			kr_manifest_driver_finish(&manifest);
		} else {
			kr_words_add(&search->found, reason ? reason : files.places[i].path);
		}
		free(reason);
	}
	kr_search_list_finish(&files);
	return err;
}

static void
tell_none(const struct search *search)
{
	if (search->wanted)
		kr_complain("deliver", "there is no driver '%s' here%s", search->wanted,
			search->found.count ? "; there are:" : ", nor any other");
	else
		kr_complain("deliver", "no driver is installed here whose hardware is%s",
			search->found.count ? "; there are:" : "");
	for (size_t i = 0; i < search->found.count; i++)
		fprintf(stderr, "  %s\n", search->found.items[i]);
}

/* The manifest of the driver that is wanted: a new string in *manifest. 0 or an exit code. */
static int
find_manifest(const char *wanted, char **manifest)
{
	struct search search = {.wanted = wanted};
	int err;

	kr_filters_read(&search.select, "VK_LOADER_DRIVERS_SELECT", NULL);
	kr_filters_read(&search.disable, "VK_LOADER_DRIVERS_DISABLE", NULL);
	err = search_manifests(&search);
	if (err)
		kr_complain("deliver", "can't look for drivers: %s", strerror(-err));
	else if (!search.best)
		tell_none(&search);
	*manifest = search.best;
	kr_words_finish(&search.found);
	return search.best ? 0 : KR_EXIT_FAILURE;
}

static int
build_package(const char *path, bool trace, struct kr_package **package, char **reason)
{
	char *probe = trace ? kr_find_probe() : NULL;
	const struct kr_package_source_options options = {.trace = trace, .probe_program = probe};
	int err = kr_package_from_manifest(path, &options, package, reason);

	if (!err) {
		err = kr_package_check(*package, NULL, reason);
		if (err) {
			kr_package_destroy(*package);
			*package = NULL;
		}
	}
	free(probe);
	return err;
}

/*
 * The package of an installed driver. In a sandbox the libraries that it opens itself are missing
 * unless they are in the package, so there it is tried and watched; one that can't be is given as
 * it is, and that is told.
 */
static int
build_traced(const char *path, bool sandbox, struct kr_package **package, char **reason)
{
	char *why = NULL;

	if (sandbox && !build_package(path, true, package, &why))
		return 0;
	if (build_package(path, false, package, reason)) {
		free(why);
		return -EINVAL;
	}
	if (sandbox)
		kr_complain("deliver",
			"libraries that the driver opens itself may be missing in the sandbox: %s",
			why ? why : "out of memory");
	free(why);
	return 0;
}

static int
open_package(const char *path, bool sandbox, struct kr_parcel *parcel)
{
	struct stat status;
	char *reason = NULL;
	int err;

	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		err = kr_package_open(path, &parcel->package, &reason);
		if (!err)
			err = kr_package_check(parcel->package, NULL, &reason);
	} else {
		err = build_traced(path, sandbox, &parcel->package, &reason);
	}
	if (err) {
		kr_complain("deliver", "can't make a package of '%s': %s", path,
			reason ? reason : "out of memory");
	} else {
		parcel->name = strdup(parcel->package->name);
		parcel->api_version = strdup(parcel->package->api_version);
	}
	free(reason);
	return err ? KR_EXIT_FAILURE : 0;
}

int
kr_deliver_choose(const struct kr_deliver_options *options, struct kr_parcel *parcel)
{
	const char *driver = options->driver;
	char *manifest = NULL;
	int code;

	if (driver && strchr(driver, '/'))
		return open_package(driver, options->sandbox, parcel);
	code = find_manifest(driver, &manifest);
	if (!code)
		code = open_package(manifest, options->sandbox, parcel);
	free(manifest);
	return code;
}
