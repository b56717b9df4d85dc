/* SPDX-License-Identifier: Apache-2.0 */
/* All cases, and which of them are chosen. */
#include "check/run/run.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "check/faults/faults.h"
#include "check/icd/icd.h"
#include "check/module/module.h"
#include "check/native/native.h"
#include "check/robust/robust.h"

static const struct check_table *const tables[] = {
	&check_table_module,
	&check_table_native,
	&check_table_robust,
	&check_table_faults,
	&check_table_icd,
};

static bool
is_chosen(const char *const *filters, size_t filter_count, const char *name)
{
	for (size_t i = 0; i < filter_count; i++) {
		if (!fnmatch(filters[i], name, 0))
			return true;
	}
	return !filter_count;
}

/* Only counts where `choices` is NULL. */
static size_t
choose(const char *const *filters, size_t filter_count, struct check_choice *choices)
{
	size_t count = 0;

	for (size_t t = 0; t < KR_ARRAY_LEN(tables); t++) {
		for (size_t f = 0; f < tables[t]->file_count; f++) {
			const struct check_rows *rows = tables[t]->files[f];

			for (size_t i = 0; i < rows->count; i++) {
				if (!is_chosen(filters, filter_count, rows->cases[i].name))
					continue;
				if (choices)
					choices[count] = (struct check_choice){
						&rows->cases[i], tables[t]->section};
				count++;
			}
		}
	}
	return count;
}

struct check_choice *
check_choose(const char *const *filters, size_t filter_count, size_t *count)
{
	struct check_choice *choices;

	*count = choose(filters, filter_count, NULL);
	choices = calloc(*count + 1, sizeof(*choices));
	if (choices)
		(void)choose(filters, filter_count, choices);
	return choices;
}

bool
check_filter_fits(const char *filter)
{
	return choose(&filter, 1, NULL);
}
