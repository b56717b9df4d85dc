/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The painter as a process: krafla-painter, in a session of its own, with one socket. It ends when
 * the other end of that is closed. Thread-safety: one thread at a time.
 */
#ifndef KR_PAINTER_PROCESS_H
#define KR_PAINTER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/macros.h"

#define KR_PAINTER_SOCKET 3 /* its number in the process */

struct kr_painter_process {
	pid_t pid; /* 0: none */
	int pidfd; /* -1: this kernel has none */
};

/* *socket is the caller's. -ENOENT there is no such program; another -errno. */
int kr_painter_process_start(struct kr_painter_process *process, int *socket) KR_MUST_CHECK;
/* Kills it, and waits for nothing. */
void kr_painter_process_kill(const struct kr_painter_process *process);
/*
 * Of one whose socket has ended by itself: whether somebody else has killed it (SIGKILL). Waits 0.2
 * s at most until that is known; what isn't known by then is no.
 */
bool kr_painter_process_was_killed(const struct kr_painter_process *process);
/* Whether somebody has stopped it (SIGSTOP) and it stands still now. Waits for nothing. */
bool kr_painter_process_is_stopped(const struct kr_painter_process *process);
/* After its socket was closed: waits for its end, kills it after 1 s, and reaps it. */
void kr_painter_process_end(struct kr_painter_process *process);

#endif
