/* SPDX-License-Identifier: Apache-2.0 */
/* One number: as a device has it in a member, as a profile wants it, and the two compared. */
#ifndef KR_TOOLS_FEATURES_PROFILE_NUMBER_H
#define KR_TOOLS_FEATURES_PROFILE_NUMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "gen/capabilities.h"

/* A value of any numeric type. */
struct kr_flags_number {
	enum { SIGNED, UNSIGNED, REAL } is;
	int64_t i;
	uint64_t u;
	double d;
};

/* Of the type that the member has, also true and false, enums and flags. */
struct kr_flags_number kr_flags_read_number(
	const struct kr_capability_member *member, const char *at);
/* Numbers, true and false, names of enums; false: it is none that the member can have. */
bool kr_flags_want_number(const struct kr_capability_member *member, const json_t *wanted,
	struct kr_flags_number *number);
/* A new value: an enum by its name; above 2^63 as text. */
json_t *kr_flags_number_json(
	const struct kr_capability_member *member, struct kr_flags_number number);
/* By the member's limit. */
bool kr_flags_number_holds(const struct kr_capability_member *member, struct kr_flags_number seen,
	struct kr_flags_number wanted);
bool kr_flags_same_number(struct kr_flags_number a, struct kr_flags_number b);
/* Two numbers at `seen`: the wanted range lies within them. */
bool kr_flags_range_holds(const struct kr_capability_member *member, const char *seen,
	struct kr_flags_number low, struct kr_flags_number high);

#endif
