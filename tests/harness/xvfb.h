/* SPDX-License-Identifier: Apache-2.0 */
/* An X server of the test's own: on a unix socket alone, ended with the case. */
#ifndef KR_TESTS_XVFB_H
#define KR_TESTS_XVFB_H

#include <sys/types.h>

struct kr_xvfb {
	pid_t pid;        /* 0: not running */
	char display[16]; /* ":7" */
};

/*
 * Starts one with a screen like "640x480x24" and up to two more arguments (NULL none); skips the
 * case with no-xvfb when it can't be started.
 */
void kr_xvfb_start(struct kr_xvfb *x, const char *screen, const char *arg1, const char *arg2);
/* Kills it; nothing when it is gone already. */
void kr_xvfb_stop(struct kr_xvfb *x);

#endif
