/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing values by their limits: see compare.h. */
#include "tools/features/profile/compare.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tools/command/json_values.h"
#include "tools/features/profile/number.h"

#define PATH_SIZE 512

void
kr_flags_add_line(
	json_t *lines, const char *what, const json_t *wanted, json_t *take_seen, bool holds)
{
	json_array_append_new(lines,
		json_pack("{s:o, s:O, s:o, s:b}", "what", kr_tool_json_text(what), "wanted",
			(json_t *)wanted, "seen", take_seen ? take_seen : json_null(), "holds",
			(int)holds));
}

void
kr_flags_add_words(
	json_t *lines, const char *what, const json_t *wanted, const char *seen, bool holds)
{
	kr_flags_add_line(lines, what, wanted, kr_tool_json_text(seen), holds);
}

/* The names of bits; what has none as a number. */
static json_t *
flags_json(const struct kr_capability_member *member, uint64_t flags)
{
	const struct kr_capability_type *type = &kr_capability_types[member->type];
	json_t *names = json_array();
	uint64_t told = 0;
	char text[32];

	for (unsigned i = type->first; i < type->first + type->count; i++) {
		const uint64_t bits = (uint64_t)kr_capability_values[i].value;

		if (!bits || (bits & (bits - 1)) || (flags & bits) != bits || (told & bits))
			continue;
		json_array_append_new(names, json_string(kr_capability_values[i].name));
		told |= bits;
	}
	if (flags & ~told) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)(flags & ~told));
		json_array_append_new(names, json_string(text));
	}
	return names;
}

static bool
want_flags(const struct kr_capability_member *member, const json_t *wanted, uint64_t *flags)
{
	const json_t *name;
	size_t i;

	*flags = 0;
	json_array_foreach(wanted, i, name)
	{
		const char *text = json_string_value(name);
		const struct kr_capability_value *value =
			text ? kr_capability_find_value(member->type, text) : NULL;

		if (!value)
			return false;
		*flags |= (uint64_t)value->value;
	}
	return json_is_array(wanted);
}

static bool
add_unfit(json_t *lines, const char *path, const json_t *wanted)
{
	kr_flags_add_words(lines, path, wanted,
		"unknown: the member can't have this value, or it has a name that isn't known",
		false);
	return false;
}

static bool
compare_flags(const struct kr_capability_member *member, const char *seen, const json_t *wanted,
	const char *path, json_t *lines)
{
	struct kr_flags_number number = kr_flags_read_number(member, seen);
	uint64_t flags;
	bool holds;

	if (!want_flags(member, wanted, &flags))
		return add_unfit(lines, path, wanted);
	holds = (number.u & flags) == flags;
	kr_flags_add_line(lines, path, wanted, flags_json(member, number.u), holds);
	return holds;
}

static bool
compare_text(const struct kr_capability_member *member, const char *seen, const json_t *wanted,
	const char *path, json_t *lines)
{
	char text[PATH_SIZE];
	const size_t room = member->count < sizeof(text) ? member->count : sizeof(text) - 1;
	bool holds;

	memcpy(text, seen, room);
	text[room] = '\0';
	if (!json_is_string(wanted))
		return add_unfit(lines, path, wanted);
	holds = !strcmp(text, json_string_value(wanted));
	kr_flags_add_words(lines, path, wanted, text, holds);
	return holds;
}

/* Fewer elements than there are ask nothing of the others. */
static bool
compare_array(const struct kr_capability_member *member, const char *seen, const json_t *wanted,
	const char *path, json_t *lines)
{
	json_t *values = json_array();
	struct kr_flags_number numbers[2] = {0};
	const json_t *element;
	bool fits = json_is_array(wanted) && json_array_size(wanted) <= member->count;
	bool holds = true;
	size_t i;

	for (i = 0; i < member->count; i++)
		json_array_append_new(values,
			kr_flags_number_json(
				member, kr_flags_read_number(member, seen + i * member->size)));
	json_array_foreach(wanted, i, element)
	{
		struct kr_flags_number number;

		fits = fits && kr_flags_want_number(member, element, &number);
		if (!fits)
			break;
		if (i < 2)
			numbers[i] = number;
		if (member->limit != KR_CAPABILITY_RANGE)
			holds = holds &&
				kr_flags_number_holds(member,
					kr_flags_read_number(member, seen + i * member->size),
					number);
	}
	if (!fits || (member->limit == KR_CAPABILITY_RANGE && json_array_size(wanted) != 2)) {
		json_decref(values);
		return add_unfit(lines, path, wanted);
	}
	if (member->limit == KR_CAPABILITY_RANGE)
		holds = kr_flags_range_holds(member, seen, numbers[0], numbers[1]);
	kr_flags_add_line(lines, path, wanted, values, holds);
	return holds;
}

/* What a member points to: each wanted element is among them. */
static bool
compare_list(const struct kr_capability_member *member, const char *seen, const json_t *wanted,
	const char *path, json_t *lines)
{
	json_t *values = json_array();
	const json_t *element;
	const char *list;
	uint32_t count;
	bool fits = json_is_array(wanted), holds = true;
	size_t i;

	memcpy(&list, seen, sizeof(list));
	memcpy(&count, seen - member->offset + member->counter, sizeof(count));
	if (!list)
		count = 0;
	for (i = 0; i < count; i++)
		json_array_append_new(values,
			kr_flags_number_json(
				member, kr_flags_read_number(member, list + i * member->size)));
	json_array_foreach(wanted, i, element)
	{
		struct kr_flags_number number;
		bool found = false;

		fits = fits && kr_flags_want_number(member, element, &number);
		for (uint32_t k = 0; fits && k < count; k++)
			found = found ||
				kr_flags_same_number(number,
					kr_flags_read_number(member, list + k * member->size));
		holds = holds && found;
	}
	if (!fits) {
		json_decref(values);
		return add_unfit(lines, path, wanted);
	}
	kr_flags_add_line(lines, path, wanted, values, holds);
	return holds;
}

static bool compare_members(const struct kr_capability_struct *structure, const char *seen,
	const json_t *wanted, const char *path, const struct kr_capability_member *outer,
	json_t *lines);

static bool
compare_member(const struct kr_capability_member *member, const char *seen, const json_t *wanted,
	const char *path, json_t *lines)
{
	struct kr_flags_number number;
	bool holds;

	if (member->counter)
		return compare_list(member, seen, wanted, path, lines);
	switch (member->kind) {
	case KR_CAPABILITY_POINTER:
		kr_flags_add_words(
			lines, path, wanted, "unknown: such a member can't be asked for", false);
		return false;
	case KR_CAPABILITY_STRUCT:
		if (!member->count && json_is_object(wanted))
			return compare_members(&kr_capability_structs[member->type], seen, wanted,
				path, member, lines);
		return add_unfit(lines, path, wanted);
	case KR_CAPABILITY_TEXT:
		return compare_text(member, seen, wanted, path, lines);
	case KR_CAPABILITY_FLAGS:
		if (member->count)
			return add_unfit(lines, path, wanted);
		return compare_flags(member, seen, wanted, path, lines);
	default:
		break;
	}
	if (member->count)
		return compare_array(member, seen, wanted, path, lines);
	if (!kr_flags_want_number(member, wanted, &number))
		return add_unfit(lines, path, wanted);
	holds = kr_flags_number_holds(member, kr_flags_read_number(member, seen), number);
	kr_flags_add_line(lines, path, wanted,
		kr_flags_number_json(member, kr_flags_read_number(member, seen)), holds);
	return holds;
}

/* A limit of a structure as a whole (an extent's) is that of its members. */
static struct kr_capability_member
with_limit_of(const struct kr_capability_member *member, const struct kr_capability_member *outer)
{
	struct kr_capability_member out = *member;

	if (outer && (outer->limit != KR_CAPABILITY_EXACT || outer->divides)) {
		out.limit = outer->limit;
		out.power_of_two = outer->power_of_two;
		out.divides = outer->divides;
	}
	return out;
}

static bool
compare_members(const struct kr_capability_struct *structure, const char *seen,
	const json_t *wanted, const char *path, const struct kr_capability_member *outer,
	json_t *lines)
{
	const char *name;
	const json_t *value;
	bool holds = true;

	json_object_foreach((json_t *)wanted, name, value)
	{
		const struct kr_capability_member *member =
			kr_capability_find_member(structure, name);
		char inner[PATH_SIZE];

		snprintf(inner, sizeof(inner), "%s.%s", path, name);
		if (!member) {
			kr_flags_add_words(lines, inner, value,
				"unknown: the structure has no member of that name", false);
			holds = false;
		} else if (structure->role == KR_CAPABILITY_FEATURES && json_is_false(value)) {
			/* A feature that nobody asks for: the device may have it. */
			kr_flags_add_words(lines, inner, value, "anything", true);
		} else {
			const struct kr_capability_member limited = with_limit_of(member, outer);

			holds = compare_member(
					&limited, seen + member->offset, value, inner, lines) &&
				holds;
		}
	}
	return holds;
}

bool
kr_flags_compare(const struct kr_capability_struct *structure, const void *seen,
	const json_t *wanted, const char *path, json_t *lines)
{
	if (json_is_object(wanted))
		return compare_members(structure, seen, wanted, path, NULL, lines);
	return add_unfit(lines, path, wanted);
}
