/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings: see names.h. */
#include "manifest/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
kr_names_read(const struct kr_json *array, struct kr_names *names)
{
	size_t count = kr_json_type_of(array) == KR_JSON_ARRAY ? kr_json_count(array) : 0;

	if (!count)
		return 0;
	names->items = calloc(count, sizeof(*names->items));
	if (!names->items)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *text = kr_json_string(kr_json_at(array, i));
		char *copy = text ? strdup(text) : NULL;

		if (text && !copy)
			return -ENOMEM;
		if (copy)
			names->items[names->count++] = copy;
	}
	return 0;
}

void
kr_names_finish(struct kr_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct kr_names){0};
}

bool
kr_names_have(const struct kr_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], name))
			return true;
	}
	return false;
}
