/* SPDX-License-Identifier: Apache-2.0 */
/* Several cases at a time, told in their order. */
#include "check/run/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/run/report.h"
#include "check/run/show.h"
#include "util/clock.h"
#include "util/strays.h"

#define LOOK_NS (100 * KR_NSEC_PER_MSEC)

struct slot {
	struct check_process process;
	size_t index; /* of the case */
};

struct run {
	const struct check_driver *driver;
	const struct check_run_options *options;
	struct check_facts facts;
	struct check_choice *choices;
	struct check_result *results;
	bool *done;
	size_t count, next, told;
	struct slot *slots;
	struct check_totals totals;
	sigset_t mask; /* as the children have it */
};

static volatile sig_atomic_t asked_to_end;

static void
handle_end(int number)
{
	asked_to_end = number;
}

static void
handle_child(int number)
{
}

/* Signals come while the runner waits, and at no other time. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
struct signals {
	struct sigaction endings[KR_ARRAY_LEN(endings)], child;
	sigset_t mask;
};

static void
take_signals(struct signals *before)
{
	struct sigaction end = {.sa_handler = handle_end}, child = {.sa_handler = handle_child};
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	asked_to_end = 0;
	for (size_t i = 0; i < KR_ARRAY_LEN(endings); i++) {
		sigaddset(&blocked, endings[i]);
		sigaction(endings[i], NULL, &before->endings[i]);
		if (before->endings[i].sa_handler != SIG_IGN)
			sigaction(endings[i], &end, NULL);
	}
	sigaction(SIGCHLD, &child, &before->child);
	sigprocmask(SIG_BLOCK, &blocked, &before->mask);
}

static void
give_signals_back(const struct signals *before)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(endings); i++)
		sigaction(endings[i], &before->endings[i], NULL);
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Until something comes from a process, or it is time to look. */
static void
wait_for_news(struct slot *slots, unsigned count, const sigset_t *mask)
{
	const struct timespec most = {.tv_nsec = LOOK_NS};
	struct pollfd *fds = calloc(2 * count, sizeof(*fds));
	sigset_t open = *mask;

	sigdelset(&open, SIGCHLD);
	for (size_t i = 0; i < KR_ARRAY_LEN(endings); i++)
		sigdelset(&open, endings[i]);
	for (unsigned i = 0; fds && i < count; i++) {
		bool runs = slots[i].process.stage != CHECK_STAGE_IDLE;

		fds[2 * i] = (struct pollfd){runs ? slots[i].process.output.fd : -1, POLLIN, 0};
		fds[2 * i + 1] = (struct pollfd){runs ? slots[i].process.trace.fd : -1, POLLIN, 0};
	}
	(void)ppoll(fds, fds ? 2 * count : 0, &most, &open);
	free(fds);
}

static void
free_result(struct check_result *result)
{
	free(result->trace);
	free(result->output);
}

static void
tell(struct run *run)
{
	for (; run->told < run->count && run->done[run->told]; run->told++) {
		struct check_result *result = &run->results[run->told];

		check_totals_add(&run->totals, result);
		for (size_t i = 0; i < run->options->report_count; i++)
			run->options->reports[i]->impl->result(run->options->reports[i], result);
		free_result(result);
		*result = (struct check_result){0};
	}
}

static void
tell_progress(struct run *run, const char *name)
{
	for (size_t i = 0; i < run->options->report_count; i++) {
		struct check_report *report = run->options->reports[i];

		if (report->impl->progress)
			report->impl->progress(report, name, run->told, run->count);
	}
}

/* What is known without running it. */
static bool
is_too_new(struct run *run, size_t index)
{
	const struct check_case *row = run->choices[index].row;
	struct check_result *result = &run->results[index];

	if (!run->facts.known || row->min_version <= run->facts.version)
		return false;
	result->verdict = CHECK_NOT_APPLICABLE;
	snprintf(result->seen, sizeof(result->seen),
		"the driver has VK_ANDROID_native_buffer %u, and this comes with %u",
		run->facts.version, row->min_version);
	return true;
}

static int
start_next(struct run *run, struct slot *slot)
{
	const struct check_job job = {
		.driver = run->driver,
		.facts = &run->facts,
		.seed = run->options->seed,
		.timeout_s = run->options->timeout_s,
		.row = run->choices[run->next].row,
	};

	slot->index = run->next++;
	run->results[slot->index].row = job.row;
	run->results[slot->index].section = run->choices[slot->index].section;
	if (is_too_new(run, slot->index)) {
		run->done[slot->index] = true;
		return 0;
	}
	tell_progress(run, job.row->name);
	return check_process_start(&slot->process, &job, &run->mask);
}

static int
fill_slots(struct run *run)
{
	int ret = 0;

	for (unsigned i = 0; i < run->options->jobs && !ret; i++) {
		while (run->slots[i].process.stage == CHECK_STAGE_IDLE && run->next < run->count &&
			!ret)
			ret = start_next(run, &run->slots[i]);
	}
	return ret;
}

/* Those that cases left which have ended; what running cases started is theirs as yet. */
static void
kill_strays(struct run *run)
{
	pid_t running[CHECK_MOST_JOBS];
	size_t count = 0;

	for (unsigned i = 0; i < run->options->jobs; i++) {
		const struct check_process *process = &run->slots[i].process;

		if (process->stage != CHECK_STAGE_IDLE && process->stage != CHECK_STAGE_ENDED)
			running[count++] = process->pid;
	}
	kr_strays_kill(running, count);
}

static void
look(struct run *run)
{
	int64_t now = kr_clock_now();
	bool ended = false;

	for (unsigned i = 0; i < run->options->jobs; i++) {
		struct slot *slot = &run->slots[i];

		check_process_look(&slot->process, now);
		if (slot->process.stage != CHECK_STAGE_ENDED)
			continue;
		check_process_result(&slot->process, &run->results[slot->index]);
		slot->process.stage = CHECK_STAGE_IDLE;
		run->done[slot->index] = true;
		ended = true;
	}
	if (ended)
		kill_strays(run);
}

static int
run_all(struct run *run)
{
	while (run->told < run->count) {
		int ret = fill_slots(run);

		if (ret)
			return ret;
		tell(run);
		if (run->told == run->count)
			break;
		wait_for_news(run->slots, run->options->jobs, &run->mask);
		if (asked_to_end)
			return -EINTR;
		look(run);
		tell(run);
	}
	return 0;
}

/* A case before all others, whose verdict is no one's affair: the others will find it out. */
static int
inspect(struct run *run)
{
	static const struct check_facts unknown;
	const struct check_job job = {
		.driver = run->driver,
		.facts = &unknown,
		.timeout_s = run->options->timeout_s,
		.row = &check_inspect,
	};
	struct slot *slot = &run->slots[0];
	int ret = check_process_start(&slot->process, &job, &run->mask);

	while (!ret && slot->process.stage != CHECK_STAGE_ENDED) {
		wait_for_news(slot, 1, &run->mask);
		if (asked_to_end)
			return -EINTR;
		check_process_look(&slot->process, kr_clock_now());
	}
	if (ret)
		return ret;
	check_believe_facts(slot->process.shared, &run->facts);
	kill_strays(run);
	slot->process.stage = CHECK_STAGE_IDLE;
	slot->process.output.size = slot->process.trace.size = 0;
	return 0;
}

static int
run_and_tell(struct run *run, const struct check_driver *shown)
{
	struct check_run_facts facts = {shown, &run->facts, run->options->seed, run->count};
	int ret = inspect(run);

	if (ret)
		return ret;
	for (size_t i = 0; i < run->options->report_count; i++)
		run->options->reports[i]->impl->begin(run->options->reports[i], &facts);
	ret = run_all(run);
	if (ret)
		return ret;
	for (size_t i = 0; i < run->options->report_count; i++)
		run->options->reports[i]->impl->end(run->options->reports[i], &run->totals);
	return 0;
}

static int
run_driver(struct run *run)
{
	struct check_driver shown;
	int ret = check_show_driver(run->driver, &shown) ? run_and_tell(run, &shown) : -ENOMEM;

	check_free_shown(&shown);
	return ret;
}

static void
finish(struct run *run)
{
	for (unsigned i = 0; run->slots && i < run->options->jobs; i++)
		check_process_finish(&run->slots[i].process);
	kr_strays_kill(NULL, 0);
	for (size_t i = 0; run->results && i < run->count; i++)
		free_result(&run->results[i]);
	free(run->slots);
	free(run->results);
	free(run->done);
	free(run->choices);
}

static void
add(struct check_totals *sum, const struct check_totals *totals)
{
	sum->held += totals->held;
	sum->failed += totals->failed;
	sum->not_applicable += totals->not_applicable;
	sum->skipped += totals->skipped;
	sum->remarks += totals->remarks;
}

int
check_run_driver(const struct check_driver *driver, const struct check_run_options *options,
	struct check_totals *totals, int *interrupted)
{
	struct run run = {.driver = driver, .options = options};
	struct signals before;
	int ret = -ENOMEM;

	run.choices = check_choose(options->filters, options->filter_count, &run.count);
	run.results = calloc(run.count + 1, sizeof(*run.results));
	run.done = calloc(run.count + 1, sizeof(*run.done));
	run.slots = calloc(options->jobs, sizeof(*run.slots));
	for (unsigned i = 0; run.slots && i < options->jobs; i++)
		run.slots[i].process.output.fd = run.slots[i].process.trace.fd = -1;
	take_signals(&before);
	kr_strays_adopt();
	run.mask = before.mask;
	if (run.choices && run.results && run.done && run.slots)
		ret = run_driver(&run);
	if (ret == -EINTR)
		*interrupted = asked_to_end;
	finish(&run);
	kr_strays_leave();
	give_signals_back(&before);
	add(totals, &run.totals);
	return ret;
}
