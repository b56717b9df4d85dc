/* SPDX-License-Identifier: Apache-2.0 */
/*
 * krafla fences: one look at the fences of processes (a sample), and what is wrong with them
 * (findings); or one look after the other until what was to be watched has ended.
 *
 *   options            the command line
 *   sample             what one look has given
 *   take               the look
 *     look             the descriptors of a process: which are fences
 *     names, sockets   fences by the names of their sockets, in the kernel's table
 *     elsewhere        who else holds what was seen; what the table alone tells
 *     process, rights  what /proc says of a process; why something can't be seen
 *   rows               descriptors of one fence brought together
 *   groups             counted by process, kind and timeline; their growth
 *   findings           late fences and leaks
 *   report             all that, for people (print.c, screen, heard_output) or programs (json.c)
 */
#include "tools/command/command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tools/fences/heard_output.h"
#include "tools/fences/options.h"
#include "tools/fences/report.h"
#include "tools/fences/screen.h"
#include "tools/fences/take.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/hash.h"

#define MAX_ROWS       200
#define MAX_WATCH_ROWS 20u
#define MIN_WATCH_ROWS 3u

enum { EXIT_FOUND = 1 };

/* What one look has given, and the looks before as far as the next one needs them. */
struct look {
	struct kr_fences_sample sample;
	struct kr_fences_groups groups;
};

struct watch {
	struct look now, before;
	bool found;          /* anything, ever */
	int worst;           /* of what kr_fences_sample_take gave */
	struct kr_hash told; /* identities of findings that were printed */
	int64_t started_ns;
	uint64_t samples;
};

static void
finish_look(struct look *look)
{
	kr_fences_groups_finish(&look->groups);
	kr_fences_sample_finish(&look->sample);
}

/* True the first time; without memory it may be told again. */
static bool
remember(struct watch *watch, uint64_t identity)
{
	static char told;
	bool known = kr_hash_get(&watch->told, identity);

	if (!known && kr_hash_put(&watch->told, identity, &told))
		return true;
	return !known;
}

static void
print_new(struct watch *watch, const struct kr_fences_findings *findings)
{
	int64_t tenths = (watch->now.sample.taken_ns - watch->started_ns) / (KR_NSEC_PER_SEC / 10);

	for (size_t i = 0; i < findings->count; i++) {
		const struct kr_fences_finding *finding = &findings->findings[i];

		if (remember(watch, finding->identity))
			printf("%lld.%lld s: %s: %s\n", (long long)(tenths / 10),
				(long long)(tenths % 10), finding->leak ? "leak" : "late",
				finding->text);
	}
	for (size_t i = 0; watch->samples == 1 && i < watch->now.sample.process_count; i++) {
		const struct kr_fences_process *process = &watch->now.sample.processes[i];

		if (process->named && process->not_seen)
			printf("not seen: process %d (%s): %s\n", (int)process->pid,
				process->command, process->not_seen);
	}
}

/* Half of a terminal for the table, the rest for what is said about it. */
static int
draw(const struct kr_fences_report *report)
{
	struct kr_screen_size size = kr_screen_get_size();
	size_t rows = KR_MIN(KR_MAX(size.rows / 2, MIN_WATCH_ROWS), MAX_WATCH_ROWS), len;
	char *text = NULL;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return -ENOMEM;
	kr_fences_print(out, report, rows);
	if (!fclose(out))
		kr_screen_draw(text, size);
	free(text);
	return 0;
}

static int
print(struct watch *watch, const struct kr_fences_options *options,
	const struct kr_fences_report *report)
{
	int failed = 0;

	if (options->json) {
		failed = kr_fences_print_json(report, options->watch);
	} else if (!options->watch) {
		kr_fences_print(stdout, report, MAX_ROWS);
	} else if (isatty(STDOUT_FILENO)) {
		failed = draw(report);
	} else {
		print_new(watch, report->findings);
	}
	return failed || fflush(stdout) ? -EIO : 0;
}

/* Of processes that were named and aren't there, and of no processes at all. */
static void
complain(const struct kr_fences_options *options, const struct kr_fences_sample *sample, int err)
{
	if (err == -ENOENT)
		kr_complain("fences",
			"/proc isn't mounted here, and nothing else tells who has fences");
	else if (err && err != -ESRCH && err != -EACCES)
		kr_complain("fences", "/proc can't be read: %s", strerror(-err));
	for (size_t i = 0; err == -ESRCH && i < options->pid_count; i++) {
		if (!kr_fences_sample_find(sample, options->pids[i]))
			kr_complain("fences", "there is no process %d", (int)options->pids[i]);
	}
}

/* 0; -ENOMEM; -EIO: stdout is closed. */
static int
look_once(struct watch *watch, const struct kr_fences_options *options)
{
	int64_t budget_ns = (int64_t)options->budget_ms * KR_NSEC_PER_MSEC;
	const struct kr_fences_sample *before = watch->samples ? &watch->before.sample : NULL;
	struct kr_fences_findings findings = {0};
	struct kr_fences_rows rows = {0};
	struct kr_fences_report report = {&watch->now.sample, &rows, &findings, budget_ns};
	int err = kr_fences_sample_take(
		&watch->now.sample, options->pids, options->pid_count, before);

	if (err == -ENOMEM)
		return err;
	if (!watch->samples++) {
		watch->worst = err;
		complain(options, &watch->now.sample, err);
	}
	err = kr_fences_rows_make(&rows, &watch->now.sample, budget_ns);
	if (!err)
		err = kr_fences_groups_make(
			&watch->now.groups, &watch->now.sample, budget_ns, &watch->before.groups);
	if (!err)
		err = kr_fences_findings_make(
			&findings, &watch->now.sample, &rows, &watch->now.groups);
	if (!err) {
		watch->found |= findings.count > 0;
		err = print(watch, options, &report);
	}
	kr_fences_findings_finish(&findings);
	kr_fences_rows_finish(&rows);
	finish_look(&watch->before);
	watch->before = watch->now;
	watch->now = (struct look){0};
	return err;
}

/* Signals that end a watch, read from a descriptor: whoever watches gets the result then. */
static int
open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
watch_all(struct watch *watch, const struct kr_fences_options *options)
{
	/* An error is told of stdout when nobody reads it any more. */
	struct pollfd ends[] = {{.fd = open_signals(), .events = POLLIN}, {.fd = STDOUT_FILENO}};
	int64_t next = watch->started_ns;
	int err = ends[0].fd < 0 ? -errno : 0;

	if (!err)
		kr_heard_output_begin(ends[0].fd);
	while (!err) {
		err = look_once(watch, options);
		if (err || (options->samples && watch->samples >= options->samples) ||
			(options->pid_count && !watch->before.sample.asked))
			break;
		next = KR_MAX(
			next + (int64_t)options->interval_ms * KR_NSEC_PER_MSEC, kr_clock_now());
		err = kr_fd_poll(ends, KR_ARRAY_LEN(ends), next);
		if (err) {
			err = KR_MIN(err, 0);
			break;
		}
	}
	if (!err && !options->json && !isatty(STDOUT_FILENO) && !watch->found)
		printf("nothing is late or leaks, in %llu looks\n",
			(unsigned long long)watch->samples);
	if (fflush(stdout) && !err)
		err = -EIO;
	kr_fd_close(&ends[0].fd);
	return err;
}

static int
exit_code(const struct watch *watch, int err)
{
	/* What can't be written is told by whoever called this command. */
	if (err && err != -EIO)
		kr_complain("fences", "%s", strerror(-err));
	if (err || watch->worst)
		return KR_EXIT_FAILURE;
	return watch->found ? EXIT_FOUND : KR_EXIT_OK;
}

static int
run_command(int argc, char **argv)
{
	struct kr_fences_options options = {.budget_ms = KR_FENCE_BUDGET_NS / KR_NSEC_PER_MSEC};
	struct watch watch = {.started_ns = kr_clock_now()};
	int ret = kr_fences_options_parse(argc, argv, &options), err;

	kr_hash_init(&watch.told);
	if (ret >= 0) {
		free(options.pids);
		return ret;
	}
	err = options.watch ? watch_all(&watch, &options) : look_once(&watch, &options);
	ret = exit_code(&watch, err);
	finish_look(&watch.now);
	finish_look(&watch.before);
	kr_hash_finish(&watch.told);
	free(options.pids);
	return ret;
}

const struct kr_subcommand kr_subcommand_fences = {
	.name = "fences",
	.summary = "show live fences, those that don't signal, and leaks",
	.help = kr_fences_help,
	.run = run_command,
};
