/* SPDX-License-Identifier: Apache-2.0 */
/* Telling what comes of cases, in one form or the other. */
#ifndef KR_CHECK_RUN_REPORT_H
#define KR_CHECK_RUN_REPORT_H

#include <stdio.h>
#include "check/run/run.h"

struct check_run_facts {
	const struct check_driver *driver;
	const struct check_facts *facts; /* known or not */
	uint64_t seed;
	size_t case_count;
};

struct check_report_impl {
	/* A driver's cases begin. */
	void (*begin)(struct check_report *report, const struct check_run_facts *facts);
	/* A case runs; optional. `done` are told. */
	void (*progress)(struct check_report *report, const char *name, size_t done, size_t count);
	void (*result)(struct check_report *report, const struct check_result *result);
	/* Of this driver. */
	void (*end)(struct check_report *report, const struct check_totals *totals);
	/* Of all. 0 or -errno. The report is freed with it. */
	int (*finish)(struct check_report *report, const struct check_totals *totals);
};

struct check_report {
	const struct check_report_impl *impl;
	FILE *out;
};

/* NULL without memory. `out` is borrowed. */
struct check_report *check_report_lines(FILE *out, bool terminal);
struct check_report *check_report_json(FILE *out);
struct check_report *check_report_tap(FILE *out);
struct check_report *check_report_junit(FILE *out);

/* "held", "failed", "remark", "not applicable", "skipped" */
const char *check_verdict_word(const struct check_result *result);
void check_totals_add(struct check_totals *totals, const struct check_result *result);
/* "adapter over NAME", or NAME */
const char *check_driver_kind(const struct check_driver *driver);

#endif
