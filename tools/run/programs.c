/* SPDX-License-Identifier: Apache-2.0 */
/* See programs.h. */
#include "tools/run/programs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"

/* So far up a process is looked for among what a program has started. */
#define MAX_ANCESTORS 64

void
kr_programs_signal(const struct kr_programs *programs, int signal)
{
	for (unsigned i = 0; i < programs->count; i++)
		kr_child_signal(&programs->children[i], signal);
}

void
kr_programs_poll(const struct kr_programs *programs, struct pollfd *fds)
{
	for (unsigned i = 0; i < programs->count; i++)
		fds[i] = (struct pollfd){
			.fd = programs->children[i].pid ? programs->children[i].pidfd : -1,
			.events = POLLIN,
		};
}

void
kr_programs_reap(struct kr_programs *programs, const struct pollfd *fds, bool kill_groups,
	void (*ended)(void *data, unsigned program), void *data)
{
	for (unsigned i = 0; i < programs->count; i++) {
		if (!fds[i].revents || !programs->children[i].pid)
			continue;
		kr_child_reap(&programs->children[i], kill_groups);
		programs->running--;
		ended(data, i);
	}
}

void
kr_programs_kill(struct kr_programs *programs)
{
	kr_programs_signal(programs, SIGKILL);
	for (unsigned i = 0; i < programs->count; i++) {
		if (programs->children[i].pid)
			kr_child_reap(&programs->children[i], true);
	}
	programs->running = 0;
}

int
kr_programs_exit_code(const struct kr_programs *programs)
{
	int code = 0;

	for (unsigned i = 0; i < programs->count && code == 0; i++)
		code = kr_child_exit_code(&programs->children[i]);
	return code;
}

/* Of /proc/PID/stat: the name in it may hold anything but ends at the last bracket. 0: unknown. */
static pid_t
parent_of(pid_t pid)
{
	char path[64], text[512], *end;
	int fd, parent = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	kr_fd_close(&fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	end = strrchr(text, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static int
number_of(const struct kr_programs *programs, pid_t pid)
{
	for (int i = 0; i < KR_DISPLAY_MAX_GROUPS && pid > 0; i++) {
		if (programs->pids[i] == pid)
			return i;
	}
	return KR_DISPLAY_NO_GROUP;
}

/*
 * By its ancestors; or, when those are gone, by its process group, which a program leads unless it
 * has the terminal.
 */
int
kr_programs_find(const struct kr_programs *programs, pid_t pid)
{
	pid_t at = pid;

	for (int i = 0; i < MAX_ANCESTORS && at > 1; i++, at = parent_of(at)) {
		int number = number_of(programs, at);

		if (number != KR_DISPLAY_NO_GROUP)
			return number;
	}
	return number_of(programs, pid > 0 ? getpgid(pid) : 0);
}
