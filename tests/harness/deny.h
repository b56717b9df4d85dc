/* SPDX-License-Identifier: Apache-2.0 */
/* Systems that deny system calls, as sandboxes and older kernels do. */
#ifndef KR_TESTS_HARNESS_DENY_H
#define KR_TESTS_HARNESS_DENY_H

/*
 * From now on the system call fails with `error` in this process and in all that it starts. May be
 * called in a child before exec, and several times.
 */
void kr_test_deny(long number, int error);

#endif
