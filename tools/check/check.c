/* SPDX-License-Identifier: Apache-2.0 */
/* krafla check: whether a driver keeps the contract with its platform (docs/check.md). */
#include "tools/command/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/run/report.h"
#include "check/run/run.h"
#include "tools/check/file.h"
#include "tools/check/options.h"
#include "tools/command/json_values.h"
#include "util/text.h"

#define NAME "check"

/* The adapter's module: where it is installed, else as a build folder has it; NULL: nowhere. */
static char *
find_adapter(void)
{
	static const char *const places[] = {"lib/krafla/hw", "drivers/adapter"};
	char *prefix = kr_find_prefix(), *module = NULL;

	for (size_t i = 0; prefix && i < KR_ARRAY_LEN(places); i++) {
		module = kr_asprintf("%s/%s/vulkan.adapter.so", prefix, places[i]);
		if (module && !access(module, R_OK))
			break;
		free(module);
		module = NULL;
	}
	free(prefix);
	return module;
}

static json_t *
case_as_json(const struct check_choice *choice)
{
	const struct check_case *row = choice->row;

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:b}", "name", row->name, "section",
		choice->section, "requirement", row->requirement, "expected", row->expected,
		"consequence", row->consequence, "min_version", (int)row->min_version, "timeout_s",
		(int)(row->timeout_s ? row->timeout_s : CHECK_TIMEOUT_S), "optional",
		(int)row->optional);
}

static int
list_as_json(const struct check_choice *choices, size_t count)
{
	json_t *list = json_array();
	int ret = 0;

	for (size_t i = 0; i < count; i++)
		ret |= json_array_append_new(list, case_as_json(&choices[i]));
	ret |= json_dumpf(list, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(list);
	return ret ? KR_EXIT_FAILURE : KR_EXIT_OK;
}

static int
list_cases(const struct kr_check_options *options)
{
	size_t count;
	struct check_choice *choices =
		check_choose(options->filters, options->filter_count, &count);
	int ret = KR_EXIT_OK;

	if (!choices)
		return KR_EXIT_FAILURE;
	if (options->json)
		ret = list_as_json(choices, count);
	for (size_t i = 0; !options->json && i < count; i++)
		printf("%s%s%s [%s] %s\n", choices[i].row->name,
			choices[i].row->optional ? " (optional)" : "", ":",
			choices[i].row->requirement, choices[i].row->expected);
	free(choices);
	return ret;
}

static struct check_report *
make_report(const struct kr_check_options *options)
{
	if (options->json)
		return check_report_json(stdout);
	if (options->tap)
		return check_report_tap(stdout);
	return check_report_lines(stdout, isatty(STDOUT_FILENO));
}

static int
run_drivers(const struct check_driver *drivers, size_t count,
	const struct check_run_options *options, struct check_totals *totals, int *interrupted)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = check_run_driver(&drivers[i], options, totals, interrupted);
	if (ret && ret != -EINTR)
		kr_complain(NAME, "the cases can't be run: %s", strerror(-ret));
	return ret;
}

static int
finish_reports(const struct check_run_options *options, const struct check_totals *totals)
{
	int ret = 0;

	for (size_t i = 0; i < options->report_count; i++) {
		int err = options->reports[i]->impl->finish(options->reports[i], totals);

		ret = ret ? ret : err;
	}
	if (ret)
		kr_complain(NAME, "the report can't be made: %s", strerror(-ret));
	return ret;
}

/* As if nobody had minded the signal: whoever started krafla shall see it. */
static int
end_by(int number)
{
	fflush(stdout);
	signal(number, SIG_DFL);
	raise(number);
	return KR_EXIT_FAILURE;
}

static int
run_with_reports(const struct kr_check_options *options, const char *adapter,
	const struct check_driver *drivers, size_t count, struct kr_check_file *junit)
{
	struct check_report *reports[2] = {
		make_report(options), options->junit ? check_report_junit(junit->out) : NULL};
	const struct check_run_options run = {
		.filters = options->filters,
		.filter_count = options->filter_count,
		.seed = options->seed,
		.timeout_s = (uint32_t)options->timeout_s,
		.jobs = (unsigned)options->jobs,
		.adapter = adapter,
		.reports = reports,
		.report_count = options->junit ? 2 : 1,
	};
	struct check_totals totals = {0};
	int interrupted = 0, ret;

	if (!reports[0] || (options->junit && !reports[1])) {
		kr_complain(NAME, "out of memory");
		return KR_EXIT_FAILURE;
	}
	ret = run_drivers(drivers, count, &run, &totals, &interrupted);
	if (interrupted) {
		kr_check_file_drop(junit);
		return end_by(interrupted);
	}
	if (finish_reports(&run, &totals) || ret)
		return KR_EXIT_FAILURE;
	ret = options->junit ? kr_check_file_commit(junit) : 0;
	if (ret) {
		kr_complain(NAME, "%s can't be written: %s", options->junit, strerror(-ret));
		return KR_EXIT_FAILURE;
	}
	return totals.failed ? KR_EXIT_FAILED : KR_EXIT_OK;
}

static int
check_drivers(const struct kr_check_options *options, const char *adapter,
	struct check_driver *drivers, size_t count)
{
	struct kr_check_file junit = KR_CHECK_NO_FILE;
	int ret;

	for (size_t i = 0; i < count; i++)
		drivers[i].device = (uint32_t)options->device;
	if (options->junit) {
		ret = kr_check_file_open(&junit, options->junit);
		if (ret) {
			kr_complain(NAME, "%s can't be written: %s", options->junit,
				ret == -EEXIST
					? "it is a library or JSON and no report: name another file, or remove it"
					: strerror(-ret));
			return KR_EXIT_FAILURE;
		}
	}
	ret = run_with_reports(options, adapter, drivers, count, &junit);
	kr_check_file_drop(&junit);
	return ret;
}

static int
find_and_check(const struct kr_check_options *options, const char *adapter)
{
	const bool is_bare = options->driver && !strchr(options->driver, '/');
	/* What has no slash would be looked for elsewhere. */
	char *path = kr_asprintf("%s%s", is_bare ? "./" : "", options->driver ?: "");
	struct check_found found = {0};
	struct check_driver named;
	char *reason = NULL;
	int ret;

	if (!path)
		ret = -ENOMEM;
	else if (options->driver)
		ret = check_driver_named(path, adapter, &named, &reason);
	else
		ret = check_drivers_find(adapter, &found, &reason);
	if (ret) {
		kr_complain(NAME, "%s", reason ? reason : strerror(-ret));
		free(reason);
		free(path);
		return KR_EXIT_NO_DRIVER;
	}
	ret = options->driver ? check_drivers(options, adapter, &named, 1)
			      : check_drivers(options, adapter, found.drivers, found.count);
	check_drivers_free(&found);
	free(path);
	return ret;
}

static int
run(int argc, char **argv)
{
	struct kr_check_options options;
	int ret = kr_check_options_parse(argc, argv, &options);
	char *adapter;

	/* Who stops reading is no reason to leave cases, or half a file, behind. */
	signal(SIGPIPE, SIG_IGN);
	if (ret < 0 && options.list) {
		ret = list_cases(&options);
	} else if (ret < 0) {
		adapter = find_adapter();
		ret = find_and_check(&options, adapter);
		free(adapter);
	}
	kr_check_options_finish(&options);
	return ret;
}

const struct kr_subcommand kr_subcommand_check = {
	.name = NAME,
	.summary = "check a driver against the contract with its platform",
	.help = kr_check_help,
	.run = run,
};
