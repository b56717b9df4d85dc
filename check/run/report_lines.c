/* SPDX-License-Identifier: Apache-2.0 */
/* For people: a line a case, and all that is known of one that failed. */
#include "check/run/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_NAMES 40

struct lines {
	struct check_report base; /* first */
	bool terminal;
	bool progress; /* the last line is one of progress */
	const char *section;
	unsigned drivers;
};

static void
clear_progress(struct lines *lines)
{
	if (lines->progress)
		fputs("\r\033[K", lines->base.out);
	lines->progress = false;
}

static void
begin(struct check_report *report, const struct check_run_facts *facts)
{
	struct lines *lines = (struct lines *)report;
	const struct check_facts *f = facts->facts;

	fprintf(report->out, "%s%s, %s\n", lines->drivers++ ? "\n" : "", facts->driver->name,
		check_driver_kind(facts->driver));
	if (f->known)
		fprintf(report->out,
			"  device %u of %u: %s, Vulkan %u.%u.%u, VK_ANDROID_native_buffer %u\n",
			facts->driver->device, f->device_count, f->device_name,
			VK_API_VERSION_MAJOR(f->api_version), VK_API_VERSION_MINOR(f->api_version),
			VK_API_VERSION_PATCH(f->api_version), f->version);
	else
		fputs("  what it is can't be known: it doesn't get as far as a device\n",
			report->out);
	fprintf(report->out, "  %zu cases, --seed %" PRIu64 "\n", facts->case_count, facts->seed);
	lines->section = NULL;
}

static void
progress(struct check_report *report, const char *name, size_t done, size_t count)
{
	struct lines *lines = (struct lines *)report;

	if (!lines->terminal)
		return;
	clear_progress(lines);
	fprintf(report->out, "[%zu/%zu] %.*s", done, count, SHOWN_NAMES, name);
	fflush(report->out);
	lines->progress = true;
}

/* A text of several lines, below each other. */
static void
block(FILE *out, const char *label, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		fprintf(out, "    %-12s %.*s\n", label, (int)length, text);
		label = "";
		text += length + (text[length] == '\n');
	}
}

/* With threads and times, for who looks for a crash or a hang. */
static void
calls_in_time(FILE *out, const struct check_result *result)
{
	int64_t last = result->calls[result->call_count - 1].at_ns;

	for (unsigned i = 0; i < result->call_count; i++) {
		const struct check_called *call = &result->calls[i];

		fprintf(out, "    %-12s %s (thread %d, %.3f ms before the last)\n",
			i ? "" : "last calls", call->name, (int)call->thread,
			((double)last - (double)call->at_ns) / 1e6);
	}
}

/* What was called several times in a row stands there once. */
static void
calls(FILE *out, const struct check_result *result)
{
	const char *comma = "";

	fprintf(out, "    %-12s ", "last calls");
	for (unsigned i = 0, times; i < result->call_count; i += times, comma = ", ") {
		const char *name = result->calls[i].name;

		times = 1;
		while (i + times < result->call_count &&
			!strcmp(name, result->calls[i + times].name))
			times++;
		fprintf(out, "%s%s", comma, name);
		if (times > 1)
			fprintf(out, " (%u times)", times);
	}
	fputc('\n', out);
}

static void
details(FILE *out, const struct check_result *result)
{
	block(out, "requirement", result->row->requirement);
	block(out, "expected", result->row->expected);
	block(out, "seen", result->seen);
	block(out, "a user sees", result->row->consequence);
	if (result->call_count && (result->hung || result->signal))
		calls_in_time(out, result);
	else if (result->call_count && !result->row->optional)
		calls(out, result);
	if (result->trace)
		block(out, "backtrace", result->trace);
	if (result->output)
		block(out, "it printed", result->output);
	if (result->output_lost)
		fprintf(out, "    %-12s and %zu bytes more\n", "", result->output_lost);
}

static void
result_line(struct check_report *report, const struct check_result *result)
{
	struct lines *lines = (struct lines *)report;
	FILE *out = report->out;
	bool failed = result->verdict <= CHECK_NO_VERDICT || result->verdict == CHECK_FAILED;

	clear_progress(lines);
	if (!lines->section || strcmp(lines->section, result->section) != 0)
		fprintf(out, "%s\n", result->section);
	lines->section = result->section;
	fprintf(out, "  %-14s %s",
		failed && !result->row->optional ? "FAILED" : check_verdict_word(result),
		result->row->name);
	if (result->seen[0] && !failed)
		fprintf(out, ": %s", result->seen);
	fputc('\n', out);
	if (failed)
		details(out, result);
	for (unsigned i = 0; i < result->remark_count; i++)
		block(out, "said", result->remarks[i]);
	fflush(out);
}

static void
totals_line(FILE *out, const struct check_totals *totals)
{
	fprintf(out, "%u held, %u failed, %u not applicable, %u skipped", totals->held,
		totals->failed, totals->not_applicable, totals->skipped);
	if (totals->remarks)
		fprintf(out, ", %u remark%s", totals->remarks, totals->remarks > 1 ? "s" : "");
	fputc('\n', out);
}

static void
end(struct check_report *report, const struct check_totals *totals)
{
	clear_progress((struct lines *)report);
	totals_line(report->out, totals);
}

static int
finish(struct check_report *report, const struct check_totals *totals)
{
	struct lines *lines = (struct lines *)report;

	clear_progress(lines);
	if (lines->drivers > 1) {
		fprintf(report->out, "\nall %u drivers: ", lines->drivers);
		totals_line(report->out, totals);
	}
	free(lines);
	return 0;
}

static const struct check_report_impl impl = {
	.begin = begin,
	.progress = progress,
	.result = result_line,
	.end = end,
	.finish = finish,
};

struct check_report *
check_report_lines(FILE *out, bool terminal)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->base = (struct check_report){&impl, out};
	lines->terminal = terminal;
	return &lines->base;
}
