/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a block of capabilities: see block.h. */
#include "tools/features/profile/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/features/profile/compare.h"

#define PATH_SIZE 256

typedef bool (*judge_fn)(const struct kr_flags_view *view, const json_t *wanted, json_t *lines);

static bool
refuse(json_t *lines, const char *what, const json_t *wanted, const char *why)
{
	kr_flags_add_words(lines, what, wanted, why, false);
	return false;
}

static bool
judge_extension(
	const struct kr_flags_view *view, const char *name, const json_t *wanted, json_t *lines)
{
	const uint32_t version = kr_flags_view_extension(view, name);
	char path[PATH_SIZE];
	bool holds;

	snprintf(path, sizeof(path), "extensions.%s", name);
	if (!json_is_integer(wanted))
		return refuse(lines, path, wanted, "unknown: a version is a whole number");
	if (!version)
		return refuse(lines, path, wanted,
			kr_capability_knows_extension(name)
				? "it isn't there"
				: "unknown: no extension has that name");
	holds = json_integer_value(wanted) <= version;
	kr_flags_add_line(lines, path, wanted, json_integer(version), holds);
	return holds;
}

static bool
judge_extensions(const struct kr_flags_view *view, const json_t *wanted, json_t *lines)
{
	const char *name;
	const json_t *version;
	bool holds = true;

	json_object_foreach((json_t *)wanted, name, version) holds =
		judge_extension(view, name, version, lines) && holds;
	return holds;
}

static void
say_what_brings(const struct kr_capability_struct *structure, char *text, size_t size)
{
	const size_t used = (size_t)snprintf(text, size, "the device doesn't bring it: ");

	if (structure->core)
		snprintf(text + used, size - used, "Vulkan %u.%u%s%s does",
			VK_API_VERSION_MAJOR(structure->core),
			VK_API_VERSION_MINOR(structure->core),
			*structure->extensions ? ", or " : "", structure->extensions);
	else
		snprintf(text + used, size - used, "%s does", structure->extensions);
}

/* The structures of one role, each an object by its name. */
static bool
judge_struct(const struct kr_flags_view *view, enum kr_capability_role role, const char *before,
	const char *name, const json_t *wanted, VkFormat format, uint32_t family, json_t *lines)
{
	const struct kr_capability_struct *structure = kr_capability_find_struct(name);
	char path[PATH_SIZE], why[PATH_SIZE];
	void *seen;
	bool holds;

	snprintf(path, sizeof(path), "%s.%s", before, name);
	if (!structure || structure->role != role)
		return refuse(
			lines, path, wanted, "unknown: no structure of that name stands here");
	if (!kr_flags_view_brings(view, structure)) {
		say_what_brings(structure, why, sizeof(why));
		return refuse(lines, path, wanted, why);
	}
	seen = kr_flags_view_ask(view, structure, format, family);
	if (!seen)
		return refuse(lines, path, wanted, "the device has no function to ask with");
	holds = kr_flags_compare(structure, seen, wanted, path, lines);
	free(seen);
	return holds;
}

static bool
judge_structs(const struct kr_flags_view *view, enum kr_capability_role role, const char *before,
	const json_t *wanted, VkFormat format, uint32_t family, json_t *lines)
{
	const char *name;
	const json_t *members;
	bool holds = true;

	if (!json_is_object(wanted))
		return refuse(lines, before, wanted, "unknown: structures are an object");
	json_object_foreach((json_t *)wanted, name, members) holds =
		judge_struct(view, role, before, name, members, format, family, lines) && holds;
	return holds;
}

static bool
judge_features(const struct kr_flags_view *view, const json_t *wanted, json_t *lines)
{
	return judge_structs(view, KR_CAPABILITY_FEATURES, "features", wanted, 0, 0, lines);
}

static bool
judge_properties(const struct kr_flags_view *view, const json_t *wanted, json_t *lines)
{
	return judge_structs(view, KR_CAPABILITY_PROPERTIES, "properties", wanted, 0, 0, lines);
}

static bool
judge_formats(const struct kr_flags_view *view, const json_t *wanted, json_t *lines)
{
	const int type = kr_capability_find_type("VkFormat");
	const char *name;
	const json_t *structs;
	bool holds = true;

	json_object_foreach((json_t *)wanted, name, structs)
	{
		const struct kr_capability_value *format = kr_capability_find_value(type, name);
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "formats.%s", name);
		if (format)
			holds = judge_structs(view, KR_CAPABILITY_FORMAT, path, structs,
					(VkFormat)format->value, 0, lines) &&
				holds;
		else
			holds = refuse(lines, path, structs, "unknown: no format has that name");
	}
	return holds;
}

static json_t *
failing(json_t *lines)
{
	json_t *out = json_array(), *line;
	size_t i;

	json_array_foreach(lines, i, line)
	{
		if (json_is_false(json_object_get(line, "holds")))
			json_array_append(out, line);
	}
	json_decref(lines);
	return out;
}

/* One family that has all of it; when there is none, what each of them lacks. */
static bool
judge_family(const struct kr_flags_view *view, size_t index, const json_t *wanted, json_t *lines)
{
	json_t *lacking = json_array();
	char path[PATH_SIZE], text[64];

	snprintf(path, sizeof(path), "queueFamiliesProperties[%zu]", index);
	for (uint32_t family = 0; family < view->family_count; family++) {
		json_t *tried = json_array();

		snprintf(text, sizeof(text), "family %u", family);
		if (judge_structs(view, KR_CAPABILITY_QUEUE, text, wanted, 0, family, tried)) {
			json_decref(tried);
			json_decref(lacking);
			kr_flags_add_words(lines, path, wanted, text, true);
			return true;
		}
		tried = failing(tried);
		json_array_extend(lacking, tried);
		json_decref(tried);
	}
	kr_flags_add_line(lines, path, wanted, lacking, false);
	return false;
}

static bool
judge_families(const struct kr_flags_view *view, const json_t *wanted, json_t *lines)
{
	const json_t *family;
	bool holds = true;
	size_t i;

	json_array_foreach(wanted, i, family) holds = judge_family(view, i, family, lines) && holds;
	return holds;
}

static const struct part {
	const char *name;
	json_type type;
	judge_fn judge;
} parts[] = {
	{"extensions", JSON_OBJECT, judge_extensions},
	{"features", JSON_OBJECT, judge_features},
	{"properties", JSON_OBJECT, judge_properties},
	{"formats", JSON_OBJECT, judge_formats},
	{"queueFamiliesProperties", JSON_ARRAY, judge_families},
};

static bool
judge_part(const struct kr_flags_view *view, const char *name, const json_t *wanted, json_t *lines)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(parts); i++) {
		if (strcmp(parts[i].name, name) != 0)
			continue;
		if (json_typeof(wanted) != parts[i].type)
			return refuse(lines, name, wanted, "unknown: it has another form");
		return parts[i].judge(view, wanted, lines);
	}
	return refuse(lines, name, wanted, "unknown: krafla can't judge this part of a block");
}

json_t *
kr_flags_judge_block(const struct kr_flags_view *view, const json_t *block)
{
	json_t *lines = json_array();
	const char *name;
	const json_t *wanted;
	bool holds = true;

	if (json_is_object(block)) {
		json_object_foreach((json_t *)block, name, wanted) holds =
			judge_part(view, name, wanted, lines) && holds;
	} else {
		holds = refuse(lines, "block", block, "unknown: a block is an object");
	}
	return json_pack("{s:b, s:o}", "holds", (int)holds, "lines", lines);
}
