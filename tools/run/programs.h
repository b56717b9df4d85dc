/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs of a `krafla run`, each a group of the display by its place on the command line.
 * The main thread starts and ends them; any thread may ask whose a process is.
 */
#ifndef KR_TOOLS_RUN_PROGRAMS_H
#define KR_TOOLS_RUN_PROGRAMS_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include "tools/run/child.h"
#include "tools/run/options.h"
#include "util/macros.h"

struct kr_programs {
	struct kr_child children[KR_DISPLAY_MAX_GROUPS];
	_Atomic pid_t pids[KR_DISPLAY_MAX_GROUPS]; /* as they were started; 0: not yet */
	_Atomic unsigned count;                    /* that were started */
	unsigned running;                          /* of these */
};

/* To all that run. */
void kr_programs_signal(const struct kr_programs *programs, int signal);
/* Their descriptors, `count` of them, readable when they have ended; -1 of those taken in. */
void kr_programs_poll(const struct kr_programs *programs, struct pollfd *fds);
/*
 * Takes in the end of those whose descriptor is readable; `kill_groups` ends what they left
 * running. ended(data, program) is called for each.
 */
void kr_programs_reap(struct kr_programs *programs, const struct pollfd *fds, bool kill_groups,
	void (*ended)(void *data, unsigned program), void *data);
/* Kills all that run, and waits for them. */
void kr_programs_kill(struct kr_programs *programs);
/* The first in order that isn't 0; 0. All have ended. */
int kr_programs_exit_code(const struct kr_programs *programs);
/* To whom a process belongs: its number, or KR_DISPLAY_NO_GROUP. */
int kr_programs_find(const struct kr_programs *programs, pid_t pid);

#endif
