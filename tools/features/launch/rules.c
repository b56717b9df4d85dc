/* SPDX-License-Identifier: Apache-2.0 */
/* The launch rules: see rules.h. */
#include "tools/features/launch/rules.h"

#include <stdio.h>
#include <string.h>

#include "tools/command/json_values.h"
#include "tools/features/launch/machine.h"
#include "tools/features/launch/match.h"
#include "util/macros.h"

const char *const kr_flags_releases[KR_FLAGS_RELEASES] = {"7", "9", "10", "13"};

static const struct {
	const char *release;
	enum kr_feature_row_id version;
	bool only_64_bit; /* asked of systems alone that have programs of 64 bits and memory */
	const char *source;
} rules[] = {
	{"7", KR_FEATURE_ROW_VERSION_1_0, false, "V-04: Android 7"},
	{"9", KR_FEATURE_ROW_VERSION_1_1, false, "V-04: Android 9"},
	{"10", KR_FEATURE_ROW_VERSION_1_1, true, "V-04: Android 10"},
	{"13", KR_FEATURE_ROW_VERSION_1_3, false, "V-04: Android 13"},
};
_Static_assert(KR_ARRAY_LEN(rules) == KR_FLAGS_RELEASES, "a rule for each release");

enum answer {
	FAILS,
	HOLDS,
	UNKNOWN,
};

static json_t *
new_line(const char *rule, const char *source, const char *wanted, const char *seen,
	enum answer answer)
{
	return json_pack("{s:o, s:s, s:s, s:o, s:o}", "rule", kr_tool_json_text(rule), "source",
		source, "wanted", wanted, "seen", kr_tool_json_text(seen), "holds",
		answer == UNKNOWN ? json_null() : json_boolean(answer == HOLDS));
}

/* Adds " A, B" to a text that is cut where it is full. */
static void
append(char *text, size_t size, const char *what)
{
	const size_t used = strlen(text);

	snprintf(text + used, size - used, "%s", what);
}

/*
 * What a device lacks of a version: of its own rules, of those of the versions before, and of the
 * level that all of them want.
 */
static void
append_lacks(
	const struct kr_feature_device *device, enum kr_feature_row_id id, char *text, size_t size)
{
	const struct kr_feature_table *table = &device->table;
	const char *before = " lacks ";
	char piece[160];

	if (table->rows[id].holds)
		return;
	snprintf(piece, sizeof(piece), "; device %u", device->number);
	append(text, size, piece);
	for (unsigned i = 0; i <= id; i++) {
		const struct kr_feature_row *row = &table->rows[i];

		if (i != KR_FEATURE_ROW_LEVEL_0 && i < KR_FEATURE_ROW_VERSION_1_0)
			continue;
		for (size_t k = row->first_line; k < row->first_line + row->line_count; k++) {
			/* The names of features stand for rules of other rows. */
			if (table->lines[k].holds ||
				kr_feature_is_permission(table->lines[k].asked))
				continue;
			snprintf(piece, sizeof(piece), "%s%s", before, table->lines[k].asked);
			append(text, size, piece);
			before = ", ";
		}
	}
}

static json_t *
version_line(const struct kr_flags_launch *launch, enum kr_feature_row_id id, const char *source)
{
	struct kr_feature_system *system = launch->system;
	const struct kr_feature_declaration *version =
		kr_feature_find(system->declarations, KR_FEATURE_NAME_VERSION);
	const uint32_t wanted = kr_feature_row_info[id].version;
	const bool holds = version->held && version->held_version >= wanted;
	char wanted_text[KR_FEATURE_VERSION_TEXT], text[KR_FEATURE_VERSION_TEXT];
	char words[64], seen[KR_FLAGS_SEEN];

	snprintf(words, sizeof(words), "%s or higher",
		kr_feature_version_text(KR_FEATURE_NAME_VERSION, wanted, wanted_text));
	snprintf(seen, sizeof(seen), "%s",
		version->held ? kr_feature_version_text(
					KR_FEATURE_NAME_VERSION, version->held_version, text)
			      : "no version");
	for (uint32_t i = 0; !holds && i < system->count; i++)
		append_lacks(&system->devices[i], id, seen, sizeof(seen));
	return new_line(KR_FEATURE_NAME_VERSION, source, words, seen, holds ? HOLDS : FAILS);
}

static json_t *
condition(const char *rule, const char *source, const char *wanted, const char *seen, bool holds)
{
	json_t *line = new_line(rule, source, wanted, seen, holds ? HOLDS : FAILS);

	json_object_set_new(line, "condition", json_true());
	return line;
}

/* The conditions, and the version that is asked under them: without, that of the first release. */
static void
add_version(const struct kr_flags_launch *launch, size_t rule, json_t *lines)
{
	enum kr_feature_row_id id = rules[rule].version;
	char seen[KR_FLAGS_SEEN];
	bool has_64_bit, is_low;

	if (rules[rule].only_64_bit) {
		has_64_bit = kr_flags_has_64_bit(seen);
		json_array_append_new(lines,
			condition("64-bit ABI", rules[rule].source,
				"asked of systems with programs of 64 bits", seen, has_64_bit));
		is_low = kr_flags_is_low_memory("/proc/meminfo", seen);
		json_array_append_new(lines,
			condition("not low-memory", rules[rule].source,
				"asked of systems that aren't low-memory", seen, !is_low));
		if (!has_64_bit || is_low)
			id = rules[0].version;
	}
	json_array_append_new(lines, version_line(launch, id, rules[rule].source));
}

static void
describe_gles(const struct kr_flags_gles_device *gles, char *text, size_t size)
{
	if (*gles->version)
		snprintf(text, size, "%s on %s", gles->version, gles->renderer);
	else
		snprintf(text, size, "no context: %s", gles->why);
}

/* Of the devices that match as well as any: the one with the highest version. */
static enum kr_flags_likeness
find_gles(const struct kr_flags_gles *gles, const struct kr_flags_identity *identity,
	const struct kr_flags_gles_device **out, const char **by)
{
	enum kr_flags_likeness best = KR_FLAGS_DIFFERENT;

	*out = NULL;
	*by = "nothing";
	for (uint32_t i = 0; i < gles->count; i++) {
		const struct kr_flags_gles_device *device = &gles->devices[i];
		const char *by_what;
		const enum kr_flags_likeness match = kr_flags_match(identity, device, &by_what);

		if (*out &&
			(match < best ||
				(match == best &&
					(device->major < (*out)->major ||
						(device->major == (*out)->major &&
							device->minor <= (*out)->minor)))))
			continue;
		best = match;
		*out = device;
		*by = by_what;
	}
	return best;
}

static json_t *
gles_line(const struct kr_flags_launch *launch, const struct kr_feature_device *device)
{
	const struct kr_flags_gles_device *gles;
	struct kr_flags_identity identity;
	enum kr_flags_likeness match;
	char rule[64], seen[KR_FLAGS_SEEN], what[2 * KR_FLAGS_GLES_TEXT + 16];
	const char *by;
	bool holds = false;

	snprintf(rule, sizeof(rule), "OpenGL ES of device %u", device->number);
	kr_flags_identify(device, &identity);
	match = find_gles(launch->gles, &identity, &gles, &by);
	if (!gles) {
		snprintf(seen, sizeof(seen), "%s",
			*launch->gles->why ? launch->gles->why : "EGL lists no device");
		return new_line(rule, "V-05", "3.1 or higher", seen, FAILS);
	}
	describe_gles(gles, what, sizeof(what));
	if (match != KR_FLAGS_DIFFERENT)
		holds = gles->major > 3 || (gles->major == 3 && gles->minor >= 1);
	if (match == KR_FLAGS_SAME)
		snprintf(seen, sizeof(seen), "%s (the same device by %s)", what, by);
	else if (match == KR_FLAGS_UNCOMPARED)
		snprintf(seen, sizeof(seen), "%s (nothing says whether it is the same device)",
			what);
	else
		snprintf(seen, sizeof(seen), "none; another device by %s has %s", by, what);
	return new_line(rule, "V-05", "3.1 or higher", seen, holds ? HOLDS : FAILS);
}

/* Whether files declare what the devices hold: no less, no more. */
static json_t *
declared_line(
	const struct kr_feature_declaration *held, const struct kr_feature_declaration *installed)
{
	const bool is_deqp = !strcmp(held->name, KR_FEATURE_NAME_DEQP);
	char text[KR_FEATURE_VERSION_TEXT], wanted[64], seen[KR_FLAGS_SEEN];
	enum answer answer = HOLDS;

	snprintf(wanted, sizeof(wanted), "%s, the highest that is held",
		held->held ? kr_feature_version_text(held->name, held->held_version, text)
			   : "none");
	snprintf(seen, sizeof(seen), "%s",
		installed->in_files
			? kr_feature_version_text(held->name, installed->file_version, text)
			: "not declared");
	if (is_deqp && !held->held) {
		snprintf(wanted, sizeof(wanted), "what results of tests hold (--deqp)");
		answer = installed->in_files ? UNKNOWN : HOLDS;
	} else if (installed->in_files != held->held ||
		(held->held && installed->file_version != held->held_version)) {
		const bool less = held->held &&
			(!installed->in_files || installed->file_version < held->held_version);

		append(seen, sizeof(seen),
			less ? ": less than the devices could" : ": more than the devices hold");
		answer = FAILS;
	}
	return new_line(held->name, "V-04: the highest feature set", wanted, seen, answer);
}

static bool
is_a_version(uint32_t version)
{
	for (unsigned i = KR_FEATURE_ROW_VERSION_1_0; i <= KR_FEATURE_ROW_VERSION_1_3; i++) {
		if (kr_feature_row_info[i].version == version)
			return true;
	}
	return false;
}

static void
add_declared(const struct kr_flags_launch *launch, json_t *lines)
{
	char seen[KR_FLAGS_SEEN], text[KR_FEATURE_VERSION_TEXT];

	if (!launch->has_files) {
		if (launch->permissions)
			snprintf(seen, sizeof(seen),
				"%.200s has no permission files that can be read",
				launch->permissions);
		else
			snprintf(seen, sizeof(seen),
				"no permission files are installed; Krafla tells programs what the devices hold");
		json_array_append_new(lines,
			new_line("what is declared", "V-04: the highest feature set",
				"what the devices hold", seen,
				launch->permissions ? FAILS : HOLDS));
		return;
	}
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		const struct kr_feature_declaration *installed = &launch->installed[i];

		if (!kr_feature_is_permission(installed->name))
			continue;
		json_array_append_new(
			lines, declared_line(&launch->system->declarations[i], installed));
		if (strcmp(installed->name, KR_FEATURE_NAME_VERSION) != 0 || !installed->in_files)
			continue;
		json_array_append_new(lines,
			new_line("versions that may be declared", "V-04: the table",
				"1.0.3, 1.1.0 or 1.3.0",
				kr_feature_version_text(
					installed->name, installed->file_version, text),
				is_a_version(installed->file_version) ? HOLDS : FAILS));
	}
}

static bool
all_hold(const json_t *lines)
{
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
	{
		if (json_is_false(json_object_get(line, "holds")) &&
			!json_is_true(json_object_get(line, "condition")))
			return false;
	}
	return true;
}

json_t *
kr_flags_judge_launch(const struct kr_flags_launch *launch, const char *release)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < KR_ARRAY_LEN(rules); i++) {
		if (!strcmp(rules[i].release, release))
			add_version(launch, i, lines);
	}
	for (uint32_t i = 0; i < launch->system->count; i++)
		json_array_append_new(lines, gles_line(launch, &launch->system->devices[i]));
	add_declared(launch, lines);
	return json_pack("{s:s, s:b, s:o}", "release", release, "holds", (int)all_hold(lines),
		"lines", lines);
}
