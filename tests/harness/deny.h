/* SPDX-License-Identifier: Apache-2.0 */
/* Systems that deny system calls, as sandboxes and older kernels do. */
#ifndef KR_TESTS_HARNESS_DENY_H
#define KR_TESTS_HARNESS_DENY_H

#include <stdbool.h>

/*
 * From now on the system call fails with `error` in this process and in all that it starts. May be
 * called in a child before exec, and several times.
 */
void kr_test_deny(long number, int error);

/*
 * From now on this process, and all that it starts, may not run what it has written: by
 * prctl(PR_SET_MDWE), which fails the case's purpose on a kernel before 6.3 (false), or by a filter
 * that refuses what systemd's MemoryDenyWriteExecute= refuses.
 */
bool kr_test_deny_code_by_prctl(void);
void kr_test_deny_code_by_filter(void);

#endif
