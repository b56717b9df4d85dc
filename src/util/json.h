/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small JSON reader (RFC 8259): whole document in memory, no duplicate-key magic (first wins),
 * depth, size and number of values limited. It loads into every Vulkan process, so it needs libc
 * alone; tools use jansson.
 *
 * What Krafla's own parts say to each other and what configures them is read strictly. Manifests
 * and settings that are installed are read leniently: other loaders take them with mistakes in
 * them, and who has such a driver has no other. See kr_json_parse_lenient.
 */
#ifndef KR_UTIL_JSON_H
#define KR_UTIL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_JSON_MAX_SIZE  (1 << 20)
#define KR_JSON_MAX_DEPTH 64
/*
 * Of files, which may hold long texts: a hundred times what the largest layer's manifest has, and
 * read in a tenth of a second. The values in it cost more memory than their text, so there may be
 * no more of them than a document of KR_JSON_MAX_SIZE can have.
 */
#define KR_JSON_MAX_FILE   (16 << 20)
#define KR_JSON_MAX_VALUES (1 << 19)

enum kr_json_type {
	KR_JSON_NULL,
	KR_JSON_BOOL,
	KR_JSON_NUMBER,
	KR_JSON_STRING,
	KR_JSON_ARRAY,
	KR_JSON_OBJECT,
};

struct kr_json; /* one value; lives as long as the document's root */

struct kr_json_error {
	size_t line; /* from 1; 0 when the error has no place */
	size_t column;
	char text[80]; /* "" when nothing is wrong */
};

/*
 * Parses `size` bytes. 0, or -EINVAL (malformed; error says where), -EFBIG, -ENOMEM. The root is
 * freed with kr_json_free; every value inside is borrowed from it.
 */
int kr_json_parse(const char *text, size_t size, struct kr_json **root, struct kr_json_error *error)
	KR_MUST_CHECK;
/*
 * The same for what people have installed, up to KR_JSON_MAX_FILE: passes over control characters
 * between values and takes them as they are in strings, where it also takes bytes that aren't UTF-8
 * (a path may have them) and escapes that mean nothing, as the character behind the backslash or,
 * of a code, as nothing; numbers may begin with 0, one that is too large is infinite, and whatever
 * follows the document isn't read. `error` then tells the first of these, though 0 is returned.
 * Brackets, commas, quotes must stand where they belong: no loader guesses there.
 */
int kr_json_parse_lenient(const char *text, size_t size, struct kr_json **root,
	struct kr_json_error *error) KR_MUST_CHECK;
/*
 * Reads a file with fopen, leniently. Also -errno of opening or reading; a file above the limit is
 * -EFBIG, and what is no regular file -EINVAL: a FIFO would be waited for.
 */
int kr_json_read_file(const char *path, struct kr_json **root, struct kr_json_error *error)
	KR_MUST_CHECK;
void kr_json_free(struct kr_json *root);

/* All accessors take NULL and answer NULL, 0 or false for it and for another type. */
enum kr_json_type kr_json_type_of(const struct kr_json *value);
const struct kr_json *kr_json_get(const struct kr_json *object, const char *key);
size_t kr_json_count(const struct kr_json *array_or_object);
const struct kr_json *kr_json_at(const struct kr_json *array_or_object, size_t index);
/* The key of the index-th member of an object. */
const char *kr_json_key_at(const struct kr_json *object, size_t index);
/* A string value; strings that hold U+0000 are refused by the parser. */
const char *kr_json_string(const struct kr_json *value);
bool kr_json_bool(const struct kr_json *value);
double kr_json_number(const struct kr_json *value);

#endif
