/* SPDX-License-Identifier: Apache-2.0 */
/* For check/run: the driver that is checked, and running a case on it. */
#ifndef KR_CHECK_RIG_DRIVER_H
#define KR_CHECK_RIG_DRIVER_H

#include "check/rig/shared.h"

/* All texts are borrowed. */
struct check_driver {
	const char *name;   /* for people: what was typed, or where it was found */
	const char *module; /* the HAL module that is opened */
	const char *icd;    /* manifest or library that the adapter is to take; NULL: no adapter */
	uint32_t device;    /* which of its physical devices */
};

struct check_job {
	const struct check_case *row;
	const struct check_driver *driver;
	const struct check_facts *facts;
	uint64_t seed;
	uint32_t timeout_s; /* in place of the case's own; 0: that */
	struct check_shared *shared;
	int trace_fd; /* where a crash is described; it stays open */
};

/* In a new process: runs the case, leaves its verdict in `shared`, and exits. */
_Noreturn void check_run(const struct check_job *job);
/* A case that fills in shared->facts. */
extern const struct check_case check_inspect;

/* The signal on which a thread of the case describes where it is, and goes on. */
int check_hang_signal(void);

#endif
