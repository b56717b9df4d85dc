/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of devices and of profiles: see number.h. */
#include "tools/features/profile/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kr_flags_number
kr_flags_read_number(const struct kr_capability_member *member, const char *at)
{
	struct kr_flags_number number = {.is = UNSIGNED};

	if (member->kind == KR_CAPABILITY_FLOAT) {
		float f;

		number.is = REAL;
		if (member->size == sizeof(double)) {
			memcpy(&number.d, at, sizeof(number.d));
		} else {
			memcpy(&f, at, sizeof(f));
			number.d = f;
		}
	} else if (member->kind == KR_CAPABILITY_SIGNED || member->kind == KR_CAPABILITY_ENUM) {
		int32_t i;

		number.is = SIGNED;
		if (member->size == sizeof(number.i)) {
			memcpy(&number.i, at, sizeof(number.i));
		} else {
			memcpy(&i, at, sizeof(i));
			number.i = i;
		}
	} else {
		/* Little-endian, as all machines that Krafla runs on. */
		memcpy(&number.u, at, member->size);
	}
	return number;
}

bool
kr_flags_want_number(const struct kr_capability_member *member, const json_t *wanted,
	struct kr_flags_number *number)
{
	const char *text = json_string_value(wanted);
	char *end;

	*number = (struct kr_flags_number){.is = UNSIGNED};
	switch (member->kind) {
	case KR_CAPABILITY_BOOL:
		number->u = json_is_true(wanted);
		return json_is_boolean(wanted);
	case KR_CAPABILITY_FLOAT:
		number->is = REAL;
		number->d = json_number_value(wanted);
		return json_is_number(wanted);
	case KR_CAPABILITY_ENUM: {
		const struct kr_capability_value *value =
			text ? kr_capability_find_value(member->type, text) : NULL;

		number->is = SIGNED;
		number->i = value ? value->value : 0;
		return value != NULL;
	}
	case KR_CAPABILITY_SIGNED:
		number->is = SIGNED;
		number->i = json_integer_value(wanted);
		return json_is_integer(wanted);
	case KR_CAPABILITY_UNSIGNED:
		number->u = (uint64_t)json_integer_value(wanted);
		if (!text)
			return json_is_integer(wanted) && json_integer_value(wanted) >= 0;
		/* Only what was too long to be a number became a text (document.h). */
		errno = 0;
		number->u = strtoull(text, &end, 10);
		return strlen(text) >= 19 && *text >= '0' && *text <= '9' && !*end && !errno;
	default:
		return false;
	}
}

json_t *
kr_flags_number_json(const struct kr_capability_member *member, struct kr_flags_number number)
{
	char text[32];

	if (member->kind == KR_CAPABILITY_BOOL)
		return json_boolean(number.u != 0);
	if (member->kind == KR_CAPABILITY_ENUM) {
		const struct kr_capability_type *type = &kr_capability_types[member->type];

		for (unsigned i = type->first; i < type->first + type->count; i++) {
			if (kr_capability_values[i].value == number.i)
				return json_string(kr_capability_values[i].name);
		}
	}
	if (number.is == REAL)
		return json_real(number.d);
	if (number.is == SIGNED)
		return json_integer(number.i);
	if (number.u <= INT64_MAX)
		return json_integer((json_int_t)number.u);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)number.u);
	return json_string(text);
}

static int
order(struct kr_flags_number a, struct kr_flags_number b)
{
	if (a.is == REAL)
		return (a.d > b.d) - (a.d < b.d);
	if (a.is == SIGNED)
		return (a.i > b.i) - (a.i < b.i);
	return (a.u > b.u) - (a.u < b.u);
}

bool
kr_flags_same_number(struct kr_flags_number a, struct kr_flags_number b)
{
	return a.is == b.is && order(a, b) == 0;
}

static bool
is_power_of_two(struct kr_flags_number number)
{
	int exponent;

	if (number.is == REAL)
		return frexp(number.d, &exponent) == 0.5;
	/* No power, but what some limits are where a thing isn't there at all. */
	return !(number.u & (number.u - 1));
}

/* Whether `whole` is a multiple; in floats, as well as these can say it. */
static bool
divides(struct kr_flags_number part, struct kr_flags_number whole)
{
	double rest;

	if (part.is != REAL)
		return part.u ? whole.u % part.u == 0 : whole.u == 0;
	if (part.d == 0)
		return whole.d == 0;
	rest = fabs(remainder(whole.d, part.d));
	return rest <= fabs(part.d) * 1e-4;
}

bool
kr_flags_number_holds(const struct kr_capability_member *member, struct kr_flags_number seen,
	struct kr_flags_number wanted)
{
	bool holds;

	if (member->kind == KR_CAPABILITY_BOOL)
		seen.u = seen.u != 0;
	if (isnan(seen.d) || isnan(wanted.d))
		return false;
	if (member->limit == KR_CAPABILITY_MAX)
		holds = order(seen, wanted) >= 0;
	else if (member->limit == KR_CAPABILITY_MIN)
		holds = order(seen, wanted) <= 0;
	else if (member->limit == KR_CAPABILITY_BITS)
		holds = (seen.u & wanted.u) == wanted.u;
	else
		holds = order(seen, wanted) == 0;
	if (member->power_of_two && member->kind != KR_CAPABILITY_BOOL)
		holds = holds && is_power_of_two(seen);
	if (member->divides && member->kind != KR_CAPABILITY_BOOL)
		holds = holds && divides(seen, wanted);
	return holds;
}

bool
kr_flags_range_holds(const struct kr_capability_member *member, const char *seen,
	struct kr_flags_number low, struct kr_flags_number high)
{
	return order(kr_flags_read_number(member, seen), low) <= 0 &&
		order(kr_flags_read_number(member, seen + member->size), high) >= 0;
}
