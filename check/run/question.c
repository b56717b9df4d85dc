/* SPDX-License-Identifier: Apache-2.0 */
/* See question.h. */
#include "check/run/question.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/strays.h"
#include "util/text.h"

/* The pipe doesn't say when it ends: a driver may close it, or leave somebody who holds it. */
#define LOOK_NS (20 * KR_NSEC_PER_MSEC)

struct asked {
	pid_t pid;
	int fd;
	char *text;
	size_t size, length;
};

static _Noreturn void
run_child(const struct check_question *question, int out, pid_t parent)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* No terminal, and a group of its own. */
	setsid();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	question->ask(out, question->data);
	_exit(0);
}

static int
start(const struct check_question *question, struct asked *asked)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fflush(NULL);
	asked->pid = fork();
	if (asked->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (!asked->pid)
		run_child(question, fds[1], parent);
	close(fds[1]);
	asked->fd = fds[0];
	return 0;
}

static void
hear(struct asked *asked)
{
	char more[256];

	for (int i = 0; asked->fd >= 0 && i < 1024; i++) {
		size_t room = asked->size - 1 - asked->length;
		ssize_t got = room ? read(asked->fd, asked->text + asked->length, room)
				   : read(asked->fd, more, sizeof(more));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0)
			kr_fd_close(&asked->fd);
		else if (room)
			asked->length += (size_t)got;
	}
}

static bool
has_ended(const struct asked *asked)
{
	siginfo_t info = {0};

	return !waitid(P_PID, (id_t)asked->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
		info.si_pid == asked->pid;
}

/* False: its time is up. */
static bool
wait_for_end(struct asked *asked, int64_t deadline)
{
	while (!has_ended(asked)) {
		int64_t now = kr_clock_now();
		struct pollfd poll_fd = {.fd = asked->fd, .events = POLLIN};

		if (now >= deadline)
			return false;
		if (kr_fd_poll(&poll_fd, 1, KR_MIN(deadline, now + LOOK_NS)) < 0)
			usleep(1000);
		hear(asked);
	}
	hear(asked);
	return true;
}

static char *
describe_end(int status)
{
	if (WIFSIGNALED(status))
		return kr_asprintf("it crashed (signal %d, %s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	return kr_asprintf("it ended the process with exit code %d", WEXITSTATUS(status));
}

int
check_question_answer(const struct check_question *question, char *text, size_t size, char **why)
{
	struct asked asked = {.fd = -1, .text = text, .size = size};
	bool in_time;
	int status = 0, ret;

	*why = NULL;
	kr_strays_adopt();
	ret = start(question, &asked);
	if (ret) {
		kr_strays_leave();
		*why = kr_asprintf("no process can be made: %s", strerror(-ret));
		return ret;
	}
	in_time = wait_for_end(&asked, kr_deadline_in(question->timeout_s * KR_NSEC_PER_SEC));
	text[asked.length] = '\0';
	kill(-asked.pid, SIGKILL);
	if (!in_time)
		kill(asked.pid, SIGKILL);
	while (waitpid(asked.pid, &status, 0) < 0 && errno == EINTR)
		continue;
	kr_fd_close(&asked.fd);
	kr_strays_kill(NULL, 0);
	kr_strays_leave();
	if (in_time && WIFEXITED(status) && !WEXITSTATUS(status) && asked.length)
		return 0;
	*why = in_time ? describe_end(status)
		       : kr_asprintf("it took more than %u s", question->timeout_s);
	return -EFAULT;
}
