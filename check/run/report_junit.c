/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit's XML, as servers of continuous integration read it: a suite a driver. */
#include "check/run/report.h"

#include <stdlib.h>
#include <string.h>

#include "check/run/words.h"

struct junit {
	struct check_report base; /* first */
	char *name;               /* of the driver; NULL without memory */
	char *cases;              /* of one driver: the numbers in front are known behind them */
	size_t size;
	FILE *memory;
	double seconds;
};

static void
escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\n':
			fputs("&#10;", out);
			break;
		default:
			fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
		}
	}
}

static void
attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	escaped(out, value);
	fputc('"', out);
}

static void
begin(struct check_report *report, const struct check_run_facts *facts)
{
	struct junit *junit = (struct junit *)report;

	junit->name = check_words(facts->driver->name, strlen(facts->driver->name));
	junit->seconds = 0;
	junit->memory = open_memstream(&junit->cases, &junit->size);
}

static void
line(FILE *out, const char *label, const char *text)
{
	if (!text || !text[0])
		return;
	fprintf(out, "%s: ", label);
	escaped(out, text);
	fputs("&#10;", out);
}

static void
failure(FILE *out, const struct check_result *result)
{
	fputs("<failure", out);
	attribute(out, "message", result->seen);
	attribute(out, "type", result->hung ? "hang" : result->signal ? "crash" : "failure");
	fputc('>', out);
	line(out, "requirement", result->row->requirement);
	line(out, "expected", result->row->expected);
	line(out, "a user sees", result->row->consequence);
	for (unsigned i = 0; i < result->call_count; i++)
		line(out, "called", result->calls[i].name);
	line(out, "backtrace", result->trace);
	fputs("</failure>", out);
}

static void
add_result(struct check_report *report, const struct check_result *result)
{
	struct junit *junit = (struct junit *)report;
	FILE *out = junit->memory;

	if (!out)
		return;
	junit->seconds += result->seconds;
	fputs("    <testcase", out);
	attribute(out, "classname", result->section);
	attribute(out, "name", result->row->name);
	fprintf(out, " time=\"%.3f\">", result->seconds);
	if (result->verdict == CHECK_SKIPPED || result->verdict == CHECK_NOT_APPLICABLE ||
		(result->verdict == CHECK_FAILED && result->row->optional)) {
		fputs("<skipped", out);
		attribute(out, "message", result->seen);
		fputs("/>", out);
	} else if (result->verdict != CHECK_HELD) {
		failure(out, result);
	}
	if (result->output) {
		fputs("<system-out>", out);
		escaped(out, result->output);
		fputs("</system-out>", out);
	}
	fputs("</testcase>\n", out);
}

static void
end(struct check_report *report, const struct check_totals *totals)
{
	struct junit *junit = (struct junit *)report;
	bool lost = !junit->memory || fclose(junit->memory);

	fputs("  <testsuite", report->out);
	attribute(report->out, "name", junit->name ? junit->name : "");
	fprintf(report->out,
		" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"%.3f\">\n",
		totals->held + totals->failed + totals->not_applicable + totals->skipped +
			totals->remarks,
		totals->failed, totals->not_applicable + totals->skipped + totals->remarks,
		junit->seconds);
	if (!lost)
		fwrite(junit->cases, 1, junit->size, report->out);
	fputs("  </testsuite>\n", report->out);
	junit->memory = NULL;
	free(junit->cases);
	free(junit->name);
	junit->cases = junit->name = NULL;
}

static int
finish(struct check_report *report, const struct check_totals *totals)
{
	struct junit *junit = (struct junit *)report;

	if (junit->memory) {
		fclose(junit->memory);
		free(junit->cases);
		free(junit->name);
	}
	fputs("</testsuites>\n", report->out);
	free(junit);
	return 0;
}

static const struct check_report_impl impl = {
	.begin = begin,
	.result = add_result,
	.end = end,
	.finish = finish,
};

struct check_report *
check_report_junit(FILE *out)
{
	struct junit *junit = calloc(1, sizeof(*junit));

	if (!junit)
		return NULL;
	junit->base = (struct check_report){&impl, out};
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	return &junit->base;
}
