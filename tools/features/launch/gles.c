/* SPDX-License-Identifier: Apache-2.0 */
/* The process that asks EGL, and what comes out of it. */
#include "tools/features/launch/gles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/features/drivers.h"
#include "tools/features/launch/egl_question.h"
#include "util/fd.h"

/* What drivers may take to start: llvmpipe takes a tenth of a second. */
#define ANSWER_S 30

static void
answer_and_exit(int fd)
{
	static struct kr_flags_gles gles;
	const char *at = (const char *)&gles;
	size_t left = sizeof(gles);

	kr_flags_egl_ask(&gles);
	while (left) {
		ssize_t wrote = write(fd, at, left);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			break;
		at += wrote;
		left -= (size_t)wrote;
	}
	_exit(left ? 1 : 0);
}

/* All of it or none. */
static bool
read_answer(int fd, struct kr_flags_gles *gles)
{
	size_t had = 0;

	while (had < sizeof(*gles)) {
		ssize_t got = read(fd, (char *)gles + had, sizeof(*gles) - had);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		had += (size_t)got;
	}
	return had == sizeof(*gles) && gles->count <= KR_FLAGS_GLES_DEVICES;
}

static void
tell_end(int status, struct kr_flags_gles *gles)
{
	*gles = (struct kr_flags_gles){0};
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(gles->why, sizeof(gles->why), "EGL took more than %d s", ANSWER_S);
	else if (WIFSIGNALED(status))
		snprintf(gles->why, sizeof(gles->why), "EGL crashed while it was asked (%s)",
			strsignal(WTERMSIG(status)));
	else
		snprintf(gles->why, sizeof(gles->why), "EGL ended the process that asked it");
}

void
kr_flags_gles_ask(struct kr_flags_gles *gles)
{
	const pid_t parent = getpid();
	int ends[2], status = 0;
	pid_t child, ended;
	bool whole;

	*gles = (struct kr_flags_gles){0};
	if (pipe2(ends, O_CLOEXEC)) {
		snprintf(gles->why, sizeof(gles->why), "no pipe: %s", strerror(errno));
		return;
	}
	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		kr_fd_close(&ends[0]);
		kr_flags_let_alarms_end_us();
		alarm(ANSWER_S);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(1);
		/* What drivers print is no part of the answer. */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		answer_and_exit(ends[1]);
	}
	kr_fd_close(&ends[1]);
	if (child < 0) {
		snprintf(gles->why, sizeof(gles->why), "no process: %s", strerror(errno));
		kr_fd_close(&ends[0]);
		return;
	}
	whole = read_answer(ends[0], gles);
	kr_fd_close(&ends[0]);
	do
		ended = waitpid(child, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (!whole)
		tell_end(status, gles);
}
