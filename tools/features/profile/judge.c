/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each block and each profile is judged once, however often it is named: a file of a few MiB could
 * name one a million times.
 */
#include "tools/features/profile/judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/json_values.h"
#include "tools/features/profile/block.h"

/* Khronos's need one another three deep. */
#define MOST_DEEP 32

int
kr_flags_judge_init(struct kr_flags_judge *judge, const struct kr_flags_document *documents,
	size_t count, const struct kr_feature_device *device)
{
	int err;

	*judge = (struct kr_flags_judge){
		.documents = documents, .document_count = count, .profiles = json_object()};
	err = kr_flags_view_init(&judge->view, device);
	judge->blocks = calloc(count, sizeof(*judge->blocks));
	if (err < 0 || !judge->blocks)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		judge->blocks[i] = json_object();
	return 0;
}

void
kr_flags_judge_finish(struct kr_flags_judge *judge)
{
	for (size_t i = 0; judge->blocks && i < judge->document_count; i++)
		json_decref(judge->blocks[i]);
	free(judge->blocks);
	json_decref(judge->profiles);
	kr_flags_view_finish(&judge->view);
}

/* A block that no document has doesn't hold. */
static bool
block_holds(struct kr_flags_judge *judge, size_t document, const char *name)
{
	const json_t *block = json_object_get(judge->documents[document].capabilities, name);
	json_t *verdict = json_object_get(judge->blocks[document], name);

	if (!verdict && block) {
		verdict = kr_flags_judge_block(&judge->view, block);
		json_object_set_new(judge->blocks[document], name, verdict);
	}
	return json_is_true(json_object_get(verdict, "holds"));
}

/* One of the names is enough. A single name is a list of one. */
static json_t *
judge_alternatives(struct kr_flags_judge *judge, size_t document, const json_t *wanted)
{
	json_t *names =
		json_is_array(wanted) ? json_deep_copy(wanted) : json_pack("[O]", (json_t *)wanted);
	const json_t *name;
	bool holds = false, unfit = false;
	size_t i;

	json_array_foreach(names, i, name)
	{
		if (!json_is_string(name))
			unfit = true;
		else if (block_holds(judge, document, json_string_value(name)))
			holds = true;
	}
	return json_pack("{s:o, s:b, s:i}", "any_of", names, "holds", (int)(holds && !unfit),
		"document", (int)document);
}

static json_t *
judge_capabilities(struct kr_flags_judge *judge, size_t document, const json_t *list, bool *holds)
{
	json_t *verdicts = json_array();
	const json_t *wanted;
	size_t i;

	json_array_foreach(list, i, wanted)
	{
		json_t *verdict = judge_alternatives(judge, document, wanted);

		*holds = *holds && json_is_true(json_object_get(verdict, "holds"));
		json_array_append_new(verdicts, verdict);
	}
	return verdicts;
}

static json_t *
judge_needed(struct kr_flags_judge *judge, const json_t *list, bool *holds)
{
	json_t *verdicts = json_array();
	const json_t *name;
	size_t i;

	json_array_foreach(list, i, name)
	{
		const char *text = json_string_value(name);
		const json_t *verdict = text ? kr_flags_judge_profile(judge, text) : NULL;
		json_t *error = json_object_get(verdict, "error");
		const bool held = json_is_true(json_object_get(verdict, "holds"));

		*holds = *holds && held;
		json_array_append_new(verdicts,
			json_pack("{s:O, s:b, s:O*}", "profile", (json_t *)name, "holds", (int)held,
				"error", error));
	}
	return verdicts;
}

/* The third number says by which header the profile was written, and asks nothing. */
static json_t *
judge_api_version(const struct kr_flags_judge *judge, const json_t *wanted, bool *holds)
{
	const uint32_t seen = judge->view.device->facts.properties.apiVersion;
	const char *text = json_string_value(wanted);
	unsigned major, minor;
	char end;
	bool enough = false;

	if (text && sscanf(text, "%3u.%4u%c", &major, &minor, &end) >= 2)
		enough = VK_API_VERSION_MAJOR(seen) > major ||
			(VK_API_VERSION_MAJOR(seen) == major &&
				VK_API_VERSION_MINOR(seen) >= minor);
	*holds = *holds && enough;
	return json_pack("{s:O?, s:o, s:b}", "wanted", (json_t *)wanted, "seen",
		kr_tool_json_version(seen), "holds", (int)enough);
}

static json_t *
error_json(const char *text)
{
	return json_pack("{s:b, s:s}", "holds", 0, "error", text);
}

static bool
is_list_or_nothing(const json_t *value)
{
	return !value || json_is_array(value);
}

static json_t *
judge_found(struct kr_flags_judge *judge, size_t document, const json_t *profile)
{
	const json_t *capabilities = json_object_get(profile, "capabilities");
	const json_t *needed = json_object_get(profile, "profiles");
	const json_t *optionals = json_object_get(profile, "optionals");
	json_t *version = json_object_get(profile, "version");
	json_t *verdict, *profiles, *blocks, *options, *api_version;
	bool holds = true, ignored = true;

	if (!json_is_array(capabilities) || !is_list_or_nothing(needed) ||
		!is_list_or_nothing(optionals))
		return error_json(
			"it has another form: \"capabilities\", \"profiles\" and \"optionals\" are arrays");
	api_version = judge_api_version(judge, json_object_get(profile, "api-version"), &holds);
	profiles = judge_needed(judge, needed, &holds);
	blocks = judge_capabilities(judge, document, capabilities, &holds);
	options = judge_capabilities(judge, document, optionals, &ignored);
	verdict = json_pack("{s:b, s:O*, s:o, s:o, s:o, s:o}", "holds", (int)holds, "version",
		version, "api_version", api_version, "profiles", profiles, "capabilities", blocks,
		"optionals", options);
	return verdict;
}

static json_t *
find_and_judge(struct kr_flags_judge *judge, const char *name)
{
	json_t *verdict;

	if (judge->depth == MOST_DEEP)
		return error_json("profiles need one another too deep");
	for (size_t i = 0; i < judge->document_count; i++) {
		const json_t *profile = json_object_get(judge->documents[i].profiles, name);

		if (!profile)
			continue;
		judge->depth++;
		verdict = judge_found(judge, i, profile);
		judge->depth--;
		return verdict;
	}
	return error_json("no file that was given has it; --profile FILE gives another");
}

const json_t *
kr_flags_judge_profile(struct kr_flags_judge *judge, const char *name)
{
	static json_t *in_a_circle;
	json_t *verdict = json_object_get(judge->profiles, name);

	if (json_is_null(verdict)) {
		if (!in_a_circle)
			in_a_circle = error_json("it needs itself");
		return in_a_circle;
	}
	if (verdict)
		return verdict;
	json_object_set_new(judge->profiles, name, json_null());
	verdict = find_and_judge(judge, name);
	json_object_set_new(judge->profiles, name, verdict);
	return verdict;
}
