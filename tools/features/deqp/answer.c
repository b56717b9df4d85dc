/* SPDX-License-Identifier: Apache-2.0 */
/* krafla features --deqp: the verdict on a deqp level, as text or JSON. */
#include <stdio.h>
#include <string.h>

#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "tools/features/deqp/deqp.h"
#include "tools/features/request.h"

/* Of each way to refuse: a run that broke off would name a million. */
#define MOST_NAMES 10

static bool
refuses(enum kr_flags_verdict verdict)
{
	return verdict > KR_FLAGS_WAIVER;
}

static json_t *
names_json(const struct kr_flags_deqp *deqp, enum kr_flags_verdict verdict)
{
	json_t *names = json_array();

	for (size_t i = 0; i < deqp->cases.count && json_array_size(names) < MOST_NAMES; i++) {
		if (deqp->cases.cases[i].verdict == verdict)
			json_array_append_new(names, json_string(deqp->cases.cases[i].name));
	}
	return names;
}

static int
print_json(const struct kr_flags_deqp *deqp, const char *list, const char *day)
{
	json_t *counts = json_object(), *refusing = json_object(), *files = json_array(), *all;
	int failed;

	for (unsigned i = 0; i < KR_FLAGS_VERDICTS; i++) {
		if (!deqp->counts[i])
			continue;
		json_object_set_new(counts, kr_flags_verdict_name(i),
			json_integer((json_int_t)deqp->counts[i]));
		if (refuses(i))
			json_object_set_new(
				refusing, kr_flags_verdict_name(i), names_json(deqp, i));
	}
	for (size_t i = 0; i < deqp->file_count; i++) {
		const struct kr_flags_deqp_file *file = &deqp->files[i];

		json_array_append_new(files,
			json_pack("{s:o, s:I, s:i, s:i, s:o}", "path",
				kr_tool_json_text(file->path), "results",
				(json_int_t)file->facts.results, "sessions",
				(int)file->facts.sessions, "unended_sessions",
				(int)file->facts.unended, "release",
				kr_tool_json_text(file->facts.release)));
	}
	all = json_pack("{s:s, s:I, s:s, s:b, s:o, s:I, s:o, s:I, s:o, s:I, s:o}", "name",
		KR_FEATURE_NAME_DEQP, "version", (json_int_t)deqp->level, "version_text", day,
		"holds", (int)deqp->holds, "list", kr_tool_json_text(list), "cases",
		(json_int_t)deqp->cases.count, "counts", counts, "refusing_cases",
		(json_int_t)deqp->refusing, "refusing", refusing, "results_of_other_cases",
		(json_int_t)deqp->others, "files", files);
	failed = json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
	return failed && !ferror(stdout) ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

static void
print_names(const struct kr_flags_deqp *deqp, enum kr_flags_verdict verdict)
{
	size_t shown = 0;

	for (size_t i = 0; i < deqp->cases.count && shown < MOST_NAMES; i++) {
		if (deqp->cases.cases[i].verdict != verdict)
			continue;
		printf("      %s\n", deqp->cases.cases[i].name);
		shown++;
	}
	if (shown < deqp->counts[verdict])
		printf("      and %zu more\n", deqp->counts[verdict] - shown);
}

static void
print_text(const struct kr_flags_deqp *deqp, const char *list, const char *day)
{
	printf("%s 0x%08X (%s)\n  list %s: %zu cases\n", KR_FEATURE_NAME_DEQP, deqp->level, day,
		list, deqp->cases.count);
	for (size_t i = 0; i < deqp->file_count; i++) {
		const struct kr_flags_deqp_file *file = &deqp->files[i];

		printf("  [%s] results %s: %llu", file->facts.unended ? "-" : "+", file->path,
			(unsigned long long)file->facts.results);
		if (*file->facts.release)
			printf(", of %s", file->facts.release);
		if (file->facts.unended)
			printf("; the file is cut: %u of its sessions have no beginning or no end",
				file->facts.unended);
		putchar('\n');
	}
	for (unsigned i = 0; i < KR_FLAGS_VERDICTS; i++) {
		if (!deqp->counts[i])
			continue;
		printf("  [%s] %s: %zu\n", refuses(i) ? "-" : "+", kr_flags_verdict_name(i),
			deqp->counts[i]);
		if (refuses(i))
			print_names(deqp, i);
	}
	if (deqp->others)
		printf("  %llu results are of cases that the list hasn't got: they don't count\n",
			(unsigned long long)deqp->others);
	if (deqp->holds)
		printf("holds: each case of the list passed, or may be left out\n");
	else if (deqp->refusing)
		printf("doesn't hold: %zu of %zu cases refuse it\n", deqp->refusing,
			deqp->cases.count);
	else
		printf("doesn't hold: the results aren't whole\n");
}

int
kr_flags_answer_deqp(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	struct kr_flags_deqp deqp;
	char why[KR_FLAGS_WHY], day[KR_FEATURE_VERSION_TEXT];
	int code;

	if (kr_flags_deqp_judge(&deqp, &request->deqp, request->case_list, why) < 0) {
		kr_complain("features", "%s", why);
		code = KR_EXIT_FAILURE;
	} else {
		kr_feature_version_text(KR_FEATURE_NAME_DEQP, deqp.level, day);
		code = deqp.holds ? KR_EXIT_OK : KR_FLAGS_EXIT_NO;
		if (!request->json)
			print_text(&deqp, request->case_list, day);
		else if (print_json(&deqp, request->case_list, day) != KR_EXIT_OK)
			code = KR_EXIT_FAILURE;
	}
	kr_flags_deqp_finish(&deqp);
	return code;
}

int
kr_flags_hold_deqp(const struct kr_flags_request *request, struct kr_feature_system *system)
{
	struct kr_flags_deqp deqp;
	char why[KR_FLAGS_WHY];
	int code = KR_EXIT_OK;

	if (!request->deqp.count)
		return KR_EXIT_OK;
	if (kr_flags_deqp_judge(&deqp, &request->deqp, request->case_list, why) < 0) {
		kr_complain("features", "%s", why);
		code = KR_EXIT_FAILURE;
	} else {
		kr_feature_hold(system, KR_FEATURE_NAME_DEQP, deqp.holds, deqp.level);
		if (!deqp.holds)
			kr_complain("features",
				"the results don't hold the level of '%s': without another question it is told why",
				request->case_list);
	}
	kr_flags_deqp_finish(&deqp);
	return code;
}
