/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that nobody gets: standard output is a full disk, or closed. */
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* DIR is the case's directory. */
static const char *const commands[] = {
	"info",
	"info --json",
	"explain",
	"explain --json",
	"features --help",
	"fences $$",
	"fences --json $$",
	"fences --watch --samples 1 --json $$",
	"fences --watch --samples 1 $$",
	"check --list",
	"check --list --json",
	"check --help",
	"help",
	"help run",
	"run --help",
	"--version",
	"serve --help",
	"serve --check --system --config $DIR/good.json",
	"deliver --help",
	"package --help",
};

static void
expect_told(const char *redirection)
{
	char line[512], said[4096];

	setenv("DIR", kr_test_dir(), 1);
	/* Drivers bring threads and memory of their own, and have no part in this. */
	setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
	kr_test_file("good.json", "{}");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		int code;

		snprintf(line, sizeof(line), KRAFLA " %s 2>&1 %s", commands[i], redirection);
		code = kr_test_shell(line, said, sizeof(said));
		if (code != 125 || !strstr(said, "can't be written to standard output"))
			fail_msg("krafla %s: exit code %d, said: %s", commands[i], code, said);
	}
}

static void
a_full_disk_is_told(void **state)
{
	expect_told(">/dev/full");
}

static void
a_closed_output_is_told(void **state)
{
	expect_told(">&-");
}

/* Its output is full; a signal ends it all the same, though not in an instant. */
static void
a_watch_that_nobody_reads_hears_signals(void **state)
{
	char self[16];
	int ends[2], status;
	pid_t pid;

	snprintf(self, sizeof(self), "%d", (int)getpid());
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execl(KRAFLA, "krafla", "fences", "--watch", "--interval", "10", "--json", self,
			NULL);
		_exit(96);
	}
	for (int i = 0; i < 1000; i++) {
		struct pollfd room = {.fd = ends[1], .events = POLLOUT};

		if (poll(&room, 1, 0) == 0)
			break;
		poll(NULL, 0, 10);
	}
	/* By now it waits for room, unless the machine is very slow. */
	poll(NULL, 0, 1000);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == 125 || WEXITSTATUS(status) == 0);
	close(ends[0]);
	close(ends[1]);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(a_full_disk_is_told, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST_SLOW(a_closed_output_is_told, KR_TEST_KEEPS_MEMORY, 60),
	KR_TEST(a_watch_that_nobody_reads_hears_signals),
};
KR_TEST_MAIN(tests)
