/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending the program: see child.h. */
#include "tools/run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/fd.h"

/* In the child: becomes the program, or sends the errno through the pipe, which exec closes. */
static void
become(char **argv, const struct kr_child_setup *how, bool own_group, int report)
{
	int err;

	if (own_group)
		setpgid(0, 0);
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

int
kr_child_start(
	struct kr_child *child, char **argv, const struct kr_child_setup *how, bool *exec_failed)
{
	bool own_group = !isatty(STDIN_FILENO);
	int report[2], pidfd, err;
	pid_t pid;

	*exec_failed = false;
	child->own_group = own_group;
	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become(argv, how, own_group, report[1]);
	err = pid < 0 ? -errno : 0;
	child->pid = pid < 0 ? 0 : pid;
	kr_fd_close(&report[1]);
	if (err == 0) {
		err = read_report(report[0]);
		*exec_failed = err < 0;
	}
	kr_fd_close(&report[0]);
	pidfd = err == 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (err == 0 && pidfd < 0) {
		err = -errno;
		kill(pid, SIGKILL);
	}
	if (err < 0) {
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
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
	while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
	kr_fd_close(&child->pidfd);
}

int
kr_child_exit_code(const struct kr_child *child)
{
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status)
					  : WEXITSTATUS(child->status);
}
