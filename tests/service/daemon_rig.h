/* SPDX-License-Identifier: Apache-2.0 */
/* kraflad as a process of its own, and its output. */
#ifndef KR_TESTS_DAEMON_RIG_H
#define KR_TESTS_DAEMON_RIG_H

#include <sys/types.h>

struct daemon_run {
	pid_t pid;
	int output; /* stdout and stderr together */
	char said[65536];
	size_t length;
};

/* Starts a program; argv[0] is its path. `handed_over`: becomes its descriptor 3, with LISTEN_FDS; -1: none. */
void daemon_start(struct daemon_run *run, const char *const argv[], int handed_over);
/* Waits until it has said `text`, 20 s at most. */
void daemon_expect(struct daemon_run *run, const char *text);
/* Its exit code, once it has ended by itself within 20 s. */
int daemon_wait(struct daemon_run *run);
/* Ends it with SIGTERM: exit code 0. */
void daemon_stop(struct daemon_run *run);
/* A program that runs to its end: the exit code, what it said in run->said. */
int daemon_run_once(struct daemon_run *run, const char *const argv[]);

/* A connection to the service at `path`, blocking. */
int daemon_connect(const char *path);

#endif
