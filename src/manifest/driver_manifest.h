/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON manifest of a Linux driver (ICD). Thread-safety: no shared state. */
#ifndef KR_MANIFEST_DRIVER_MANIFEST_H
#define KR_MANIFEST_DRIVER_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_manifest_driver {
	char *path;
	char *library_path;   /* as dlopen takes it: a bare name, or a path made from the manifest's
			       */
	uint32_t api_version; /* VK_MAKE_API_VERSION form */
	uint32_t library_arch; /* 32, 64; 0 when the manifest doesn't say */
	bool portability;
};

/*
 * Reads one manifest. 0, or -ENOMEM, -EINVAL (not a driver's manifest), -EFBIG, -ELIBBAD
 * (library_arch of another word size), -errno of opening it; then *reason (free) is a sentence with
 * file and cause (NULL only without memory), which has been logged, and *manifest is untouched.
 */
int kr_manifest_driver_read(const char *path, struct kr_manifest_driver *manifest, char **reason)
	KR_MUST_CHECK;
/* The same from text, which is no file: `path` is what it is called in messages. */
int kr_manifest_driver_parse(const char *path, const char *text, size_t size,
	struct kr_manifest_driver *manifest, char **reason) KR_MUST_CHECK;
void kr_manifest_driver_finish(struct kr_manifest_driver *manifest);

#endif
