/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a `krafla run`: as text for people, as JSON for programs (docs/commands.md). */
#ifndef KR_TOOLS_RUN_SUMMARY_H
#define KR_TOOLS_RUN_SUMMARY_H

#include <stdint.h>
#include <stdio.h>
#include "tools/run/session.h"
#include "util/macros.h"

enum kr_run_end {
	KR_RUN_END_PROGRAM, /* it ended by itself */
	KR_RUN_END_FRAMES,  /* krafla ended it, because --frames were reached */
	KR_RUN_END_SIGNAL,  /* krafla was told to end and passed that on */
	KR_RUN_END_CLOSED,  /* krafla ended it, because its user has closed a window of it */
	KR_RUN_END_ERROR,   /* krafla ended it, because display or captures failed */
};

struct kr_summary {
	struct kr_session *session; /* stopped */
	enum kr_run_end end;
	int exit_code; /* krafla's */
	int64_t wall_ns;
};

void kr_summary_print(const struct kr_summary *summary, FILE *out);
/*
 * Replaces the file, or a link's target, as a whole; writes to what isn't a file, and
 * for "-" to standard output. 0, or -errno (told on stderr). Waits for whoever reads a
 * FIFO, socket or terminal.
 */
int kr_summary_write(const struct kr_summary *summary, const char *path) KR_MUST_CHECK;

#endif
