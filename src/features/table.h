/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules applied to what a device says: for each row whether it holds, and for each of its rules
 * what was asked of whom, what is wanted, and what was seen.
 */
#ifndef KR_FEATURES_TABLE_H
#define KR_FEATURES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "features/facts.h"
#include "features/rows.h"

struct kr_feature_line {
	const char *asked;  /* a feature, limit, extension, or row's name */
	const char *source; /* the function or structure that answers it */
	char wanted[48];
	char seen[96];
	bool holds;
};

struct kr_feature_row {
	const char *name;
	uint32_t version;
	bool holds;
	size_t first_line, line_count; /* in the table's lines */
};

#define KR_FEATURE_MOST_LINES 48

struct kr_feature_table {
	struct kr_feature_row rows[KR_FEATURE_ROWS];
	struct kr_feature_line lines[KR_FEATURE_MOST_LINES];
};

/* `only_cpus`: all devices of the system that this one is of are CPUs. */
void kr_feature_table_fill(
	struct kr_feature_table *table, const struct kr_feature_facts *facts, bool only_cpus);
/* Whether the device has it in any version, and the highest. */
bool kr_feature_table_find(
	const struct kr_feature_table *table, const char *name, uint32_t *version);

#define KR_FEATURE_VERSION_TEXT 32
/*
 * The version of a feature as people read it: "1.1.0" of the Vulkan version, "2022-03-01" of
 * deqp.level, else the number.
 */
const char *kr_feature_version_text(
	const char *name, uint32_t version, char text[KR_FEATURE_VERSION_TEXT]);

#endif
