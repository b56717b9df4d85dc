/* SPDX-License-Identifier: Apache-2.0 */
/* See command.h. */
#include "bench/run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULTS    3 /* where a program finds the pipe for its results */
#define READY_MS   120000
#define SLACK_MS   60000 /* beyond the time for which it draws */
#define REASON     160
#define MAX_WORDS  40
#define IN_BUFFERS 8 /* frames that a program may have queued and nobody shown when it ends */

struct running {
	pid_t pid;
	int results;
	char summary[PATH_MAX];
	char messages[PATH_MAX]; /* what it says on standard error, shown when it fails */
	unsigned frames;
};

struct start {
	struct kr_bench *bench;
	const struct command *command;
	const char *place; /* folder for summaries */
	int go[2];         /* a pipe whose end lets all start */
	struct running all[COMMAND_MAX_PROGRAMS];
	char *reason;
};

static int
fail(char *reason, const char *what)
{
	snprintf(reason, REASON, "%s", what);
	return -1;
}

/* --- starting --- */

struct words {
	const char *all[MAX_WORDS];
	unsigned count;
	char krafla[PATH_MAX], display[48], width[16], height[16], seconds[32], in_flight[16];
};

static void
add(struct words *words, const char *word)
{
	if (words->count + 1 < MAX_WORDS)
		words->all[words->count++] = word;
}

static void
write_words(struct words *words, const struct start *start, const struct running *running)
{
	const struct command *command = start->command;
	const char *run[] = {words->krafla, "run", "--display", words->display, "--clock",
		"virtual", "--summary", running->summary};
	const char *program[] = {start->bench->self, "--child", "program",
		start->bench->loaders[KR_BENCH_KRAFLA], words->width, words->height, words->seconds,
		words->in_flight, command->where, "3"};

	memset(words, 0, sizeof(*words));
	snprintf(words->krafla, sizeof(words->krafla), "%s/bin/krafla", start->bench->prefix);
	snprintf(words->display, sizeof(words->display), "%ux%u@1000", command->width,
		command->height);
	snprintf(words->width, sizeof(words->width), "%u", command->width);
	snprintf(words->height, sizeof(words->height), "%u", command->height);
	snprintf(words->seconds, sizeof(words->seconds), "%.3f", command->seconds);
	snprintf(words->in_flight, sizeof(words->in_flight), "%u", command->in_flight);
	for (size_t i = 0; command->krafla && i < sizeof(run) / sizeof(run[0]); i++)
		add(words, run[i]);
	for (size_t i = 0; command->krafla && command->capture[i]; i++)
		add(words, command->capture[i]);
	if (command->krafla)
		add(words, "--");
	for (size_t i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		add(words, program[i]);
}

static void
become(const struct start *start, const struct running *running, int results)
{
	const struct command *command = start->command;
	char drivers[4096];
	const char *environment[] = {drivers,
		!strcmp(command->where, "xcb") ? "KRAFLA_WSI=driver" : "KRAFLA_WSI=platform",
		command->display, NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int messages = open(running->messages, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct words words;

	write_words(&words, start, running);
	kr_bench_drivers(start->bench, drivers, sizeof(drivers));
	kr_bench_isolate(environment);
	if (dup2(start->go[0], STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
		dup2(messages, STDERR_FILENO) < 0 ||
		(results == RESULTS ? fcntl(results, F_SETFD, 0) : dup2(results, RESULTS)) < 0)
		_exit(127);
	execv(words.all[0], (char *const *)words.all);
	fprintf(stderr, "krafla-bench: %s: %s\n", words.all[0], strerror(errno));
	_exit(127);
}

static int
start_one(struct start *start, unsigned number)
{
	struct running *running = &start->all[number];
	int ends[2];

	snprintf(running->summary, sizeof(running->summary), "%s/%u.json", start->place, number);
	snprintf(running->messages, sizeof(running->messages), "%s/%u.txt", start->place, number);
	if (pipe2(ends, O_CLOEXEC))
		return fail(start->reason, strerror(errno));
	running->pid = fork();
	if (running->pid == 0)
		become(start, running, ends[1]);
	close(ends[1]);
	running->results = ends[0];
	return running->pid > 0 ? 0 : fail(start->reason, strerror(errno));
}

/* --- what they tell --- */

/* Up to `size - 1` bytes, or until the end, within the time. How many; -1: none came in time. */
static int
read_some(int fd, char *text, size_t size, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t length = 0;

	while (length + 1 < size) {
		ssize_t n = poll(&p, 1, timeout_ms) > 0 ? read(fd, text + length, size - 1 - length)
							: -1;

		if (n < 0)
			return -1;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	text[length] = '\0';
	return (int)length;
}

static int
wait_until_ready(struct start *start)
{
	char byte[2];

	for (unsigned i = 0; i < start->command->programs; i++) {
		if (read_some(start->all[i].results, byte, sizeof(byte), READY_MS) != 1)
			return fail(start->reason, "a program failed; its message stands above");
	}
	return 0;
}

static int
read_result(struct start *start, struct running *running, struct command_result *sum)
{
	char text[256], device[80];
	double us, processor_us;
	int gpu;

	if (read_some(running->results, text, sizeof(text),
		    (int)(start->command->seconds * 1000) + SLACK_MS) <= 0 ||
		sscanf(text, "%u %lf %lf %d %79[^\n]", &running->frames, &us, &processor_us, &gpu,
			device) != 5)
		return fail(start->reason, "a program failed; its message stands above");
	sum->us += us / start->command->programs;
	sum->rate += 1e6 / us;
	sum->processor_us += processor_us / start->command->programs;
	sum->gpu = gpu;
	snprintf(sum->device, sizeof(sum->device), "%s",
		strncmp(device, "llvmpipe", 8) ? device : "lavapipe");
	return 0;
}

/* Frames that weren't shown are no frames: what was replaced or left out costs nothing. */
static int
check_summary(struct start *start, const struct running *running)
{
	json_error_t error;
	json_t *summary = json_load_file(running->summary, 0, &error);
	json_int_t shown = 0;

	if (!summary || json_unpack(summary, "{s:{s:I}}", "frames", "shown", &shown)) {
		json_decref(summary);
		return fail(start->reason, "krafla run wrote no summary");
	}
	json_decref(summary);
	if (shown + IN_BUFFERS >= (json_int_t)running->frames)
		return 0;
	snprintf(start->reason, REASON, "of %u frames only %lld were shown", running->frames,
		(long long)shown);
	return -1;
}

/* --- ending --- */

static void
show_messages(const struct running *running)
{
	FILE *file = fopen(running->messages, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		fputs(line, stderr);
	if (file)
		fclose(file);
}

static int
end_one(struct start *start, struct running *running, bool failed)
{
	int status = 0;

	if (running->results >= 0)
		close(running->results);
	if (running->pid <= 0)
		return 0;
	if (failed)
		kill(running->pid, SIGTERM);
	waitpid(running->pid, &status, 0);
	if (!failed && (!WIFEXITED(status) || WEXITSTATUS(status)))
		return fail(start->reason, "a program or krafla run failed; see above");
	return !failed && start->command->krafla ? check_summary(start, running) : 0;
}

static void
close_go(struct start *start, unsigned end)
{
	if (start->go[end] >= 0)
		close(start->go[end]);
	start->go[end] = -1;
}

static int
run_all(struct start *start, struct command_result *result)
{
	int err = 0;

	for (unsigned i = 0; i < start->command->programs && !err; i++)
		err = start_one(start, i);
	close_go(start, 0);
	if (!err)
		err = wait_until_ready(start);
	close_go(start, 1);
	for (unsigned i = 0; i < start->command->programs && !err; i++)
		err = read_result(start, &start->all[i], result);
	for (unsigned i = 0; i < start->command->programs; i++) {
		if (end_one(start, &start->all[i], err != 0))
			err = -1;
		if (err)
			show_messages(&start->all[i]);
	}
	return err;
}

static const char *
temporary(void)
{
	const char *place = getenv("TMPDIR");

	return place && place[0] == '/' ? place : "/tmp";
}

int
command_measure(struct kr_bench *bench, const struct command *command,
	struct command_result *result, char *reason)
{
	struct start start = {.bench = bench, .command = command, .reason = reason, .go = {-1, -1}};
	char place[PATH_MAX];
	int err;

	*result = (struct command_result){0};
	for (unsigned i = 0; i < COMMAND_MAX_PROGRAMS; i++)
		start.all[i].results = -1;
	snprintf(place, sizeof(place), "%s/krafla-bench-XXXXXX", temporary());
	if (!mkdtemp(place))
		return fail(reason, strerror(errno));
	start.place = place;
	err = pipe2(start.go, O_CLOEXEC) ? fail(reason, strerror(errno)) : run_all(&start, result);
	for (unsigned i = 0; i < command->programs; i++) {
		if (start.all[i].summary[0]) {
			unlink(start.all[i].summary);
			unlink(start.all[i].messages);
		}
	}
	rmdir(place);
	return err;
}

bool
command_has_option(struct kr_bench *bench, const char *option)
{
	char line[PATH_MAX + 32], help[8192];
	size_t length = 0;
	FILE *pipe;

	snprintf(line, sizeof(line), "'%s/bin/krafla' run --help", bench->prefix);
	pipe = popen(line, "re");
	if (pipe) {
		length = fread(help, 1, sizeof(help) - 1, pipe);
		pclose(pipe);
	}
	help[length] = '\0';
	return strstr(help, option);
}
