/* SPDX-License-Identifier: Apache-2.0 */
/* What one look has given, for people (print.c) and for programs (json.c). */
#ifndef KR_TOOLS_FENCES_REPORT_H
#define KR_TOOLS_FENCES_REPORT_H

#include <stdio.h>
#include "tools/fences/findings.h"

struct kr_fences_report {
	const struct kr_fences_sample *sample;
	const struct kr_fences_rows *rows;
	const struct kr_fences_findings *findings;
	int64_t budget_ns;
};

void kr_fences_print(FILE *out, const struct kr_fences_report *report, size_t max_rows);
/* `lines`: all on one line. 0 or -1. */
int kr_fences_print_json(const struct kr_fences_report *report, bool lines) KR_MUST_CHECK;

#endif
