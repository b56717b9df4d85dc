/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running cases of the contract on drivers: each in a process of its own, several at once, told in
 * their order. For the command (tools/check), which is one thread.
 */
#ifndef KR_CHECK_RUN_RUN_H
#define KR_CHECK_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "check/rig/driver.h"
#include "util/macros.h"

/* What came of a case. */
struct check_result {
	const struct check_case *row;
	const char *section;
	enum check_verdict verdict;
	char seen[CHECK_TEXT]; /* empty for "held" */
	unsigned remark_count;
	char remarks[CHECK_REMARKS][256];
	unsigned call_count; /* the oldest first */
	struct check_called calls[CHECK_CALLS];
	bool hung;
	int signal;         /* that ended it; 0 none */
	char *trace;        /* where it crashed or hung; NULL none */
	char *output;       /* what the driver printed; NULL nothing */
	size_t output_lost; /* so many bytes of it weren't kept */
	double seconds;
};

struct check_totals {
	unsigned held;
	unsigned failed;
	unsigned not_applicable;
	unsigned skipped;
	unsigned remarks; /* optional cases that failed */
};

#define CHECK_MOST_JOBS 256
struct check_report;

struct check_run_options {
	const char *const *filters; /* globs; none: all cases */
	size_t filter_count;
	uint64_t seed;
	uint32_t timeout_s;                  /* of each case, in place of its own; 0: that */
	unsigned jobs;                       /* 1 to CHECK_MOST_JOBS */
	const char *adapter;                 /* the adapter's module */
	struct check_report *const *reports; /* report.h */
	size_t report_count;
};

/* The cases that the filters let through, in order, as the runner runs them. */
struct check_choice {
	const struct check_case *row;
	const char *section;
};
/* A new array, which may be empty; NULL without memory. */
struct check_choice *check_choose(const char *const *filters, size_t filter_count, size_t *count)
	KR_MUST_CHECK;
/* Whether a glob fits a case at all. */
bool check_filter_fits(const char *filter);

/*
 * Runs the cases and tells the reports; adds to *totals. 0; -EINTR after a signal that asks the
 * program to end, which is in *interrupted: everything that was started has ended; -errno when no
 * process can be made.
 */
int check_run_driver(const struct check_driver *driver, const struct check_run_options *options,
	struct check_totals *totals, int *interrupted) KR_MUST_CHECK;

/*
 * A driver that somebody named: 0, or -errno with a sentence in *reason (NULL without memory).
 * Texts of the driver are borrowed from the arguments.
 */
int check_driver_named(const char *path, const char *adapter, struct check_driver *driver,
	char **reason) KR_MUST_CHECK;

/* What this machine has, as the loader finds it; looked for in a process of its own. */
struct check_found {
	struct check_driver *drivers;
	size_t count;
	char *texts;
};
int check_drivers_find(const char *adapter, struct check_found *found, char **reason) KR_MUST_CHECK;
void check_drivers_free(struct check_found *found);

#endif
