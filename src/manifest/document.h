/* SPDX-License-Identifier: Apache-2.0 */
/* What driver and layer manifests share: reading, versions, library paths. For this room alone. */
#ifndef KR_MANIFEST_DOCUMENT_H
#define KR_MANIFEST_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include "util/json.h"
#include "util/macros.h"

/*
 * Reads the file, leniently (kr_json_parse_lenient; a warning says what is wrong with it), and sees
 * to it that it holds an object. 0 or -errno with a sentence in *reason (free; NULL without
 * memory). `log` is KR_LOG_DRIVER or KR_LOG_LAYER.
 */
int kr_document_read(const char *path, uint32_t log, struct kr_json **root, char **reason)
	KR_MUST_CHECK;

/*
 * Logs "PATH: sentence" and makes it the reason; a warning unless `log` has a severity. Returns
 * `code` for the caller to return.
 */
int kr_document_refuse(const char *path, uint32_t log, int code, char **reason, const char *fmt,
	...) KR_PRINTF(5, 6);

/*
 * "1.2.3" or "1.2.3.4" (variant first) as VK_MAKE_API_VERSION; missing parts are 0 and more than
 * four ignored. False when something of it can't be read: such a part is 0 or what precedes, and
 * one that is too large the largest.
 */
bool kr_version_from_text(const char *text, uint32_t *version);

/*
 * A member as a version, whatever it is: installed files have "1.x" and 1.3 there, and other
 * loaders use them. A warning says what it was taken for. 0, or -EINVAL when there is none.
 */
int kr_member_version(const struct kr_json *object, const char *key, const char *path, uint32_t log,
	uint32_t *version) KR_MUST_CHECK;

/*
 * What dlopen takes for a library_path of this manifest: without a slash as it stands, absolute as
 * it stands, otherwise relative to the manifest's directory. NULL without memory.
 */
char *kr_manifest_library_path_resolve(const char *manifest, const char *library_path);

/* library_arch of an object: 32, 64, 0 when absent; -EINVAL for anything else. */
int kr_manifest_library_arch(const struct kr_json *object, uint32_t *arch) KR_MUST_CHECK;

/* A string member of an object, or NULL. */
const char *kr_member_string(const struct kr_json *object, const char *key);
/* A number that is written as a string, or as one; 0 when it is neither. */
uint32_t kr_member_number(const struct kr_json *object, const char *key);

#endif
