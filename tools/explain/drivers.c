/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for drivers, and of those in use how many devices they have. */
#include "tools/explain/entries.h"

#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "hardware/device_map.h"
#include "manifest/settings.h"
#include "tools/command/command.h"
#include "tools/command/json_values.h"
#include "util/text.h"

static const char *const verdict_names[] = {
	[KR_CANDIDATE_USED] = "used",
	[KR_CANDIDATE_UNREADABLE] = "unreadable",
	[KR_CANDIDATE_BAD_MANIFEST] = "bad manifest",
	[KR_CANDIDATE_WRONG_ARCH] = "wrong architecture",
	[KR_CANDIDATE_DISABLED] = "disabled",
	[KR_CANDIDATE_NOT_SELECTED] = "not selected",
	[KR_CANDIDATE_PORTABILITY] = "portability",
	[KR_CANDIDATE_MISSING] = "missing",
	[KR_CANDIDATE_UNLOADABLE] = "unloadable",
	[KR_CANDIDATE_DUPLICATE] = "duplicate",
	[KR_CANDIDATE_NO_DRIVER] = "no driver",
	[KR_CANDIDATE_HARDWARE_ABSENT] = "hardware absent",
	[KR_CANDIDATE_CODE_FORBIDDEN] = "code forbidden",
	[KR_CANDIDATE_QUARANTINED] = "quarantined",
};

struct explain {
	struct kr_discover_options discover;
	struct kr_settings settings;
	char *program;
	char *dev, *sys;
};

static void
begin(struct explain *explain, const struct kr_explain_options *options)
{
	*explain = (struct explain){.program = kr_find_installed_probe()};
	explain->discover.service = kr_client_service();
	if (options->devices) {
		explain->dev = kr_asprintf("%s/dev", options->devices);
		explain->sys = kr_asprintf("%s/sys", options->devices);
		explain->discover.devices.dev = explain->dev;
		explain->discover.devices.sys = explain->sys;
	}
	if (!explain->program)
		kr_complain("explain",
			"there is no krafla-probe beside this program: drivers are opened in this one, which a bad one may end");
	else
		explain->discover.probe = (struct kr_probe_options){
			.mode = KR_PROBE_EVERYTHING, .program = explain->program};
	if (!kr_settings_read(NULL, &explain->settings))
		explain->discover.settings = &explain->settings;
}

static void
end(struct explain *explain)
{
	if (explain->discover.settings)
		kr_settings_finish(&explain->settings);
	free(explain->program);
	free(explain->dev);
	free(explain->sys);
}

/* How many devices a driver in use has, and what may keep them from it. */
static void
add_devices(
	const struct explain *explain, const struct kr_driver_candidate *candidate, json_t *entry)
{
	const struct kr_hardware_rule *rule = kr_hardware_rule_get(candidate->library_path);
	char node[KR_PRESENCE_WHY_SIZE];
	struct kr_probe_result probe;

	if (explain->program && candidate->source != KR_DRIVER_STUB &&
		!kr_probe_run(explain->program, candidate->library_path, KR_PROBE_AS_DRIVER,
			KR_PROBE_TIMEOUT_MS, &probe) &&
		probe.outcome == KR_PROBE_WORKS)
		json_object_set_new(entry, "devices",
			probe.devices < 0 ? json_null() : json_integer(probe.devices));
	if (rule && kr_hardware_forbidden(rule, &explain->discover.devices, node))
		json_object_set_new(entry, "advice",
			json_sprintf(
				"this user may not open %s: let it join the group of that file (ls -l shows it, often \"render\" or \"video\") and log in again",
				node));
}

/*
 * A library that is named without a directory is missing when dlopen doesn't find that very name.
 */
static const char *
verdict_name(const struct kr_driver_candidate *candidate)
{
	enum kr_candidate_verdict verdict = candidate->verdict;
	char *sentence;

	if (verdict == KR_CANDIDATE_UNLOADABLE && candidate->library_path) {
		sentence =
			kr_asprintf(" %s: cannot open shared object file", candidate->library_path);
		if (sentence && strstr(candidate->reason, sentence))
			verdict = KR_CANDIDATE_MISSING;
		free(sentence);
	}
	return verdict_names[verdict];
}

static json_t *
describe(const struct explain *explain, const struct kr_driver_candidate *candidate)
{
	char *advice = kr_explain_advice(candidate);
	json_t *entry = json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:n}", "kind",
		"driver", "source", kr_driver_source_name(candidate->source), "path",
		kr_tool_json_text(candidate->path), "library",
		kr_tool_json_text(candidate->library_path), "named_by",
		kr_tool_json_text(candidate->variable), "used", (int)candidate->used, "verdict",
		verdict_name(candidate), "reason", kr_tool_json_text(candidate->reason), "advice",
		kr_tool_json_text(advice), "devices");

	free(advice);
	if (candidate->used && candidate->library_path && !candidate->served)
		add_devices(explain, candidate, entry);
	return entry;
}

json_t *
kr_explain_drivers(const struct kr_explain_options *options)
{
	const struct kr_driver_candidate *candidate;
	json_t *array = json_array();
	struct kr_driver_list list;
	struct explain explain;

	begin(&explain, options);
	if (!kr_discover_drivers(&explain.discover, &list)) {
		kr_list_for_each (candidate, &list.candidates, link)
			json_array_append_new(array, describe(&explain, candidate));
		kr_driver_list_finish(&list);
	}
	end(&explain);
	return array;
}
