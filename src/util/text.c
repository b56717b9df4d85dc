/* SPDX-License-Identifier: Apache-2.0 */
/* Heap strings. */
#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *
kr_asprintf(const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

bool
kr_list_next(const char **list, char separator, const char **item, size_t *len)
{
	const char *at = *list;

	while (at && *at) {
		const char *end = strchr(at, separator);
		size_t size = end ? (size_t)(end - at) : strlen(at);

		*item = at;
		*len = size;
		at += size + (end ? 1 : 0);
		if (size) {
			*list = at;
			return true;
		}
	}
	*list = NULL;
	return false;
}

bool
kr_has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), tail = strlen(suffix);

	return len >= tail && !strcmp(text + len - tail, suffix);
}
