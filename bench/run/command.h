/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that draw frames, under `krafla run` as a user types it or by themselves, one or several
 * at a time: they warm up, start together, and tell how long a frame took them.
 */
#ifndef KR_BENCH_RUN_COMMAND_H
#define KR_BENCH_RUN_COMMAND_H

#include <stdbool.h>
#include "bench/bench.h"

#define COMMAND_MAX_PROGRAMS 16

struct command {
	bool krafla;            /* under `krafla run` */
	const char *capture[7]; /* further options for that, up to a NULL */
	const char *where;      /* headless, xcb, offscreen, readback */
	const char *display;    /* DISPLAY=..., NULL none */
	unsigned width;
	unsigned height;
	unsigned in_flight;
	unsigned programs; /* at once */
	double seconds;
};

struct command_result {
	double us;           /* a frame, of one program (the mean of them) */
	double rate;         /* frames a second, of all programs together */
	double processor_us; /* of the program, a frame */
	bool gpu;
	char device[80];
};

/* 0, or -1 with a reason in `reason` (of 160 bytes). */
int command_measure(struct kr_bench *bench, const struct command *command,
	struct command_result *result, char *reason);
/* Whether `krafla run` has an option of that name. */
bool command_has_option(struct kr_bench *bench, const char *option);

#endif
