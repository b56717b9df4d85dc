/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and ending Xvfb. */
#include "xvfb.h"

#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_LIMIT_MS 15000

static void
run_server(int display_fd, const char *screen, const char *arg1, const char *arg2)
{
	char number[16];
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(number, sizeof(number), "%d", dup(display_fd));
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", screen, "-nolisten", "tcp",
		"-noreset", arg1, arg1 ? arg2 : NULL, (char *)NULL);
	_exit(127);
}

/* The server writes its number and a newline when it is ready. */
static int
read_number(int fd, char *text, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t used = 0;

	while (used + 1 < size && poll(&p, 1, START_LIMIT_MS) == 1) {
		ssize_t n = read(fd, text + used, 1);

		if (n <= 0)
			return -1;
		if (text[used] == '\n') {
			text[used] = '\0';
			return 0;
		}
		used++;
	}
	return -1;
}

void
kr_xvfb_start(struct kr_xvfb *x, const char *screen, const char *arg1, const char *arg2)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	x->pid = fork();
	assert_true(x->pid >= 0);
	if (x->pid == 0)
		run_server(fds[1], screen, arg1, arg2);
	close(fds[1]);
	x->display[0] = ':';
	if (read_number(fds[0], x->display + 1, sizeof(x->display) - 1)) {
		kr_xvfb_stop(x);
		kr_test_skip("no-xvfb", "Xvfb doesn't start");
	}
	close(fds[0]);
}

void
kr_xvfb_stop(struct kr_xvfb *x)
{
	if (x->pid <= 0)
		return;
	kill(x->pid, SIGKILL);
	waitpid(x->pid, NULL, 0);
	x->pid = 0;
}
