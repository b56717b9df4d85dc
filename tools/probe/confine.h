/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confinement (I-05): what a driver may do while it is tried for a service. It may read, use
 * devices and write to standard error, and nothing else: it has no network and no sockets, writes
 * no file, starts no program and no process, has no capability. What it tries beyond that fails,
 * and is told by who watches it.
 *
 * Five walls, each where the kernel has it: namespaces of its own (network, System V IPC), Landlock
 * and mounts that are read-only (files: one may do without the other), no capabilities, a filter of
 * system calls (sockets, programs, other processes, and what Landlock doesn't know of). The filter
 * asks the watching process, which so sees each attempt.
 */
#ifndef KR_TOOLS_PROBE_CONFINE_H
#define KR_TOOLS_PROBE_CONFINE_H

#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

enum probe_wall {
	PROBE_WALL_NETWORK, /* a network namespace */
	PROBE_WALL_FILES,   /* Landlock, or read-only mounts */
	PROBE_WALL_RIGHTS,  /* no capabilities */
	PROBE_WALL_CALLS,   /* the filter */
	PROBE_WALLS,
};

/* What the confined process sends the watching one, with the filter's descriptor if it has one. */
struct probe_walls {
	int32_t errors[PROBE_WALLS]; /* 0: it stands; -errno */
};

/*
 * Confines this process, which has one thread, for good, and says through `socket` what stands. No
 * error: what can't be had isn't had.
 */
void probe_confine(int socket);
/* "a network namespace", as part of a sentence. */
const char *probe_wall_name(enum probe_wall wall);

#define PROBE_ATTEMPTS     10
#define PROBE_ATTEMPT_SIZE 160

/* What was tried, each kind once. */
struct probe_attempts {
	char texts[PROBE_ATTEMPTS][PROBE_ATTEMPT_SIZE];
	size_t count;
};

/* In the watching process: receives what probe_confine sends; *filter is the caller's, or -1. */
void probe_receive_walls(int socket, struct probe_walls *walls, int *filter);
/* Answers one call that the filter asks about, and notes what was tried. */
void probe_answer_call(
	int filter, const struct probe_walls *walls, struct probe_attempts *attempts);

#endif
