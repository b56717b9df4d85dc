/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `krafla run` takes while its program shows nothing and nobody looks: pages that it shares
 * with nobody. The program is cat, which says so when it runs, and ends with its input.
 */
#include "bench/composer/rows.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define GOAL_KB    (8.0 * 1024)
#define READY_MS   20000
#define SETTLE_MS  50 /* between two looks, until one finds what the one before did */
#define LOOKS      100
#define BESIDE_ERR "krafla run with a display that shows nothing"

/* -1: not to be had. */
static double
private_kb(pid_t pid)
{
	char path[64], line[256];
	double sum = -1, value;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Private_Clean: %lf", &value) == 1 ||
			sscanf(line, "Private_Dirty: %lf", &value) == 1)
			sum = sum < 0 ? value : sum + value;
	}
	if (file)
		fclose(file);
	return sum;
}

static pid_t
start(struct kr_bench *bench, int in[2], int out[2])
{
	char krafla[PATH_MAX];
	pid_t pid;

	snprintf(krafla, sizeof(krafla), "%s/bin/krafla", bench->prefix);
	if (pipe2(in, O_CLOEXEC))
		return -1;
	if (pipe2(out, O_CLOEXEC)) {
		close(in[0]);
		close(in[1]);
		return -1;
	}
	pid = fork();
	if (pid == 0) {
		kr_bench_isolate(NULL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		execl(krafla, krafla, "run", "--display", "1280x720@60", "--", "cat", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	return pid;
}

/* What the process has once two looks find the same. */
static double
settled_kb(pid_t pid)
{
	double last = -1, now = private_kb(pid);

	for (unsigned i = 0; i < LOOKS && now != last; i++) {
		poll(NULL, 0, SETTLE_MS);
		last = now;
		now = private_kb(pid);
	}
	return now;
}

void
kr_bench_composer_memory(struct kr_bench *bench)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	struct pollfd answer = {.events = POLLIN};
	pid_t pid = start(bench, in, out);
	double kb = -1;
	char byte = '\n';

	if (pid < 0) {
		kr_bench_skip(bench, BESIDE_ERR, "it can't be started");
		return;
	}
	answer.fd = out[0];
	if (write(in[1], &byte, 1) == 1 && poll(&answer, 1, READY_MS) > 0 &&
		read(out[0], &byte, 1) == 1)
		kb = settled_kb(pid);
	close(in[1]);
	close(out[0]);
	waitpid(pid, NULL, 0);
	if (kb < 0)
		kr_bench_skip(bench, BESIDE_ERR, "krafla run failed, or /proc doesn't tell");
	else
		kr_bench_row(bench, "private memory of a display, 1280x720, nothing shown", "kB",
			kb, "the goal", GOAL_KB, 1);
}
