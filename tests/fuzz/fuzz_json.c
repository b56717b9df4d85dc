/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the JSON reader, and everything that can be asked of what it gave. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
visit(const struct kr_json *value, unsigned depth)
{
	size_t seen = 1;

	if (depth > KR_JSON_MAX_DEPTH)
		abort();
	if (kr_json_string(value))
		seen += strlen(kr_json_string(value));
	for (size_t i = 0; i < kr_json_count(value); i++) {
		const char *key = kr_json_key_at(value, i);

		/* The first of equal keys wins, so this finds a member, if not the same. */
		if (key && !kr_json_get(value, key))
			abort();
		seen += visit(kr_json_at(value, i), depth + 1);
		if (i == 64)
			break;
	}
	return seen;
}

static int
take(int (*parse)(const char *, size_t, struct kr_json **, struct kr_json_error *),
	const uint8_t *data, size_t size, struct kr_json_error *error)
{
	struct kr_json *root;
	int ret = parse((const char *)data, size, &root, error);

	if (memchr(error->text, 0, sizeof(error->text)) == NULL || (ret && !error->text[0]))
		abort();
	if (ret)
		return ret;
	if (!visit(root, 0))
		abort();
	kr_json_free(root);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kr_json_error error = {0}, lenient_error = {0};
	int ret = take(kr_json_parse, data, size, &error);
	int lenient = take(kr_json_parse_lenient, data, size, &lenient_error);

	/* What is JSON is read by both, and then there is nothing to tell. */
	if (!ret && (lenient || lenient_error.text[0] || error.text[0]))
		abort();
	if (ret == -EINVAL && !lenient && !lenient_error.text[0])
		abort();
	return 0;
}
