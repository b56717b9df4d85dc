/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters of the VK_LOADER_* variables: a comma list of names, compared without regard to case,
 * each with a `*` at its beginning, its end, or both. Thread-safety: no shared state.
 */
#ifndef KR_MANIFEST_FILTERS_H
#define KR_MANIFEST_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

/* As many as every loader takes; a warning names the variable when there are more. */
#define KR_MAX_FILTERS     16
#define KR_MAX_FILTER_TEXT 256

enum kr_filter_form {
	KR_FILTER_NAME,
	KR_FILTER_PREFIX,
	KR_FILTER_SUFFIX,
	KR_FILTER_PART,
	KR_FILTER_ALL
};

struct kr_filter {
	enum kr_filter_form form;
	char text[KR_MAX_FILTER_TEXT]; /* lower case, without its stars */
};

struct kr_filters {
	const char *variable; /* static; which one it was read from */
	bool set;             /* the variable was there, even if nothing in it could be read */
	bool implicit,
		explicit; /* ~implicit~, ~explicit~; ~all~ is both, and a filter KR_FILTER_ALL */
	size_t count;
	struct kr_filter items[KR_MAX_FILTERS];
};

/* Reads a variable through `env_get` (NULL: kr_env_get); unset gives filters that match nothing. */
void kr_filters_read(
	struct kr_filters *filters, const char *variable, const char *(*env_get)(const char *name));
/* Whether one of them matches. */
bool kr_filters_match(const struct kr_filters *filters, const char *name);

/*
 * VK_LOADER_{DEVICE,VENDOR,DRIVER}_ID_FILTER: numbers and ranges `first:last` (or
 * `first-last`), base 0.
 */
struct kr_id_filter {
	bool set;
	size_t count;
	struct {
		uint32_t first, last;
	} items[KR_MAX_FILTERS];
};

void kr_id_filter_read(struct kr_id_filter *filter, const char *variable,
	const char *(*env_get)(const char *name));
/* True also when the filter isn't set. */
bool kr_id_filter_passes(const struct kr_id_filter *filter, uint32_t id);

#endif
