/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz target: metadata.json and manifests of packages. What is accepted has all that a service
 * relies on, and what is refused has a reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/component.h"
#include "service/package/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_package: %s\n", what);
	abort();
}

static struct kr_package *
new_package(void)
{
	struct kr_package *package = kr_package_new("p", 1, "/d/p");

	check(package, "memory");
	package->metadata_file = strdup("/d/p/metadata/metadata.json");
	check(package->metadata_file, "memory");
	return package;
}

static void
check_paths(char *const *list)
{
	for (; list && *list; list++)
		check(kr_package_path_is_good(*list), "a path that leads out");
}

static void
check_environment(char *const *list)
{
	for (; list && *list; list++) {
		const char *equals = strchr(*list, '=');
		char *name = strndup(*list, equals ? (size_t)(equals - *list) : 0);

		check(name && kr_index_is_variable(name), "a variable that none may set");
		check(kr_package_path_is_good(equals + 1), "a variable that leads out");
		free(name);
	}
}

static void
fuzz_metadata(const uint8_t *data, size_t size)
{
	struct kr_package *package = new_package();
	char *reason = NULL;

	if (kr_package_parse_metadata(package, (const char *)data, size, &reason)) {
		check(reason, "metadata is refused without a reason");
	} else {
		check(!reason, "a reason without a refusal");
		check(kr_package_path_is_good(package->file_path), "file_path");
		check(kr_package_path_is_good(package->manifest_path), "manifest_path");
		check_paths(package->data_files);
		check_paths(package->runtime_libraries);
		check_paths(package->nodes);
		check_environment(package->environment);
	}
	free(reason);
	kr_package_destroy(package);
}

static void
fuzz_manifest(const uint8_t *data, size_t size)
{
	struct kr_package *package = new_package();
	char *reason = NULL, *text;

	if (kr_package_parse_manifest(package, "/d/t.json", (const char *)data, size, &reason)) {
		check(reason, "a manifest is refused without a reason");
	} else {
		check(!reason, "a reason without a refusal");
		check(strlen(package->library_path) <= KR_PACKAGE_MAX_LIBRARY_PATH &&
				!strchr(package->library_path, '/'),
			"library_path");
		text = kr_package_served_manifest(package, "0-x");
		check(text && strstr(text, "\"0-x\""), "a manifest that can't be served");
		free(text);
	}
	free(reason);
	kr_package_destroy(package);
}

static void
fuzz_component(const uint8_t *data, size_t size)
{
	struct kr_component component;
	char *why, *text;

	if (kr_component_parse((const char *)data, size, &component, &why)) {
		check(why, "a component is refused without a reason");
	} else {
		check(!why, "a reason without a refusal");
		check(*component.directory == '/', "a directory that is relative");
		text = kr_component_text(&component);
		check(text, "a component that can't be written");
		free(text);
		kr_component_finish(&component);
	}
	free(why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_component(data, size);
	fuzz_metadata(data, size);
	fuzz_manifest(data, size);
	return 0;
}
