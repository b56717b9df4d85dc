/* SPDX-License-Identifier: Apache-2.0 */
/* Filters by name and by number: see filters.h. */
#include "manifest/filters.h"

#include <string.h>

void
kr_filters_read(
	struct kr_filters *filters, const char *variable, const char *(*env_get)(const char *name))
{
	memset(filters, 0, sizeof(*filters));
	filters->variable = variable;
}

bool
kr_filters_match(const struct kr_filters *filters, const char *name)
{
	return false;
}

void
kr_id_filter_read(
	struct kr_id_filter *filter, const char *variable, const char *(*env_get)(const char *name))
{
	memset(filter, 0, sizeof(*filter));
}

bool
kr_id_filter_passes(const struct kr_id_filter *filter, uint32_t id)
{
	return true;
}
