/* SPDX-License-Identifier: Apache-2.0 */
/* See daemon_rig.h. */
#include "daemon_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "util/clock.h"

#define PATIENCE_NS (20 * KR_NSEC_PER_SEC)

static void __attribute__((noreturn)) become(const char *const argv[], int output, int handed_over)
{
	char pid[32];

	if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(1);
	if (handed_over >= 0) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		if (handed_over == 3 ? fcntl(3, F_SETFD, 0) : dup2(handed_over, 3) < 0)
			_exit(1);
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
	}
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(1);
}

void
daemon_start(struct daemon_run *run, const char *const argv[], int handed_over)
{
	int ends[2];

	memset(run, 0, sizeof(*run));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	run->pid = fork();
	assert_true(run->pid >= 0);
	if (!run->pid)
		become(argv, ends[1], handed_over);
	close(ends[1]);
	run->output = ends[0];
}

/* False: it says nothing more. */
static bool
listen_on(struct daemon_run *run, int64_t deadline)
{
	struct pollfd pollfd = {.fd = run->output, .events = POLLIN};
	ssize_t got;

	if (poll(&pollfd, 1, kr_deadline_poll_ms(deadline)) <= 0)
		return kr_clock_now() < deadline;
	got = read(run->output, run->said + run->length, sizeof(run->said) - 1 - run->length);
	if (got <= 0)
		return false;
	run->length += (size_t)got;
	run->said[run->length] = '\0';
	return true;
}

void
daemon_expect(struct daemon_run *run, const char *text)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);

	while (!strstr(run->said, text)) {
		if (!listen_on(run, deadline))
			fail_msg("it didn't say '%s', but: %s", text, run->said);
	}
}

int
daemon_wait(struct daemon_run *run)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	int status;

	while (listen_on(run, deadline))
		;
	if (kr_clock_now() >= deadline)
		kill(run->pid, SIGKILL);
	assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
	close(run->output);
	if (!WIFEXITED(status))
		fail_msg("it was ended by signal %d: %s", WTERMSIG(status), run->said);
	return WEXITSTATUS(status);
}

void
daemon_stop(struct daemon_run *run)
{
	kill(run->pid, SIGTERM);
	assert_int_equal(daemon_wait(run), 0);
}

int
daemon_run_once(struct daemon_run *run, const char *const argv[])
{
	daemon_start(run, argv, -1);
	return daemon_wait(run);
}

int
daemon_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}
