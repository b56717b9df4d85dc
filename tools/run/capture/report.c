/* SPDX-License-Identifier: Apache-2.0 */
/* Captures in the two forms of the summary: see report.h. */
#include "tools/run/capture/report.h"

#include <inttypes.h>

#include <jansson.h>

#include "tools/command/json_values.h"
#include "util/clock.h"

static double
ms(int64_t ns)
{
	return (double)ns / (double)KR_NSEC_PER_MSEC;
}

void
kr_capture_print_written(struct kr_display_output *output, FILE *out)
{
	struct kr_capture_report report;

	if (!output)
		return;
	kr_capture_get_report(output, &report);
	for (unsigned i = 0; i < report.count; i++)
		fprintf(out, ", %" PRIu64 "%s to %s", report.targets[i].pictures,
			i ? "" : " written", report.targets[i].name);
}

void
kr_capture_print_waits(struct kr_display_output *output, FILE *out)
{
	struct kr_capture_report report;

	if (!output)
		return;
	kr_capture_get_report(output, &report);
	if (!report.waits.count)
		fputs("  writers    the display didn't wait for them\n", out);
	else
		fprintf(out,
			"  writers    the display waited for them %" PRIu64
			" times, %.2f ms in all, %.2f ms at most\n",
			report.waits.count, ms(report.waits.sum_ns), ms(report.waits.max_ns));
}

struct json_t *
kr_capture_report_json(struct kr_display_output *output)
{
	struct kr_capture_report report;
	json_t *targets;

	if (!output)
		return json_null();
	kr_capture_get_report(output, &report);
	targets = json_array();
	for (unsigned i = 0; i < report.count; i++)
		json_array_append_new(targets,
			json_pack("{s:o, s:s, s:I, s:I}", "target",
				kr_tool_json_text(report.targets[i].text), "format",
				report.targets[i].format, "pictures",
				(json_int_t)report.targets[i].pictures, "bytes",
				(json_int_t)report.targets[i].bytes));
	return json_pack("{s:o, s:{s:I, s:I, s:I}}", "targets", targets, "waits", "count",
		(json_int_t)report.waits.count, "sum_ns", (json_int_t)report.waits.sum_ns, "max_ns",
		(json_int_t)report.waits.max_ns);
}
