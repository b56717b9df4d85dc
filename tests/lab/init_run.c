/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the programs of the lab's list. The list is made of lines `WORD REST`: `name`, `limit`
 * (seconds), `without` (a folder that it finds empty), then any number of `env` and `arg` (the
 * first is the program's path), then `run`.
 */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS     64
#define REAP_LIMIT_MS 10000
#define REAP_STEP_MS  10

struct program {
	char *name;
	char *without; /* NULL: it sees all */
	long limit_s;
	char *args[MAX_WORDS + 1];
	char *env[MAX_WORDS + 1];
	size_t arg_count, env_count;
};

/* A program's output, cut into lines that each get their mark. */
struct output {
	int fd;
	bool in_line;
};

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
pass_on(struct output *out, const char *data, size_t size)
{
	while (size) {
		const char *end = memchr(data, '\n', size);
		size_t part = end ? (size_t)(end - data) + 1 : size;

		if (!out->in_line)
			lab_write(">", 1);
		lab_write(data, part);
		out->in_line = !end;
		data += part;
		size -= part;
	}
}

/* False: there is nothing more to come. */
static bool
read_output(struct output *out)
{
	char data[4096];
	ssize_t n = read(out->fd, data, sizeof(data));

	if (n > 0)
		pass_on(out, data, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void
end_line(struct output *out)
{
	if (out->in_line)
		lab_write("\n", 1);
	out->in_line = false;
}

/* An empty folder in its place, for this process and its children alone. */
static bool
hide(const char *folder)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("tmpfs", folder, "tmpfs", 0, NULL);
}

static void
become(const struct program *p, int out)
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	close(null);
	if (p->without && !hide(p->without)) {
		dprintf(STDERR_FILENO, "init: hiding %s: %s\n", p->without, strerror(errno));
		_exit(127);
	}
	execve(p->args[0], p->args, p->env);
	dprintf(STDERR_FILENO, "init: %s: %s\n", p->args[0], strerror(errno));
	_exit(127);
}

/*
 * Hands on the output until the program has ended, which the pidfd tells: others may hold the pipe
 * for longer. False at the time limit.
 */
static bool
follow(struct output *out, int pidfd, long deadline)
{
	struct pollfd fds[2] = {{.fd = out->fd, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};

	for (;;) {
		long left = deadline - now_ms();

		if (left <= 0)
			return false;
		if (poll(fds, 2, (int)left) <= 0)
			continue;
		if (fds[0].revents && !read_output(out))
			fds[0].fd = -1;
		if (fds[1].revents)
			return true;
	}
}

/* Ends whatever still runs, so that programs don't meet each other's leftovers. */
static void
end_all(pid_t pid, int *status)
{
	long deadline = now_ms() + REAP_LIMIT_MS;
	pid_t ended = 0;
	int how;

	kill(-1, SIGKILL);
	while (ended >= 0 && now_ms() < deadline) {
		ended = waitpid(-1, &how, WNOHANG);
		if (ended == pid)
			*status = how;
		if (ended == 0)
			poll(NULL, 0, REAP_STEP_MS);
	}
	if (ended >= 0)
		lab_say("!BUG: a process can't be killed: it is stuck in the kernel");
}

static void
say_end(bool in_time, int status, long ms)
{
	if (!in_time)
		lab_say("@end %ld time limit", ms);
	else if (WIFSIGNALED(status))
		lab_say("@end %ld signal %d", ms, WTERMSIG(status));
	else
		lab_say("@end %ld exit %d", ms, WEXITSTATUS(status));
}

static void
run_program(const struct program *p)
{
	struct output out = {-1, false};
	long started = now_ms();
	int fds[2], pidfd, status = 0;
	bool in_time;
	pid_t pid;

	lab_say("@begin %s", p->name);
	if (pipe2(fds, O_CLOEXEC))
		return;
	pid = fork();
	if (pid == 0)
		become(p, fds[1]);
	close(fds[1]);
	out.fd = fds[0];
	pidfd = pidfd_open(pid, 0);
	in_time = follow(&out, pidfd, started + p->limit_s * 1000);
	end_all(pid, &status);
	fcntl(out.fd, F_SETFL, O_NONBLOCK);
	while (poll(&(struct pollfd){.fd = out.fd, .events = POLLIN}, 1, 0) == 1 &&
		read_output(&out))
		;
	end_line(&out);
	close(pidfd);
	close(out.fd);
	lab_copy_kernel_log();
	say_end(in_time, status, now_ms() - started);
}

static void
forget(struct program *p)
{
	free(p->name);
	free(p->without);
	for (size_t i = 0; i < p->arg_count; i++)
		free(p->args[i]);
	for (size_t i = 0; i < p->env_count; i++)
		free(p->env[i]);
	memset(p, 0, sizeof(*p));
}

static void
handle_line(struct program *p, const char *word, const char *rest)
{
	if (!strcmp(word, "name"))
		p->name = strdup(rest);
	else if (!strcmp(word, "limit"))
		p->limit_s = atol(rest);
	else if (!strcmp(word, "without"))
		p->without = strdup(rest);
	else if (!strcmp(word, "arg") && p->arg_count < MAX_WORDS)
		p->args[p->arg_count++] = strdup(rest);
	else if (!strcmp(word, "env") && p->env_count < MAX_WORDS)
		p->env[p->env_count++] = strdup(rest);
	else if (!strcmp(word, "run") && p->name && p->arg_count)
		run_program(p);
	else
		lab_say("@error the list has a line that can't be: %s %s", word, rest);
	if (!strcmp(word, "run"))
		forget(p);
}

void
lab_run_list(const char *path)
{
	FILE *file = fopen(path, "re");
	struct program p = {0};
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0) {
		char *rest;

		line[strcspn(line, "\n")] = '\0';
		rest = strchr(line, ' ');
		if (rest)
			*rest++ = '\0';
		handle_line(&p, line, rest ? rest : "");
	}
	free(line);
	if (file)
		fclose(file);
}
