/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that a path of the user may hold up for ever (a FIFO, a file system whose server is silent,
 * a terminal that is stopped), done by a thread of its own, while the caller goes on to listen to
 * signals that it has blocked.
 */
#ifndef KR_TOOLS_RUN_ERRAND_H
#define KR_TOOLS_RUN_ERRAND_H

#include <stdbool.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_errand {
	void (*work)(void *data);
	void *data;
	int signal_fd;    /* a signalfd of the signals that end it */
	int64_t grace_ns; /* that it still gets after the first signal; the second is the last */
	bool told;        /* the first signal has come before */
};

/*
 * True when the work was done: *signal is then 0 or a signal that came meanwhile. False: a signal
 * came, and the work hasn't ended; its thread goes on, so that the process has to end without
 * touching what the work touches. One at a time.
 */
bool kr_errand_run(const struct kr_errand *errand, int *signal) KR_MUST_CHECK;

#endif
