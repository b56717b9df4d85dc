/* SPDX-License-Identifier: Apache-2.0 */
/* The Test Anything Protocol, version 13: one plan for all drivers, behind their cases. */
#include "check/run/report.h"

#include <stdlib.h>
#include <string.h>

struct tap {
	struct check_report base; /* first */
	unsigned number;
};

/* A comment, however many lines it has. */
static void
comment(FILE *out, const char *label, const char *text)
{
	while (text && *text) {
		size_t length = strcspn(text, "\n");

		fprintf(out, "# %s: %.*s\n", label, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void
begin(struct check_report *report, const struct check_run_facts *facts)
{
	fprintf(report->out, "# driver: %s, %s\n# seed: %llu\n", facts->driver->name,
		check_driver_kind(facts->driver), (unsigned long long)facts->seed);
}

/* In a description '#' begins a directive. */
static void
directive(FILE *out, const char *word, const char *text)
{
	fprintf(out, " # %s ", word);
	for (; *text; text++)
		fputc(*text == '#' || *text == '\n' ? ' ' : *text, out);
}

static void
result_line(struct check_report *report, const struct check_result *result)
{
	struct tap *tap = (struct tap *)report;
	FILE *out = report->out;
	bool without = result->verdict == CHECK_SKIPPED || result->verdict == CHECK_NOT_APPLICABLE;
	bool good = without || result->verdict == CHECK_HELD;

	fprintf(out, "%sok %u - %s", good ? "" : "not ", ++tap->number, result->row->name);
	if (without)
		directive(out, "SKIP", result->seen);
	else if (!good && result->row->optional)
		directive(out, "TODO", result->seen);
	fputc('\n', out);
	if (!good) {
		comment(out, "requirement", result->row->requirement);
		comment(out, "expected", result->row->expected);
		comment(out, "seen", result->seen);
		comment(out, "a user sees", result->row->consequence);
		for (unsigned i = 0; i < result->call_count; i++)
			comment(out, "called", result->calls[i].name);
		comment(out, "backtrace", result->trace);
		comment(out, "it printed", result->output);
	}
	for (unsigned i = 0; i < result->remark_count; i++)
		comment(out, "said", result->remarks[i]);
	fflush(out);
}

static void
end(struct check_report *report, const struct check_totals *totals)
{
}

static int
finish(struct check_report *report, const struct check_totals *totals)
{
	fprintf(report->out, "1..%u\n", ((struct tap *)report)->number);
	free(report);
	return 0;
}

static const struct check_report_impl impl = {
	.begin = begin,
	.result = result_line,
	.end = end,
	.finish = finish,
};

struct check_report *
check_report_tap(FILE *out)
{
	struct tap *tap = calloc(1, sizeof(*tap));

	if (!tap)
		return NULL;
	tap->base = (struct check_report){&impl, out};
	fputs("TAP version 13\n", out);
	return &tap->base;
}
