/* SPDX-License-Identifier: Apache-2.0 */
/* See undumpable.h. What the traced do, and which system calls they make, isn't looked at. */
#include "tools/run/undumpable.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run/inject.h"
#include "util/clock.h"
#include "util/fd.h"

/* As long as tracing a process and its exec may take on a busy machine. */
#define ANSWER_NS (30 * KR_NSEC_PER_SEC)

#define OPTIONS                                                                                    \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |     \
		PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE)

enum what {
	TRACED,   /* the answer to a question, which is a pid */
	EXECUTED, /* told once of each such pid */
};

struct answer {
	int32_t pid;
	int32_t what; /* enum what */
	int32_t err;  /* 0 or -errno */
};

/* --- the tracer: forked from threads, so system calls alone --- */

struct tracer {
	int socket;
	int fresh; /* asked for and not executed yet; 0 */
};

static void
tell(const struct tracer *tracer, pid_t pid, enum what what, int err)
{
	const struct answer answer = {pid, (int32_t)what, err};

	(void)!send(tracer->socket, &answer, sizeof(answer), MSG_NOSIGNAL);
}

static void
go_on(pid_t thread, enum __ptrace_request how, int signal)
{
	(void)ptrace(how, thread, NULL, (void *)(intptr_t)signal);
}

/* Of what a program has started; of itself krafla says it. */
static void
say_killed(pid_t pid, int err)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
	char text[160];
	int length = snprintf(text, sizeof(text),
		"krafla run: process %d, which a program has started, was killed before its first instruction: it couldn't be made not debuggable (error %d)\n",
		pid, -err);

	if (poll(&room, 1, 0) > 0)
		(void)!write(STDERR_FILENO, text, (size_t)length);
}

/* One whose dumpability isn't known doesn't run. */
static void
handle_exec(struct tracer *tracer, pid_t thread)
{
	int err = kr_inject_undumpable(thread);

	if (tracer->fresh == thread) {
		tracer->fresh = 0;
		tell(tracer, thread, EXECUTED, err);
	} else if (err && err != -ESRCH) {
		say_killed(thread, err);
	}
	if (err)
		(void)kill(thread, SIGKILL);
	else
		go_on(thread, PTRACE_CONT, 0);
}

static bool
stops_a_group(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void
handle(struct tracer *tracer, pid_t thread, int status)
{
	if (!WIFSTOPPED(status)) {
		if (tracer->fresh == thread)
			tracer->fresh = 0;
		return;
	}
	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		handle_exec(tracer, thread);
		break;
	case PTRACE_EVENT_STOP: /* also the beginning of a process that one of them made */
		if (stops_a_group(WSTOPSIG(status)))
			go_on(thread, PTRACE_LISTEN, 0);
		else
			go_on(thread, PTRACE_CONT, 0);
		break;
	case 0: /* a signal */
		go_on(thread, PTRACE_CONT, WSTOPSIG(status));
		break;
	default:
		go_on(thread, PTRACE_CONT, 0);
	}
}

/* False when krafla has ended. */
static bool
take_question(struct tracer *tracer)
{
	int32_t pid;
	ssize_t length = recv(tracer->socket, &pid, sizeof(pid), 0);

	if (length != (ssize_t)sizeof(pid))
		return length < 0 && errno == EINTR;
	tracer->fresh = pid;
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(uintptr_t)OPTIONS) < 0) {
		tracer->fresh = 0;
		tell(tracer, pid, TRACED, -errno);
	} else {
		tell(tracer, pid, TRACED, 0);
	}
	return true;
}

/* Signals that are for the programs come to their whole group, and this is in krafla's. */
static _Noreturn void
trace(int socket)
{
	struct tracer tracer = {.socket = socket};
	struct pollfd fds[2] = {{.fd = socket, .events = POLLIN}, {.events = POLLIN}};
	struct signalfd_siginfo info;
	sigset_t all, child;
	pid_t thread;
	int status;

	sigfillset(&all);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_DFL); /* where it is ignored there are no stops to wait for */
	fds[1].fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fds[1].fd < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		_exit(1);
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		while (read(fds[1].fd, &info, sizeof(info)) > 0)
			;
		while ((thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
			handle(&tracer, thread, status);
		if (fds[0].revents && !take_question(&tracer))
			_exit(0);
	}
}

/* All but the socket and what messages go to: krafla's own end when it closes them. */
static void
close_others(int socket)
{
	if (socket > 3)
		(void)syscall(SYS_close_range, 3, socket - 1, 0);
	(void)syscall(SYS_close_range, socket + 1, INT_MAX, 0);
}

/* --- in krafla --- */

int
kr_undumpable_begin(struct kr_undumpable *tracer)
{
	int ends[2], err;

	if (!kr_inject_is_known())
		return -ENOTSUP;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	tracer->pid = fork();
	if (tracer->pid == 0) {
		close_others(ends[1]);
		trace(ends[1]);
	}
	err = tracer->pid < 0 ? -errno : 0;
	kr_fd_close(&ends[1]);
	if (err) {
		*tracer = KR_UNDUMPABLE_NONE;
		kr_fd_close(&ends[0]);
		return err;
	}
	tracer->socket = ends[0];
	return 0;
}

void
kr_undumpable_allow(const struct kr_undumpable *tracer)
{
	(void)prctl(PR_SET_PTRACER, tracer->pid, 0, 0, 0);
}

static int
hear(struct kr_undumpable *tracer, pid_t child, enum what what)
{
	struct pollfd ready = {.fd = tracer->socket, .events = POLLIN};
	int64_t deadline = kr_deadline_in(ANSWER_NS);
	struct answer answer;

	do {
		int ret = kr_fd_poll(&ready, 1, deadline);
		ssize_t length;

		if (ret <= 0)
			return ret ? ret : -ETIMEDOUT;
		length = recv(tracer->socket, &answer, sizeof(answer), 0);
		if (length != (ssize_t)sizeof(answer))
			return -EPIPE;
	} while (answer.pid != child || answer.what != (int32_t)what);
	return answer.err;
}

int
kr_undumpable_trace(struct kr_undumpable *tracer, pid_t child)
{
	int32_t pid = child;

	if (send(tracer->socket, &pid, sizeof(pid), MSG_NOSIGNAL) < 0)
		return -errno;
	return hear(tracer, child, TRACED);
}

int
kr_undumpable_settle(struct kr_undumpable *tracer, pid_t child)
{
	return hear(tracer, child, EXECUTED);
}

void
kr_undumpable_kill(const struct kr_undumpable *tracer)
{
	if (tracer->pid)
		(void)kill(tracer->pid, SIGKILL);
}

void
kr_undumpable_end(struct kr_undumpable *tracer)
{
	if (!tracer->pid)
		return;
	kr_undumpable_kill(tracer); /* it may be stopped */
	kr_fd_close(&tracer->socket);
	while (waitpid(tracer->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*tracer = KR_UNDUMPABLE_NONE;
}
