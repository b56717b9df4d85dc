/* SPDX-License-Identifier: Apache-2.0 */
/* What a command answers, for the tests of `krafla check`. */
#ifndef KR_TESTS_CHECK_ANSWER_H
#define KR_TESTS_CHECK_ANSWER_H

#include "harness.h"

/* Of the last line that shell() ran: its standard output. */
extern char answer[256 << 10];

/* Runs a line of sh, as printf makes it: the exit code. */
int shell(const char *format, ...);
/* The answer holds that text; else the case fails. */
void expect(const char *part);

#endif
