/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `krafla fences`, which docs/commands.md tells of. */
#ifndef KR_TOOLS_FENCES_OPTIONS_H
#define KR_TOOLS_FENCES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kr_fences_options {
	pid_t *pids; /* heap */
	size_t pid_count;
	bool watch, json;
	uint64_t interval_ms;
	uint64_t samples;   /* 0: no end */
	uint64_t budget_ms; /* set it before */
};

extern const char kr_fences_help[];

/*
 * Negative: go on; else the exit code, and all is said. The caller frees options->pids in any case.
 */
int kr_fences_options_parse(int argc, char **argv, struct kr_fences_options *options);

#endif
