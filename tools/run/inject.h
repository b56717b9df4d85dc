/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is being executed gives up that others may look into it: prctl(PR_SET_DUMPABLE, 0)
 * as its very first system call, by instructions of its vDSO. For x86-64 (and i386 programs there)
 * and AArch64.
 */
#ifndef KR_TOOLS_RUN_INJECT_H
#define KR_TOOLS_RUN_INJECT_H

#include <sys/types.h>
#include "util/macros.h"

/* Whether this machine's registers are known. */
int kr_inject_is_known(void);
/*
 * `thread` is traced by the caller, with PTRACE_O_TRACESYSGOOD, and stopped at PTRACE_EVENT_EXEC.
 * 0: it is still stopped, none of its instructions has run, its registers are as they were, and it
 * has said that it isn't dumpable. -errno: nothing is known of it, and it should be killed:
 * -ENOTSUP for a program of another machine, -ENOEXEC where there is no vDSO, -ESRCH when it has
 * ended.
 */
int kr_inject_undumpable(pid_t thread) KR_MUST_CHECK;

#endif
