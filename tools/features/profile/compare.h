/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile wants of one structure against what a device says. */
#ifndef KR_TOOLS_FEATURES_PROFILE_COMPARE_H
#define KR_TOOLS_FEATURES_PROFILE_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

#include "gen/capabilities.h"

/*
 * Adds a line to an array: "what", "wanted", "seen", "holds". `wanted` is any value, borrowed;
 * `take_seen` too, NULL for none. Texts need not be UTF-8.
 */
void kr_flags_add_line(
	json_t *lines, const char *what, const json_t *wanted, json_t *take_seen, bool holds);
/* The same with words for what was seen. */
void kr_flags_add_words(
	json_t *lines, const char *what, const json_t *wanted, const char *seen, bool holds);

/*
 * Compares each member of the object `wanted` with the structure at `seen`, as its limit says, and
 * adds a line for each. `path` goes before the members' names. Names that nobody knows, and values
 * that the member can't have, are lines that don't hold. Whether all hold.
 */
bool kr_flags_compare(const struct kr_capability_struct *structure, const void *seen,
	const json_t *wanted, const char *path, json_t *lines);

#endif
