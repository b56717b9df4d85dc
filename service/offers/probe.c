/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla-probe as a child of the service: see probe.h and tools/probe/probe.c. First the generation
 * may have to be copied, where it can't be given as a mount. Then the process runs: its pidfd tells
 * when it has ended; its answer, one short line, lies in a pipe by then. It limits the driver's
 * time itself, and the limit here is for it.
 */
#include "service/offers/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/probe.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"

#define GRACE_MS 2000u
/* The answer, lines of what its devices are, and of what confined it. */
#define SAID_SIZE (KR_PROBE_TEXT_SIZE + KR_PROBE_DEVICES_MAX * KR_PROBE_DEVICE_LINE_SIZE + 2560)

struct kr_offers_probe {
	struct kr_loop *loop;
	struct kr_generation *generation; /* a reference, until it was given */
	pid_t pid;                        /* 0: not started, or reaped */
	int pidfd, out;
	unsigned driver_ms;
	bool killed;
	char *tried, *lacks; /* NULL: nothing */
	struct kr_watch *watch;
	kr_offers_found_fn done;
	void *data;
};

/*
 * Beside the programs, as installed or as built; else where it was to be installed. NULL without
 * memory.
 */
static char *
find_program(void)
{
	static const char *const places[] = {"../lib/krafla/krafla-probe", "../tools/krafla-probe",
		"krafla-probe", "../../tools/krafla-probe"};
	char self[PATH_MAX], *slash, *path;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < KR_ARRAY_LEN(places); i++) {
		path = kr_asprintf("%.*s/%s", (int)(slash - self), self, places[i]);
		if (!path || !access(path, X_OK))
			return path;
		free(path);
	}
	return strdup(KRAFLA_PROBE_PROGRAM);
}

/* "3,4,5" */
static char *
list_fds(const struct kr_given *given)
{
	char *list = malloc(given->count * 12 + 1);
	size_t len = 0;

	for (size_t i = 0; list && i < given->count; i++)
		len += (size_t)sprintf(list + len, "%s%d", i ? "," : "", given->fds[i]);
	return list;
}

/* The descriptors keep their numbers, and lose close-on-exec in the child alone. */
static int
add_actions(posix_spawn_file_actions_t *actions, const struct kr_given *given, int out)
{
	int ret = -posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);

	for (size_t i = 0; !ret && i < given->count; i++)
		ret = -posix_spawn_file_actions_adddup2(actions, given->fds[i], given->fds[i]);
	return ret;
}

/* Signals as a new program expects them, whatever this one did with them. */
static int
spawn(char *const *argv, const posix_spawn_file_actions_t *actions, pid_t *pid)
{
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int ret;

	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawnattr_init(&attributes))
		return -ENOMEM;
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	ret = -posix_spawn(pid, argv[0], actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return ret;
}

static int
run(struct kr_offers_probe *process, char *program, const struct kr_given *given, char *fds,
	int out)
{
	const char *kind = given->kind == KR_DELIVERY_MOUNT ? "mount" : "memory";
	char timeout[16];
	char *argv[] = {program, (char *)"--given", (char *)kind, fds, timeout, NULL};
	posix_spawn_file_actions_t actions;
	int ret;

	snprintf(timeout, sizeof(timeout), "%u", process->driver_ms);
	if (posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	ret = add_actions(&actions, given, out);
	if (!ret)
		ret = spawn(argv, &actions, &process->pid);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

static void
finish(struct kr_offers_probe *process, int result, const char *why)
{
	const struct kr_offers_found found = {.result = result, .why = why};

	process->done(process->data, &found);
}

/* The lines behind the first one. */
static void
finish_with_devices(struct kr_offers_probe *process, const char *lines)
{
	struct kr_probe_device devices[KR_PROBE_DEVICES_MAX];
	const struct kr_offers_found found = {
		.devices = devices, .device_count = kr_probe_devices_parse(lines, devices)};

	process->done(process->data, &found);
}

/* Adds what follows `word` to a list. Without memory it is as if it hadn't been said. */
static void
take_line(const char *line, size_t size, const char *word, char **list)
{
	const size_t len = strlen(word);
	char *longer;

	if (strncmp(line, word, len) != 0)
		return;
	longer = kr_asprintf(
		"%s%s%.*s", *list ? *list : "", *list ? "; " : "", (int)(size - len), line + len);
	if (!longer)
		return;
	free(*list);
	*list = longer;
}

/* Among the lines behind the answer's own. */
static void
read_confinement(struct kr_offers_probe *process, const char *answer)
{
	const char *line = strchr(answer, '\n');

	while (line && *++line) {
		const size_t size = strcspn(line, "\n");

		take_line(line, size, "tried ", &process->tried);
		take_line(line, size, "lacks ", &process->lacks);
		line = strchr(line, '\n');
	}
}

static void
read_answer(struct kr_offers_probe *process)
{
	char answer[SAID_SIZE] = "";
	const ssize_t got = read(process->out, answer, sizeof(answer) - 1);
	const char *end = strchr(answer, '\n');
	struct kr_probe_result result;

	read_confinement(process, answer);
	if (got < 0 || kr_probe_parse(answer, &result))
		finish(process, -EPROTO, "krafla-probe ended without an answer");
	else if (result.outcome != KR_PROBE_WORKS || result.devices < 0)
		finish(process, -EIO, result.text);
	else if (!result.devices)
		finish(process, -ENODEV, "it sees no device that it can work with");
	else
		finish_with_devices(process, end + 1);
}

/* Whether it has ended, and is reaped then, if nobody else has done that. */
static bool
reap(struct kr_offers_probe *process)
{
	siginfo_t info = {0};

	if (!waitid(P_PIDFD, (id_t)process->pidfd, &info, WEXITED | WNOHANG) && !info.si_pid)
		return false;
	process->pid = 0;
	return true;
}

static void
handle_process(void *data, uint32_t events)
{
	struct kr_offers_probe *process = data;

	if (!reap(process)) {
		/* Its time is up; the pidfd tells when it is gone. */
		if (!events && !process->killed) {
			process->killed = true;
			kill(process->pid, SIGKILL);
		}
		return;
	}
	kr_watch_remove(process->watch);
	process->watch = NULL;
	if (process->killed)
		finish(process, -ETIMEDOUT, "krafla-probe did not end in its time");
	else
		read_answer(process);
}

static int
start(struct kr_offers_probe *process, const struct kr_given *given, char **reason)
{
	char *fds = list_fds(given), *program = find_program();
	int pipe_fds[2] = {-1, -1}, ret = fds && program ? 0 : -ENOMEM;

	if (!ret && pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK))
		ret = -errno;
	if (!ret) {
		process->out = pipe_fds[0];
		ret = run(process, program, given, fds, pipe_fds[1]);
		kr_fd_close(&pipe_fds[1]);
		if (ret)
			*reason = kr_asprintf(
				"%s can't be started: %s; it is part of Krafla, or say \"probe\": false in the configuration",
				program, strerror(-ret));
	}
	free(program);
	free(fds);
	return ret;
}

static int64_t
limit_of(const struct kr_offers_probe *process)
{
	return kr_deadline_in((process->driver_ms + GRACE_MS) * (uint64_t)KR_NSEC_PER_MSEC);
}

static int
watch_process(struct kr_offers_probe *process)
{
	int ret;

	process->pidfd = pidfd_open(process->pid, 0);
	if (process->pidfd < 0)
		return -errno;
	ret = kr_watch_add(
		process->loop, process->pidfd, EPOLLIN, handle_process, process, &process->watch);
	if (!ret)
		kr_watch_deadline(process->watch, limit_of(process));
	return ret;
}

static int
give_and_start(struct kr_offers_probe *process, char **reason)
{
	struct kr_given given;
	int ret = kr_generation_give(process->generation, false, &given);

	if (ret)
		return ret;
	ret = start(process, &given, reason);
	kr_given_finish(&given);
	kr_generation_unref(process->generation);
	process->generation = NULL;
	return ret ? ret : watch_process(process);
}

/* The copies are there, or their time is up. */
static void
handle_prepared(void *data, uint32_t events)
{
	struct kr_offers_probe *process = data;
	char *reason = NULL;
	int ret = events ? 0 : -ETIMEDOUT;

	kr_watch_remove(process->watch);
	process->watch = NULL;
	if (!ret)
		ret = give_and_start(process, &reason);
	if (ret)
		finish(process, ret, reason);
	free(reason);
}

static int
prepare(struct kr_offers_probe *process, char **reason)
{
	int fd, ret = kr_generation_prepare(process->generation, false, &fd);

	if (ret || fd < 0)
		return ret ? ret : give_and_start(process, reason);
	ret = kr_watch_add(process->loop, fd, EPOLLIN, handle_prepared, process, &process->watch);
	if (!ret)
		kr_watch_deadline(process->watch, limit_of(process));
	return ret;
}

int
kr_offers_probe_start(struct kr_loop *loop, struct kr_generation *generation, unsigned driver_ms,
	kr_offers_found_fn done, void *data, struct kr_offers_probe **out, char **reason)
{
	struct kr_offers_probe *process = calloc(1, sizeof(*process));
	int ret;

	if (!process)
		return -ENOMEM;
	*process = (struct kr_offers_probe){.loop = loop,
		.generation = kr_generation_ref(generation),
		.pidfd = -1,
		.out = -1,
		.driver_ms = driver_ms,
		.done = done,
		.data = data};
	ret = prepare(process, reason);
	if (ret) {
		if (!*reason)
			*reason = kr_asprintf("it can't be tried: %s", strerror(-ret));
		kr_offers_probe_destroy(process);
		return ret;
	}
	*out = process;
	return 0;
}

const char *
kr_offers_probe_tried(const struct kr_offers_probe *process)
{
	return process->tried;
}

const char *
kr_offers_probe_lacks(const struct kr_offers_probe *process)
{
	return process->lacks;
}

void
kr_offers_probe_destroy(struct kr_offers_probe *process)
{
	if (!process)
		return;
	kr_watch_remove(process->watch);
	if (process->pid) {
		kill(process->pid, SIGKILL);
		/* It waits for nothing that SIGKILL doesn't end. */
		while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	kr_generation_unref(process->generation);
	kr_fd_close(&process->pidfd);
	kr_fd_close(&process->out);
	free(process->tried);
	free(process->lacks);
	free(process);
}
