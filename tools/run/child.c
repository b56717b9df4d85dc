/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending the program: see child.h. */
#include "tools/run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"

/* How long the tracer of a program that has ended may take to know of it. */
#define TRACER_NS (2 * KR_NSEC_PER_SEC)

/* What krafla and its child, before its exec, have between them. */
struct start {
	int report[2]; /* the child writes why it failed; exec closes it */
	int go[2]; /* with a tracer: the child writes when it may be traced, and waits for a byte */
};

/* In the child: once it is traced. */
static void
be_traced(const struct kr_child_setup *how, const struct start *start)
{
	char byte = 0;

	close(start->go[0]);
	kr_undumpable_allow(how->undumpable);
	if (write(start->go[1], &byte, 1) != 1 || read(start->go[1], &byte, 1) != 1)
		_exit(127);
}

/* In the child: becomes the program, or sends the errno through the pipe. */
static void
become(char **argv, const struct kr_child_setup *how, bool own_group, const struct start *start)
{
	int err, report = start->report[1];

	if (own_group)
		setpgid(0, 0);
	if (how->undumpable)
		be_traced(how, start);
	if (how->output_to_error)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	for (char *const *variable = how->variables; *variable; variable++) {
		if (strchr(*variable, '='))
			putenv(*variable);
		else
			unsetenv(*variable);
	}
	sigprocmask(SIG_SETMASK, how->mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	while (write(report, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* What exec reported: 0 when the pipe closed without a word. */
static int
read_report(int fd)
{
	int err = 0;
	ssize_t n;

	do {
		n = read(fd, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(err) ? -err : 0;
}

static int
trace(const struct kr_child_setup *how, const struct start *start, pid_t pid)
{
	char byte;
	int err;

	if (!how->undumpable)
		return 0;
	if (read(start->go[0], &byte, 1) != 1)
		return -ESRCH;
	err = kr_undumpable_trace(how->undumpable, pid);
	if (!err && write(start->go[0], &byte, 1) != 1)
		err = -errno;
	return err;
}

/* The child is there: 0 when it runs the program. */
static int
follow(const struct kr_child_setup *how, const struct start *start, pid_t pid,
	enum kr_child_failure *failure)
{
	int err = trace(how, start, pid);

	*failure = KR_CHILD_FAILURE_TRACE;
	if (err)
		return err;
	*failure = KR_CHILD_FAILURE_EXEC;
	err = read_report(start->report[0]);
	if (err || !how->undumpable)
		return err;
	*failure = KR_CHILD_FAILURE_DUMPING;
	return kr_undumpable_settle(how->undumpable, pid);
}

static int
open_start(const struct kr_child_setup *how, struct start *start)
{
	*start = (struct start){{-1, -1}, {-1, -1}};
	if (pipe2(start->report, O_CLOEXEC) < 0)
		return -errno;
	if (how->undumpable && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, start->go) < 0)
		return -errno;
	return 0;
}

/* The tracer may be stopped, by anybody of its user: it isn't waited for longer than that. */
static void
wait_for_end(pid_t pid, struct kr_undumpable *undumpable, int *status)
{
	int64_t deadline = kr_deadline_in(TRACER_NS);
	pid_t ended = 0;

	while (undumpable && ended == 0 && kr_clock_now() < deadline) {
		ended = waitpid(pid, status, WNOHANG);
		if (ended == 0)
			usleep(1000);
	}
	if (ended == pid)
		return;
	if (undumpable)
		kr_undumpable_kill(undumpable);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

int
kr_child_start(struct kr_child *child, char **argv, const struct kr_child_setup *how,
	enum kr_child_failure *failure)
{
	bool own_group = !isatty(STDIN_FILENO);
	struct start start;
	int pidfd = -1, err;
	pid_t pid = 0;

	*failure = KR_CHILD_FAILURE_START;
	child->own_group = own_group;
	child->undumpable = how->undumpable;
	err = open_start(how, &start);
	if (err == 0) {
		pid = fork();
		if (pid == 0)
			become(argv, how, own_group, &start);
		err = pid < 0 ? -errno : 0;
	}
	child->pid = pid < 0 ? 0 : pid;
	kr_fd_close(&start.report[1]);
	kr_fd_close(&start.go[1]);
	if (err == 0)
		err = follow(how, &start, pid, failure);
	kr_fd_close(&start.report[0]);
	kr_fd_close(&start.go[0]);
	if (err == 0) {
		*failure = KR_CHILD_FAILURE_START;
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		err = pidfd < 0 ? -errno : 0;
	}
	if (err < 0 && pid > 0 && *failure != KR_CHILD_FAILURE_EXEC)
		kill(pid, SIGKILL);
	if (err < 0) {
		if (pid > 0)
			wait_for_end(pid, how->undumpable, &child->status);
		child->pid = 0;
		return err;
	}
	child->pidfd = pidfd;
	return 0;
}

void
kr_child_signal(const struct kr_child *child, int signal)
{
	pid_t pid = child->pid;

	if (pid)
		kill(child->own_group ? -pid : pid, signal);
}

void
kr_child_reap(struct kr_child *child, bool kill_group)
{
	/*
	 * Before it is waited for: until then its id, and so the group's, can't be anybody else's.
	 */
	if (kill_group && child->own_group)
		kill(-child->pid, SIGKILL);
	wait_for_end(child->pid, child->undumpable, &child->status);
	child->pid = 0;
	kr_fd_close(&child->pidfd);
}

int
kr_child_exit_code(const struct kr_child *child)
{
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status)
					  : WEXITSTATUS(child->status);
}
