/* SPDX-License-Identifier: Apache-2.0 */
/* An X server for benchmarks. */
#include "bench/bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t
kr_bench_start_xvfb(char *display, size_t size)
{
	char number[16] = "";
	int ends[2];
	ssize_t len = 0;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], 3);
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		execlp("Xvfb", "Xvfb", "-displayfd", "3", "-screen", "0", "1920x1080x24",
			"-nolisten", "tcp", "-noreset", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	/*
	 * The number and its newline come in two writes: wait for both, or the server
	 * dies of SIGPIPE.
	 */
	while (pid > 0 && !strchr(number, '\n') && len + 1 < (ssize_t)sizeof(number)) {
		ssize_t got = read(ends[0], number + len, sizeof(number) - 1 - (size_t)len);

		if (got <= 0)
			break;
		len += got;
	}
	close(ends[0]);
	if (len <= 0) {
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return -1;
	}
	snprintf(display, size, "DISPLAY=:%d", atoi(number));
	return pid;
}

void
kr_bench_stop_xvfb(pid_t pid)
{
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}
