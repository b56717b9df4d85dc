/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A debugger in a process with a delivered driver: names with /proc/self would be the debugger's
 * own files, and it would hang on reading its own pipes (seen with gdb 13).
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "harness.h"
#include "util/text.h"

#define LIMIT_S 60

static const struct rig_file whole[] = {
	{"libkrdbase.so.1", "library", "libkrdbase.so.1", "krd_base_v1.so"},
	{"libkrdmid.so.1", "library", "libkrdmid.so.1", "krd_mid.so"},
	{"driver.so", "driver", "driver.so", "krd_driver.so"},
	{0},
};

static pid_t
start_gdb(pid_t target, int output)
{
	pid_t gdb = fork();
	char pid[16];

	if (gdb)
		return gdb;
	snprintf(pid, sizeof(pid), "%d", (int)target);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(output, 1);
	dup2(output, 2);
	execlp("gdb", "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", pid,
		"-ex", "info address vk_icdGetInstanceProcAddr", "-ex", "info sharedlibrary", "-ex",
		"print krd_driver()", (char *)NULL);
	_exit(127);
}

/* All that gdb says within the limit; false when it doesn't end. */
static bool
read_all(int fd, char *text, size_t size)
{
	time_t end = time(NULL) + LIMIT_S;
	size_t len = 0;
	ssize_t got = 1;

	while (got > 0 && time(NULL) < end) {
		struct pollfd poller = {fd, POLLIN, 0};

		if (poll(&poller, 1, 1000) != 1)
			continue;
		got = read(fd, text + len, size - 1 - len);
		len += got > 0 ? (size_t)got : 0;
	}
	text[len] = '\0';
	return got <= 0;
}

static void
attach(enum kr_delivery_kind kind, const char *name)
{
	static char text[16384];
	struct rig_child child;
	int pipes[2], status;
	bool ended;
	pid_t gdb;

	text[0] = '\0';
	rig_child_start(&child, "wait", NULL, kind, whole, "[]");
	rig_child_read(&child, text, sizeof(text), "ok 0\n");
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	gdb = start_gdb(child.pid, pipes[1]);
	close(pipes[1]);
	ended = read_all(pipes[0], text, sizeof(text));
	close(pipes[0]);
	if (!ended)
		kill(gdb, SIGKILL);
	assert_int_equal(waitpid(gdb, &status, 0), gdb);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		kr_test_skip("no-gdb", NULL);
	if (!ended)
		fail_msg("gdb doesn't end: %s", text);
	if (strstr(text, "ptrace: Operation not permitted"))
		kr_test_skip("no-ptrace", NULL);
	if (!strstr(text, "Symbol \"vk_icdGetInstanceProcAddr\" is") || !strstr(text, name))
		fail_msg("%s", text);
	rig_child_end(&child);
}

static void
test_gdb_with_a_mount(void **state)
{
	attach(KR_DELIVERY_MOUNT, "/driver.so\n");
}

static void
test_gdb_with_memory(void **state)
{
	attach(KR_DELIVERY_MEMORY, "/fd/103\n");
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(test_gdb_with_a_mount, KR_TEST_KEEPS_MEMORY, 90),
	KR_TEST_SLOW(test_gdb_with_memory, KR_TEST_KEEPS_MEMORY, 90),
};

KR_TEST_MAIN(tests)
