/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that get packages: see child.h. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define FIRST   100
#define WAIT_MS 10000

static _Noreturn void
become(const char *what, const struct rig_package *package, const int *pipes,
	const char *library_path)
{
	char kind[16], count[16];

	prctl(PR_SET_PDEATHSIG, 9);
	dup2(pipes[0], 0);
	dup2(pipes[3], 1);
	for (size_t i = 0; i < package->count; i++)
		dup2(package->fds[i], FIRST + (int)i);
	if (library_path)
		setenv("LD_LIBRARY_PATH", library_path, 1);
	snprintf(kind, sizeof(kind), "%d", (int)package->kind);
	snprintf(count, sizeof(count), "%zu", package->count);
	execl(TEST_DELIVERED, "delivered", what, kind, "100", count, NULL);
	_exit(127);
}

void
rig_child_start(struct rig_child *child, const char *what, const char *library_path,
	enum kr_delivery_kind kind, const struct rig_file *files, const char *needs)
{
	struct rig_package package;
	int pipes[4];

	rig_pack(&package, kind, files, needs);
	assert_true(package.count && package.fds[package.count - 1] < FIRST);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(pipe2(pipes + 2, O_CLOEXEC), 0);
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (!child->pid)
		become(what, &package, pipes, library_path);
	for (size_t i = 0; i < package.count; i++)
		close(package.fds[i]);
	close(pipes[0]);
	close(pipes[3]);
	child->input = pipes[1];
	child->output = pipes[2];
}

void
rig_child_read(struct rig_child *child, char *text, size_t size, const char *end)
{
	size_t len = strlen(text);

	while (!end || !strstr(text, end)) {
		struct pollfd poller = {child->output, POLLIN, 0};
		ssize_t got;

		if (poll(&poller, 1, WAIT_MS) != 1)
			fail_msg("nothing came: \"%s\"", text);
		got = read(child->output, text + len, size - 1 - len);
		if (got <= 0)
			return;
		len += (size_t)got;
		text[len] = '\0';
	}
}

void
rig_child_end(struct rig_child *child)
{
	int status;

	close(child->input);
	close(child->output);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_int_equal(status, 0);
}

const char *
rig_child_run(const char *what, const char *library_path, enum kr_delivery_kind kind,
	const struct rig_file *files, const char *needs)
{
	static char text[4096];
	struct rig_child child;

	rig_child_start(&child, what, library_path, kind, files, needs);
	text[0] = '\0';
	rig_child_read(&child, text, sizeof(text), NULL);
	rig_child_end(&child);
	return text;
}
