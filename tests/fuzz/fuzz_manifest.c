/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: manifests of drivers and layers. What is read has all that a reader relies on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "manifest/driver_manifest.h"
#include "manifest/layer_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_manifest: %s\n", what);
	abort();
}

/* Layers are read from files: one in memory, reached by its descriptor. */
static const char *
put(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("manifest", MFD_CLOEXEC);
		check(fd >= 0, "memfd_create");
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	check(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size, "write");
	return path;
}

/* From a file, which is read leniently, or as text (`path` NULL). */
static void
fuzz_driver(const char *path, const uint8_t *data, size_t size)
{
	struct kr_manifest_driver manifest;
	char *reason = NULL;

	if (path ? kr_manifest_driver_read(path, &manifest, &reason)
		 : kr_manifest_driver_parse(
			   "/d/driver.json", (const char *)data, size, &manifest, &reason)) {
		check(reason, "a driver is refused without a reason");
	} else {
		check(manifest.library_path[0] && !reason, "a driver without a library");
		kr_manifest_driver_finish(&manifest);
	}
	free(reason);
}

static void
check_layer(const struct kr_manifest_layer *layer, bool implicit)
{
	check(layer->name[0] && memchr(layer->name, 0, sizeof(layer->name)), "a name");
	check(memchr(layer->description, 0, sizeof(layer->description)), "a description");
	check(layer->implicit == implicit, "a kind");
	check(!implicit || (layer->disable_environment.name && layer->disable_environment.name[0]),
		"an implicit layer that can't be turned off");
	check(!layer->library_path || !layer->components.count, "a library and components");
	check(!layer->override || implicit, "an explicit override layer");
}

static void
fuzz_layers(const char *path, bool implicit)
{
	struct kr_manifest_layer *layer, *next;
	struct kr_list layers;
	char *reason = NULL;
	int ret;

	kr_list_init(&layers);
	ret = kr_manifest_layer_read(path, implicit, &layers, &reason);
	check(!ret || reason, "layers are refused without a reason");
	check(!ret == !kr_list_empty(&layers), "a verdict that isn't that of the list");
	kr_list_for_each_safe (layer, next, &layers, link) {
		check_layer(layer, implicit);
		kr_manifest_layer_destroy(layer);
	}
	free(reason);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = put(data, size);

	fuzz_driver(NULL, data, size);
	fuzz_driver(path, data, size);
	fuzz_layers(path, false);
	fuzz_layers(path, true);
	return 0;
}
