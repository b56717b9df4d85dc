/* SPDX-License-Identifier: Apache-2.0 */
/* What came of captures, for the summary. One thread, after the output has finished. */
#ifndef KR_TOOLS_RUN_CAPTURE_REPORT_H
#define KR_TOOLS_RUN_CAPTURE_REPORT_H

#include <stdint.h>
#include <stdio.h>
#include "tools/run/capture/request.h"
#include "tools/run/capture/writers.h"

struct json_t;
struct kr_display_output;

/* Valid as long as the output. */
struct kr_capture_report {
	unsigned count;
	struct {
		const char *text; /* as typed */
		const char *name; /* for people */
		const char *format;
		uint64_t pictures;
		uint64_t bytes;
	} targets[KR_CAPTURE_TARGETS];
	struct kr_writers_waits waits;
};

/* Of the output of captures, no other. */
void kr_capture_get_report(struct kr_display_output *output, struct kr_capture_report *report);

/* All of these take NULL for no captures. */
/* ", 10 written to a, 10 to b": the end of the summary's line about frames. */
void kr_capture_print_written(struct kr_display_output *output, FILE *out);
/* A line about who has waited for whom. */
void kr_capture_print_waits(struct kr_display_output *output, FILE *out);
/* As docs/commands.md describes it: a new value; null without captures. */
struct json_t *kr_capture_report_json(struct kr_display_output *output);

#endif
