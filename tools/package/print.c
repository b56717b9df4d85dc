/* SPDX-License-Identifier: Apache-2.0 */
/* Words about a package: see print.h. */
#include "tools/package/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/package/claims.h"

#define CLEAR_LINE "\r\033[K"
#define MEGA       1000000.0

void
kr_print_reading(void *data, const char *what, size_t done, size_t total)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (total)
		fprintf(stderr, CLEAR_LINE "reading %zu of %zu: %s", done + 1, total, what);
	else
		fprintf(stderr, CLEAR_LINE "%s", what);
}

void
kr_print_writing(void *data, const char *what, size_t done, size_t total)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, CLEAR_LINE "writing %.0f of %.0f MB: %s", (double)done / MEGA,
			(double)total / MEGA, what);
}

void
kr_print_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs(CLEAR_LINE, stderr);
}

static const struct kr_package_file *
find_soname(const struct kr_package *package, const char *soname)
{
	for (size_t i = 0; i < package->file_count; i++) {
		if (package->files[i].soname && !strcmp(package->files[i].soname, soname))
			return &package->files[i];
	}
	return NULL;
}

/* Libraries that the process brings itself: needs that are neither in the package nor glibc's. */
static void
print_missing(const struct kr_package *package)
{
	const char *between = "";

	fputs("  needs of the application: ", stdout);
	for (size_t i = 0; i < package->need_count; i++) {
		const char *library = package->needs[i].library;

		if (find_soname(package, library) || !kr_package_is_applications(library))
			continue;
		printf("%s%s", between, library);
		between = ", ";
	}
	puts(*between ? "" : "no libraries");
}

/* Those that are here for processes that have none. */
static void
print_own(const struct kr_package *package)
{
	const char *between = "  where the application has them, its own: ";

	for (size_t i = 0; i < package->file_count; i++) {
		const char *soname = package->files[i].soname;

		if (!soname || !kr_package_is_applications(soname))
			continue;
		printf("%s%s", between, soname);
		between = ", ";
	}
	if (*between == ',')
		puts("");
}

static void
print_list(const char *what, char *const *list, const char *none)
{
	printf("  %s: ", what);
	for (size_t i = 0; list && list[i]; i++)
		printf("%s%s", i ? ", " : "", list[i]);
	puts(list && list[0] ? "" : none);
}

/* "i915, 8086:9a49, mali*"; nothing when it doesn't say it. */
static void
print_claims(const struct kr_package *package)
{
	json_t *list = kr_package_list_claims(package), *claim;
	size_t i;

	if (!list)
		return;
	printf("  devices that it serves: ");
	json_array_foreach(list, i, claim)
	{
		const char *driver = json_string_value(json_object_get(claim, "kernel_driver"));
		const char *pci = json_string_value(json_object_get(claim, "pci"));
		const char *node = json_string_value(json_object_get(claim, "node"));

		printf("%s%s%s%s%s", i ? ", " : "", driver ? driver : "", driver && pci ? " " : "",
			pci ? pci : "", node ? node : "");
	}
	puts(json_array_size(list) ? "" : "none by itself");
	json_decref(list);
}

void
kr_print_package(const struct kr_package *package, const json_t *warnings, const char *headline)
{
	size_t libraries = 0;
	const json_t *warning;
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < package->file_count; i++) {
		libraries += package->files[i].role == KR_INDEX_LIBRARY ||
			package->files[i].role == KR_INDEX_RUNTIME;
		size += package->files[i].size;
	}
	printf("%s\n  driver: %s, Vulkan %s, with %zu %s: %.1f MB\n", headline, package->file_path,
		package->api_version, libraries, libraries == 1 ? "library" : "libraries",
		(double)size / MEGA);
	printf("  needs: glibc %s, libstdc++ %s\n",
		package->glibc ? package->glibc : "of any version",
		package->libstdcxx ? package->libstdcxx : "not at all");
	print_missing(package);
	print_own(package);
	print_list("device nodes in /dev", package->nodes, "none");
	print_claims(package);
	print_list("files of the system", package->system_paths, "none");
	print_list("libraries that it opens itself", package->runtime_libraries, "none known");
	print_list("families of imports, which are declared", package->imports, "none");
	if (package->environment)
		print_list("variables that name its files", package->environment, "none");
	if (package->compiles_at_run_time)
		printf("  compiles at run time: a service may refuse it%s\n",
			package->compiles_is_said ? "" : " (guessed)");
	json_array_foreach(warnings, i, warning)
		printf("  warning: %s\n", json_string_value(warning));
}
