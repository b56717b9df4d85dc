/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings in manifests: names of layers, paths. Thread-safety: no shared state. */
#ifndef KR_MANIFEST_NAMES_H
#define KR_MANIFEST_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include "util/json.h"
#include "util/macros.h"

struct kr_names {
	char **items;
	size_t count;
};

/*
 * The strings of a JSON array, NULL or another type for none; elements that are no strings are
 * passed over. 0 or -ENOMEM. What was read is freed by kr_names_finish either way.
 */
int kr_names_read(const struct kr_json *array, struct kr_names *names) KR_MUST_CHECK;
void kr_names_finish(struct kr_names *names);
bool kr_names_have(const struct kr_names *names, const char *name);

#endif
