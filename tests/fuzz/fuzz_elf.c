/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz target: the libraries of a package. The input is the driver of a package of one file, and is
 * read, checked and described; it may be anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/package/internal.h"
#include "util/fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_elf: %s\n", what);
	abort();
}

static struct kr_package *
make_package(const uint8_t *data, size_t size)
{
	struct kr_package *package = kr_package_new("p", 1, "/d/p");
	int fd = memfd_create("driver", MFD_CLOEXEC);
	struct stat status;
	char *reason = NULL;

	check(package && fd >= 0 && write(fd, data, size) == (ssize_t)size && !fstat(fd, &status),
		"setup");
	check(!kr_package_add_file(package, strdup("d.so"), fd, &status, &reason), "a file");
	package->file_path = strdup("d.so");
	package->manifest_path = strdup("t.json");
	package->library_path = strdup("d.so");
	package->api_version = strdup("1.0");
	return package;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kr_package *package = make_package(data, size);
	json_t *warnings = json_array();
	char *reason = NULL, *text;
	int ret = kr_package_check(package, warnings, &reason);

	check(!ret == !reason, "a reason that doesn't fit");
	if (!ret) {
		text = kr_package_index(package, "0-d.so");
		check(text, "a good package without an index");
		free(text);
	}
	free(reason);
	json_decref(warnings);
	kr_package_destroy(package);
	return 0;
}
