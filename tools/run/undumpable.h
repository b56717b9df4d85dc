/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that aren't debuggable from their first instruction on, nor is what they start (Y-06).
 * execve makes each process dumpable again, so a process beside krafla traces them, stops each at
 * its exec, has it give that up (inject.h) and lets it go. It can't be looked into itself, and when
 * it ends, by whatever, the kernel kills those that it traces. One thread.
 */
#ifndef KR_TOOLS_RUN_UNDUMPABLE_H
#define KR_TOOLS_RUN_UNDUMPABLE_H

#include <sys/types.h>
#include "util/macros.h"

struct kr_undumpable {
	pid_t pid; /* 0: there is none */
	int socket;
};

#define KR_UNDUMPABLE_NONE ((struct kr_undumpable){.socket = -1})

/* -ENOTSUP on a machine whose registers aren't known; -errno. */
int kr_undumpable_begin(struct kr_undumpable *tracer) KR_MUST_CHECK;
/*
 * In the process that is to be traced, before kr_undumpable_trace: where the kernel lets only those
 * trace that a process names (Yama).
 */
void kr_undumpable_allow(const struct kr_undumpable *tracer);
/* Traces a child of this process that waits before its exec. -EPERM where that is denied. */
int kr_undumpable_trace(struct kr_undumpable *tracer, pid_t child) KR_MUST_CHECK;
/* Waits for its first exec. 0: it runs, and isn't dumpable; -errno: it doesn't run. */
int kr_undumpable_settle(struct kr_undumpable *tracer, pid_t child) KR_MUST_CHECK;
/* Ends whoever traces, in whatever state, and with it all that it traces. */
void kr_undumpable_kill(const struct kr_undumpable *tracer);
/* What is still traced is killed. */
void kr_undumpable_end(struct kr_undumpable *tracer);

#endif
