/* SPDX-License-Identifier: Apache-2.0 */
/* krafla features --profile: which profiles the devices hold, as text or JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "tools/features/drivers.h"
#include "tools/features/profile/print.h"
#include "tools/features/request.h"

struct documents {
	struct kr_flags_document *list;
	size_t count;
};

static int
read_documents(const struct kr_flags_paths *paths, struct documents *documents)
{
	char why[KR_FLAGS_PROFILE_WHY];

	documents->list = calloc(paths->count, sizeof(*documents->list));
	if (!documents->list)
		return KR_EXIT_FAILURE;
	for (size_t i = 0; i < paths->count; i++) {
		documents->count++;
		if (kr_flags_document_read(paths->paths[i], &documents->list[i], why) < 0) {
			kr_complain("features", "--profile: %s", why);
			return KR_EXIT_FAILURE;
		}
	}
	return KR_EXIT_OK;
}

static void
free_documents(struct documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		json_decref(documents->list[i].root);
	free(documents->list);
}

static json_t *
device_json(const struct kr_flags_judge *judge)
{
	json_t *blocks = json_array();

	for (size_t i = 0; i < judge->document_count; i++)
		json_array_append_new(blocks,
			json_pack("{s:o, s:O}", "file", kr_tool_json_text(judge->documents[i].path),
				"capabilities", judge->blocks[i]));
	return json_pack("{s:i, s:o, s:O, s:o}", "number", (int)judge->view.device->number, "name",
		kr_tool_json_text(judge->view.device->facts.properties.deviceName), "profiles",
		judge->profiles, "documents", blocks);
}

/* Names that hold are taken out of `missing`. */
static int
judge_device(const struct documents *documents, const struct kr_feature_device *device,
	const json_t *asked, json_t *missing, json_t *devices)
{
	struct kr_flags_judge judge;
	const json_t *name;
	size_t i;
	int err, kept;

	kept = kr_flags_begin_drivers();
	err = kr_flags_judge_init(&judge, documents->list, documents->count, device);
	json_array_foreach(asked, i, name)
	{
		const json_t *verdict =
			err < 0 ? NULL : kr_flags_judge_profile(&judge, json_string_value(name));

		if (json_is_true(json_object_get(verdict, "holds")))
			json_object_del(missing, json_string_value(name));
	}
	kr_flags_end_drivers(kept);
	if (!err && devices)
		json_array_append_new(devices, device_json(&judge));
	else if (!err)
		kr_flags_print_profiles(&judge, asked);
	kr_flags_judge_finish(&judge);
	return err;
}

/* The one that was named, or all of the first file. */
static json_t *
names_asked(const struct kr_flags_request *request, const struct documents *documents)
{
	json_t *names = json_array();
	const char *name;
	const json_t *profile;

	if (request->word) {
		json_array_append_new(names, json_string(request->word));
		return names;
	}
	json_object_foreach(documents->list[0].profiles, name, profile)
		json_array_append_new(names, json_string(name));
	return names;
}

static bool
is_there(const struct kr_flags_request *request, const struct documents *documents)
{
	const json_t *profiles = documents->list[0].profiles;
	const json_t *profile;
	const char *name;

	if (!json_object_size(profiles)) {
		kr_complain("features", "--profile: '%s' has no profile", documents->list[0].path);
		return false;
	}
	if (!request->word || json_object_get(profiles, request->word))
		return true;
	kr_complain("features",
		"--profile: '%s' has no profile '%s'; it has:", documents->list[0].path,
		request->word);
	json_object_foreach((json_t *)profiles, name, profile) fprintf(stderr, "  %s\n", name);
	return false;
}

static int
print_json(json_t *devices, const json_t *missing)
{
	json_t *all = json_pack(
		"{s:b, s:O}", "holds", (int)!json_object_size(missing), "devices", devices);
	const int failed = json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	putchar('\n');
	json_decref(all);
	return failed && !ferror(stdout) ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

static int
answer(const struct kr_flags_request *request, const struct documents *documents,
	const struct kr_feature_system *system)
{
	json_t *asked = names_asked(request, documents);
	json_t *missing = json_object(), *devices = request->json ? json_array() : NULL;
	const json_t *name;
	size_t i;
	int code = KR_EXIT_OK;

	json_array_foreach(asked, i, name)
		json_object_set_new(missing, json_string_value(name), json_true());
	for (uint32_t k = 0; k < system->count && code == KR_EXIT_OK; k++) {
		if (judge_device(documents, &system->devices[k], asked, missing, devices) < 0) {
			kr_complain("features", "there is no memory for the verdict");
			code = KR_EXIT_FAILURE;
		}
	}
	if (devices && code == KR_EXIT_OK)
		code = print_json(devices, missing);
	if (code == KR_EXIT_OK && json_object_size(missing))
		code = KR_FLAGS_EXIT_NO;
	json_decref(asked);
	json_decref(missing);
	json_decref(devices);
	return code;
}

int
kr_flags_answer_profile(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	struct documents documents = {0};
	int code = read_documents(&request->profiles, &documents);

	if (code == KR_EXIT_OK && !is_there(request, &documents))
		code = KR_EXIT_FAILURE;
	if (code == KR_EXIT_OK)
		code = answer(request, &documents, system);
	free_documents(&documents);
	return code;
}
