/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs krafla-probe and reads its answer. That program forks once more and watches its child, so
 * that a crash is told on its standard output and nothing depends on this process seeing exit
 * codes: an application may ignore SIGCHLD or reap every child.
 */
#include "discover/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

#define GRACE_MS 2000 /* beyond the driver's own time */

/* Signals as a new program expects them, whatever the application did with them. */
static int
spawn(const char *program, const char *library_path, enum kr_probe_depth depth, unsigned timeout_ms,
	int out, pid_t *pid)
{
	char timeout[16];
	char *argv[] = {(char *)program, (char *)library_path, timeout,
		depth == KR_PROBE_OPEN ? (char *)"open" : NULL, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int ret;

	snprintf(timeout, sizeof(timeout), "%u", timeout_ms);
	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	ret = -posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!ret)
		ret = -posix_spawn(pid, program, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

int
kr_probe_parse(char *answer, struct kr_probe_result *result)
{
	unsigned outcome;
	int devices, end = 0;

	if (sscanf(answer, "%u %d %n", &outcome, &devices, &end) != 2 || !end ||
		outcome > KR_PROBE_HUNG || !strchr(answer, '\n'))
		return -EPROTO;
	answer[strcspn(answer, "\n")] = '\0';
	result->outcome = outcome;
	result->devices = devices;
	snprintf(result->text, sizeof(result->text), "%s", answer + end);
	return 0;
}

int
kr_probe_run(const char *program, const char *library_path, enum kr_probe_depth depth,
	unsigned timeout_ms, struct kr_probe_result *result)
{
	char answer[KR_PROBE_TEXT_SIZE + 32];
	int pipe_fds[2], ret;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	ret = spawn(program, library_path, depth, timeout_ms, pipe_fds[1], &pid);
	kr_fd_close(&pipe_fds[1]);
	if (!ret) {
		ret = kr_fd_read_text(pipe_fds[0], answer, sizeof(answer),
			kr_deadline_in((timeout_ms + GRACE_MS) * UINT64_C(1000000)));
		if (ret)
			kill(pid, SIGKILL);
		/* It may have been reaped by the application. */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	kr_fd_close(&pipe_fds[0]);
	return ret ? ret : kr_probe_parse(answer, result);
}
