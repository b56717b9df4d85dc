/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracing a driver: see trace.h. The linker writes one file a process, which lies in a directory of
 * its own.
 */
#include "service/package/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/package/internal.h"
#include "service/package/sets.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"

#define PROBE_MS     "20000" /* for a driver that is slow to open */
#define TIMEOUT_NS   (25 * KR_NSEC_PER_SEC)
#define OUTPUT       "trace"
#define MAX_OUTPUT   ((size_t)16 << 20)
#define MAX_ANSWER   640 /* KR_PROBE_TEXT_SIZE, and numbers */
#define ASKED_BY     ";  dynamically loaded by "
#define DRIVER_WORKS '0' /* enum kr_probe_outcome, as krafla-probe writes it */

/* Cuts " [N]", the number of the linker's namespace, from the end of a name. */
static void
cut_number(char *name)
{
	char *bracket = strrchr(name, '[');

	if (bracket && bracket > name && bracket[-1] == ' ')
		bracket[-1] = '\0';
}

/* A line: "  PID:\tfile=NAME [0];  dynamically loaded by WHO [0]". */
static int
read_line(char *line, const char *probe, kr_package_opened_fn fn, void *data)
{
	char *name = strstr(line, "file="), *who = strstr(line, ASKED_BY);
	const char *base;

	if (!name || !who || who < name)
		return 0;
	*who = '\0';
	name += strlen("file=");
	who += strlen(ASKED_BY);
	cut_number(name);
	cut_number(who);
	base = kr_package_base_name(who);
	if (!strcmp(base, kr_package_base_name(probe)) || kr_package_is_platform(base) || !*name)
		return 0;
	return fn(data, name, who);
}

int
kr_package_trace_read(char *text, const char *probe, kr_package_opened_fn fn, void *data)
{
	char *line, *rest = text;
	int ret = 0;

	while (!ret && (line = strsep(&rest, "\n")))
		ret = read_line(line, probe, fn, data);
	return ret;
}

static char **
make_environment(const char *directory)
{
	size_t count = kr_package_list_count(environ), kept = 0;
	char **variables = calloc(count + 3, sizeof(*variables));

	if (!variables)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (strncmp(environ[i], "LD_DEBUG", 8))
			variables[kept++] = environ[i];
	}
	variables[kept] = strdup("LD_DEBUG=files");
	variables[kept + 1] = kr_asprintf("LD_DEBUG_OUTPUT=%s/" OUTPUT, directory);
	if (variables[kept] && variables[kept + 1])
		return variables;
	free(variables[kept]);
	free(variables[kept + 1]);
	free(variables);
	return NULL;
}

static void
free_environment(char **variables)
{
	size_t count = kr_package_list_count(variables);

	if (!variables)
		return;
	free(variables[count - 1]);
	free(variables[count - 2]);
	free(variables);
}

static int
spawn(const char *probe, const char *library, char **variables, int out, pid_t *pid)
{
	char *argv[] = {(char *)probe, (char *)library, (char *)PROBE_MS, NULL};
	posix_spawn_file_actions_t actions;
	int ret;

	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	ret = -posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!ret)
		ret = -posix_spawn(pid, probe, &actions, NULL, argv, variables);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

/* The probe ends its driver after a time of its own, and is killed when it doesn't. */
static int
run_probe(const char *probe, const char *library, char **variables, char *answer)
{
	int pipe_fds[2], ret;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	ret = spawn(probe, library, variables, pipe_fds[1], &pid);
	kr_fd_close(&pipe_fds[1]);
	if (!ret) {
		ret = kr_fd_read_text(pipe_fds[0], answer, MAX_ANSWER, kr_deadline_in(TIMEOUT_NS));
		if (ret)
			kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	kr_fd_close(&pipe_fds[0]);
	return ret;
}

static int
read_output(int directory, const char *name, const char *probe, kr_package_opened_fn fn, void *data)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), ret;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = malloc(MAX_OUTPUT + 1);
	size_t size;

	if (file && text) {
		size = fread(text, 1, MAX_OUTPUT, file);
		text[size] = '\0';
		ret = kr_package_trace_read(text, probe, fn, data);
	} else {
		ret = fd < 0 ? -EIO : -ENOMEM;
	}
	free(text);
	if (file)
		fclose(file);
	else
		kr_fd_close(&fd);
	return ret;
}

/* All that was written; `fn` NULL removes it. */
static int
each_output(const char *path, const char *probe, kr_package_opened_fn fn, void *data)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int ret = 0;

	if (!directory)
		return -errno;
	while (!ret && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, OUTPUT, strlen(OUTPUT)))
			continue;
		if (fn)
			ret = read_output(dirfd(directory), entry->d_name, probe, fn, data);
		else
			unlinkat(dirfd(directory), entry->d_name, 0);
	}
	closedir(directory);
	return ret;
}

static int
trace_in(const char *directory, const char *probe, const char *library, kr_package_opened_fn fn,
	void *data, char **reason)
{
	char answer[MAX_ANSWER], **variables = make_environment(directory);
	int ret = variables ? run_probe(probe, library, variables, answer) : -ENOMEM;

	free_environment(variables);
	if (ret)
		return kr_package_refuse(reason, ret, "%s couldn't be tried with %s: %s", library,
			probe, strerror(-ret));
	answer[strcspn(answer, "\n")] = '\0';
	if (answer[0] != DRIVER_WORKS)
		return kr_package_refuse(reason, -EINVAL,
			"%s failed while it was traced (%s): what it opens isn't known", library,
			answer[0] ? answer + strspn(answer, "0123456789 -") : "no answer");
	ret = each_output(directory, probe, fn, data);
	if (ret && !*reason)
		return kr_package_refuse(
			reason, ret, "what %s opens couldn't be read: %s", library, strerror(-ret));
	return ret;
}

int
kr_package_trace(
	const char *probe, const char *library, kr_package_opened_fn fn, void *data, char **reason)
{
	char directory[] = "/tmp/krafla-trace-XXXXXX";
	int ret, removed;

	if (!mkdtemp(directory))
		return kr_package_refuse(
			reason, -errno, "%s can't be made: %s", directory, strerror(errno));
	ret = trace_in(directory, probe, library, fn, data, reason);
	removed = each_output(directory, probe, NULL, NULL);
	if (!removed)
		rmdir(directory);
	return ret;
}
