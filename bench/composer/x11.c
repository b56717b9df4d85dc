/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor time that a frame of vkcube takes in an X window of 1280x720: shown by its driver,
 * and by `krafla run --output x11` at 60 Hz. It is that of all processes: the program, krafla and
 * an X server of their own, for each picture that was shown. What starting and ending take is left
 * out, by running it for a few frames, too. The driver doesn't wait for the X server's refresh, so
 * its frames come as fast as they can.
 */
#include "bench/composer/rows.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/run/command.h"

#define NAME       "vkcube 1280x720 in an X window, processor time"
#define FEW        60
#define MANY       660
#define MANY_QUICK 180
#define MAX_WORDS  24
#define LIMIT_S    120

/* How krafla is run. */
struct ours {
	char krafla[PATH_MAX];
	char summary[64];
};

/* Of children that have ended, and of theirs. */
static double
processor_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
		(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void
become(struct kr_bench *bench, const char *display, const struct ours *ours, unsigned frames)
{
	const char *words[MAX_WORDS] = {NULL}, *krafla = ours ? ours->krafla : NULL;
	const char *const run[] = {krafla, "run", "--display", "1280x720@60", "--output", "x11",
		"--summary", ours ? ours->summary : "", "--"};
	char drivers[4096], count[16];
	const char *const program[] = {
		"vkcube", "--width", "1280", "--height", "720", "--c", count};
	const char *environment[] = {drivers, display, NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned n = 0;

	snprintf(count, sizeof(count), "%u", frames);
	for (size_t i = 0; krafla && i < sizeof(run) / sizeof(run[0]); i++)
		words[n++] = run[i];
	for (size_t i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		words[n++] = program[i];
	kr_bench_drivers(bench, drivers, sizeof(drivers));
	kr_bench_isolate(environment);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	alarm(krafla ? 0 : LIMIT_S);
	execvp(words[0], (char *const *)words);
	_exit(127);
}

/* How many pictures krafla's window has shown: others cost less, and count for nothing. */
static unsigned
count_shown(const struct ours *ours)
{
	json_error_t error;
	json_t *summary = json_load_file(ours->summary, 0, &error);
	json_int_t shown = 0;

	(void)json_unpack(summary, "{s:[{s:I}]}", "outputs", "shown", &shown);
	json_decref(summary);
	return (unsigned)shown;
}

/*
 * All that a run takes of the processors, its X server's part with it, and how many frames were
 * shown; -1: it failed.
 */
static double
run_once(struct kr_bench *bench, const struct ours *ours, unsigned frames, unsigned *shown)
{
	double before = processor_us();
	char display[32];
	int status = -1;
	pid_t xvfb = kr_bench_start_xvfb(display, sizeof(display)), pid;

	if (xvfb < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		become(bench, display, ours, frames);
	if (pid > 0)
		waitpid(pid, &status, 0);
	kr_bench_stop_xvfb(xvfb);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	*shown = ours ? count_shown(ours) : frames;
	return processor_us() - before;
}

/* A frame's part; -1: it failed. */
static double
frame_us(struct kr_bench *bench, const struct ours *ours)
{
	unsigned few = 0, many = 0;
	double few_us = run_once(bench, ours, FEW, &few);
	double many_us =
		few_us < 0 ? -1 : run_once(bench, ours, bench->quick ? MANY_QUICK : MANY, &many);

	return many_us < 0 || many <= few ? -1 : (many_us - few_us) / (many - few);
}

static void
measure(struct kr_bench *bench, const struct ours *ours)
{
	double by_us[KR_BENCH_MAX_REPEAT], by_driver[KR_BENCH_MAX_REPEAT];

	for (unsigned run = 0; run < bench->repeat; run++) {
		by_driver[run] = frame_us(bench, NULL);
		by_us[run] = by_driver[run] < 0 ? -1 : frame_us(bench, ours);
		if (by_us[run] < 0) {
			kr_bench_skip(bench, NAME,
				by_driver[run] < 0 ? "Xvfb or vkcube failed"
						   : "krafla run --output x11 failed");
			return;
		}
	}
	kr_bench_row(bench, NAME, "us", kr_bench_median(by_us, bench->repeat), "straight on Xvfb",
		kr_bench_median(by_driver, bench->repeat), 1.2);
}

void
kr_bench_composer_x11(struct kr_bench *bench)
{
	char place[] = "/tmp/krafla-bench.XXXXXX";
	struct ours ours;

	snprintf(ours.krafla, sizeof(ours.krafla), "%s/bin/krafla", bench->prefix);
	if (!command_has_option(bench, "--output")) {
		kr_bench_skip(bench, NAME, "krafla run has no --output");
		return;
	}
	if (!mkdtemp(place)) {
		kr_bench_skip(bench, NAME, "no temporary directory can be made");
		return;
	}
	snprintf(ours.summary, sizeof(ours.summary), "%s/summary.json", place);
	measure(bench, &ours);
	unlink(ours.summary);
	rmdir(place);
}
