/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: printf into new memory, walk a list, compare an end. */
#ifndef KR_UTIL_TEXT_H
#define KR_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "util/macros.h"

/* A new string (free), or NULL without memory. */
char *kr_asprintf(const char *fmt, ...) KR_PRINTF(1, 2);
/* The next element of a list separated by `separator`; advances *list; false at the end. Empty
 * elements are skipped. *item points into the list, *len is its length. */
bool kr_list_next(const char **list, char separator, const char **item, size_t *len);
bool kr_has_suffix(const char *text, const char *suffix);

/*
 * Makes text that comes from elsewhere fit for terminals: what isn't UTF-8, and control characters,
 * become '?'. Newlines and tabs stay where `lines`, and become blanks else.
 */
void kr_text_clean(char *text, size_t size, bool lines);

#endif
