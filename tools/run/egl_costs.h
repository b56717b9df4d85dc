/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What EGL costs the processes of a run where its vendor can't do something: what they say of
 * themselves (util/report.h), which is believed as far as it is numbers.
 */
#ifndef KR_TOOLS_RUN_EGL_COSTS_H
#define KR_TOOLS_RUN_EGL_COSTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define KR_RUN_COSTS_PROCESSES 64

/* In the order of the report. */
struct kr_run_cost {
	uint64_t frames;
	uint64_t copies;
	uint64_t copied_bytes;
	uint64_t cpu_waits;
	uint64_t cpu_waits_late;
	uint64_t cpu_wait_ns;
};

struct kr_run_costs {
	unsigned count; /* processes beyond the room are left out */
	struct {
		pid_t pid;
		struct kr_run_cost cost;
	} of[KR_RUN_COSTS_PROCESSES];
};

/* A report's text behind its first word: all that a process has had so far. */
void kr_run_costs_take(struct kr_run_costs *costs, pid_t pid, const char *text);
/* Nothing where there is nothing. */
void kr_run_costs_print(const struct kr_run_costs *costs, FILE *out);
/* null where there is nothing. */
json_t *kr_run_costs_json(const struct kr_run_costs *costs);

#endif
