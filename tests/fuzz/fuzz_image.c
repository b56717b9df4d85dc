/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz target: the dynamic section and versions of a library's file, and glibc's
 * cache of libraries.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "delivery/image.h"
#include "delivery/ld_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every name is a string: it ends. */
static int
read_name(void *data, const char *name)
{
	*(size_t *)data += strlen(name) + 1;
	return 0;
}

static int
read_names(void *data, const char *library, const char *version)
{
	return read_name(data, library) || read_name(data, version);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kr_image image;
	size_t seen = 0;

	kr_ld_cache_for_each(data, size, "libc.so.6", read_name, &seen);
	if (kr_image_from_bytes(data, size, &image))
		return 0;
	if (kr_image_soname(&image))
		read_name(&seen, kr_image_soname(&image));
	kr_image_for_each_needed(&image, read_name, &seen);
	kr_image_for_each_defined(&image, read_name, &seen);
	kr_image_for_each_wanted(&image, read_names, &seen);
	if (kr_image_has_versions(&image) && kr_image_defines(&image, "GLIBC_2.4"))
		seen++;
	return seen > 1u << 30;
}
