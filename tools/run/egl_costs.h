/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What EGL costs the processes of a run where its vendor can't do something: numbers in memory of
 * theirs (egl/vendor/report.h), which are believed as far as they are numbers. It is read when it
 * is asked for, so it tells of processes that were killed, too.
 */
#ifndef KR_TOOLS_RUN_EGL_COSTS_H
#define KR_TOOLS_RUN_EGL_COSTS_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#define KR_RUN_COSTS_PROCESSES 64

struct kr_run_costs {
	unsigned count; /* processes beyond the room are left out */
	struct {
		int fd;
		dev_t device;
		ino_t number;
	} of[KR_RUN_COSTS_PROCESSES];
};

/* What isn't such memory, or is there already, is let go. */
void kr_run_costs_take(struct kr_run_costs *costs, int take_fd);
/* Also of one that is all zero. */
void kr_run_costs_finish(struct kr_run_costs *costs);
/* Nothing where there is nothing. */
void kr_run_costs_print(const struct kr_run_costs *costs, FILE *out);
/* null where there is nothing. */
json_t *kr_run_costs_json(const struct kr_run_costs *costs);

#endif
