/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small strict JSON reader (RFC 8259) for manifests and settings: whole document in memory, UTF-8
 * checked, no duplicate-key magic (first wins), depth and size limited. It loads into every Vulkan
 * process, so it needs libc alone; tools use jansson.
 */
#ifndef KR_UTIL_JSON_H
#define KR_UTIL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

#define KR_JSON_MAX_SIZE  (1 << 20)
#define KR_JSON_MAX_DEPTH 64

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
	char text[80];
};

/*
 * Parses `size` bytes. 0, or -EINVAL (malformed; error says where), -EFBIG, -ENOMEM. The root is
 * freed with kr_json_free; every value inside is borrowed from it.
 */
int kr_json_parse(const char *text, size_t size, struct kr_json **root, struct kr_json_error *error)
	KR_MUST_CHECK;
/*
 * Reads a file with fopen. Also -errno of opening or reading; a file above the limit is -EFBIG, and what is
 * no regular file -EINVAL: a FIFO would be waited for.
 */
int kr_json_read_file(const char *path, struct kr_json **root, struct kr_json_error *error)
	KR_MUST_CHECK;
void kr_json_free(struct kr_json *root);

/* All accessors take NULL and answer NULL, 0 or false for it and for another type. */
enum kr_json_type kr_json_type(const struct kr_json *value);
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
