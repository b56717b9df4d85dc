/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the package part share. For them and their tests alone. */
#ifndef KR_SERVICE_PACKAGE_INTERNAL_H
#define KR_SERVICE_PACKAGE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include "service/package/package.h"
#include "util/macros.h"

/* What is written: I-01's layout (layout.h has those that are read). */
#define KR_PACKAGE_METADATA  "metadata/metadata.json"
#define KR_PACKAGE_CONTENTS  "contents"
#define KR_PACKAGE_MAX_TEXT  ((size_t)65536) /* metadata.json, a manifest */
#define KR_PACKAGE_MAX_FILE  ((uint64_t)1 << 31)
#define KR_PACKAGE_MAX_TOTAL ((uint64_t)1 << 32)
/* A name for Get has 64 bytes: the number of a generation, a dash, the manifest's library_path. */
#define KR_PACKAGE_MAX_LIBRARY_PATH 48

/* Makes the sentence the reason; returns `code`, or -ENOMEM without memory for it. */
int kr_package_refuse(char **reason, int code, const char *fmt, ...) KR_PRINTF(3, 4);

/* An empty one with that name and path; NULL without memory. */
struct kr_package *kr_package_new(const char *name, size_t name_len, const char *path);
/*
 * Takes path and fd, on failure too. 0, -EFBIG (too many, or too large) or -ENOMEM with a sentence.
 */
int kr_package_add_file(struct kr_package *package, char *take_path, int take_fd,
	const struct stat *status, char **reason) KR_MUST_CHECK;
/* NULL: none of that path. */
struct kr_package_file *kr_package_find_file(const struct kr_package *package, const char *path);

/* Whether all of it is printable ASCII: names go into JSON and messages. */
bool kr_package_is_printable(const char *text);
/*
 * Whether it is relative and without "", "." and ".." in it; what messages say of one that isn't.
 */
bool kr_package_path_is_good(const char *path);
#define KR_PACKAGE_PATH_RULE                                                                       \
	"a path must be relative, of printable ASCII characters, without empty parts, \".\" and "  \
	"\"..\""
const char *kr_package_base_name(const char *path);

/* All of a small file, with a zero behind it, which isn't counted. 0, -EFBIG, -ENOMEM, -errno. */
int kr_package_read_text(int fd, char **text, size_t *size) KR_MUST_CHECK;
/*
 * A regular file, pinned: opened O_RDONLY from an O_PATH descriptor, so that nothing but a regular
 * file is ever opened. 0, -EISDIR, -ENODEV (a device, a FIFO, a socket) or -errno.
 */
int kr_package_pin(int path_fd, const struct stat *status, int *fd) KR_MUST_CHECK;
/* The same by a path, with its status. */
int kr_package_pin_path(const char *path, int *fd, struct stat *status) KR_MUST_CHECK;

/*
 * All of a small regular file below a directory, and its status. Messages call it `name`. 0 or
 * -errno with a sentence.
 */
int kr_package_read_beneath(int root, const char *path, const char *name, char **text, size_t *size,
	struct stat *status, char **reason) KR_MUST_CHECK;

/* Adds a copy to a list that ends with NULL (NULL: empty), unless it is there. 0 or -ENOMEM. */
int kr_package_list_add(char ***list, const char *text) KR_MUST_CHECK;
size_t kr_package_list_count(char *const *list);

/*
 * metadata.json: I-01's three keys and Krafla's own; messages call it metadata_file. 0, -EINVAL or
 * -ENOMEM with a sentence.
 */
int kr_package_parse_metadata(
	struct kr_package *package, const char *text, size_t size, char **reason) KR_MUST_CHECK;
/* The manifest; `path` is what messages call it. 0, -EINVAL or -ENOMEM with a sentence. */
int kr_package_parse_manifest(struct kr_package *package, const char *path, const char *text,
	size_t size, char **reason) KR_MUST_CHECK;
/* The manifest with another library_path: a new string, NULL without memory. */
char *kr_package_renamed_manifest(const char *manifest, const char *library_path);

#endif
