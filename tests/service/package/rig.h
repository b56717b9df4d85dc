/* SPDX-License-Identifier: Apache-2.0 */
/* Package directories for tests, made of the small libraries of part.c. */
#ifndef KR_TESTS_SERVICE_PACKAGE_RIG_H
#define KR_TESTS_SERVICE_PACKAGE_RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "service/package/package.h"

#define RIG_MANIFEST                                                                               \
	"{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"libvulkan_t.so\", "    \
	"\"api_version\": \"1.3.0\"}}"
#define RIG_METADATA                                                                               \
	"{\"version\": 1, \"file_path\": \"libvulkan_t.so\", \"manifest_path\": \"t.json\"}"

/*
 * A package directory "p" in kr_test_dir with metadata, manifest and no libraries; its path. Once a
 * case.
 */
const char *rig_package(const char *metadata, const char *manifest);
/*
 * KRAFLA_TEST_LAYOUT: "component" (I-01's, and without the variable), "fuchsia", where the contents
 * are the package itself, or "flat".
 */
struct rig_layout {
	const char *name;
	const char *metadata; /* below the package */
	const char *contents; /* "/contents", or "" */
};
const struct rig_layout *rig_layout(void);
/* Another one from here on; borrows. */
void rig_choose_layout(const char *name);
/* Whether metadata.json is one of the files of the contents, too. */
bool rig_is_all_contents(void);
/* Where metadata.json lies. */
const char *rig_metadata_path(void);
/* Writes metadata.json anew. */
void rig_metadata(const char *metadata);
/* The same of what needn't be text. */
void rig_metadata_bytes(const void *data, size_t size);
/* Copies a built library ("good.so") into contents under that name. */
void rig_add(const char *name, const char *part);
/* Writes a file in contents; folders are made. */
void rig_write(const char *name, const char *text);
/* The same of what needn't be text; the folder must be there. */
void rig_write_bytes(const char *name, const void *data, size_t size);
/* A path in contents, or of the package itself with NULL. */
const char *rig_path(const char *name);
/* Where the built library is. */
const char *rig_part(const char *part);

/* Gives `path` the times of `like`, so that they don't tell a change. */
void rig_same_times(const char *path, const char *like);

/* Opens the rig's package; it must succeed. */
struct kr_package *rig_open(void);
/* Opening must fail with `code` and a sentence that holds `words`. */
void rig_open_fails(int code, const char *words);
/* Opening and checking; the package must be good. */
struct kr_package *rig_check(json_t *warnings);
/* Opening must work and checking fail with -EINVAL and `words`. */
void rig_check_fails(const char *words);
/* The same with a package that is just made of one driver, as libvulkan_t.so. */
void rig_driver_fails(const char *part, const char *words);

/* Whether one of the warnings holds the words. */
bool rig_warned(const json_t *warnings, const char *words);

#endif
