/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `krafla check`. */
#ifndef KR_TOOLS_CHECK_OPTIONS_H
#define KR_TOOLS_CHECK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kr_check_options {
	char *driver; /* a path with a slash; NULL: what this machine has */
	const char **filters;
	size_t filter_count;
	uint64_t seed;
	uint64_t jobs;
	uint64_t device;
	uint64_t timeout_s; /* 0: what each case says */
	const char *junit;
	bool json, tap, list;
};

extern const char kr_check_help[];

/* -1: go on; else the exit code, and it was told why. */
int kr_check_options_parse(int argc, char **argv, struct kr_check_options *options);
void kr_check_options_finish(struct kr_check_options *options);

#endif
