/* SPDX-License-Identifier: Apache-2.0 */
/* Whether results hold the level of a must-pass list: see deqp.h. */
#include "tools/features/deqp/deqp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/features/request.h"
#include "util/clock.h"

#define PROGRESS_NS 250000000

struct judge {
	struct kr_flags_deqp *deqp;
	bool shows_progress;
	int64_t shown_ns;
	const char *path;
};

static void
take_result(void *data, const char *name, enum kr_flags_verdict verdict)
{
	struct judge *judge = data;
	struct kr_flags_case *found = kr_flags_cases_find(&judge->deqp->cases, name, strlen(name));

	if (!found)
		judge->deqp->others++;
	else if (found->verdict == KR_FLAGS_MISSING)
		found->verdict = verdict;
	else if (found->verdict != verdict)
		found->verdict = KR_FLAGS_CONTRADICTED;
}

static void
show_progress(void *data, uint64_t done, uint64_t size)
{
	struct judge *judge = data;
	const int64_t now = kr_clock_now();

	if (now - judge->shown_ns < PROGRESS_NS)
		return;
	judge->shown_ns = now;
	fprintf(stderr, "\r\033[K%s: %llu of %llu MiB", judge->path,
		(unsigned long long)(done >> 20), (unsigned long long)(size >> 20));
}

static void
count(struct kr_flags_deqp *deqp)
{
	for (size_t i = 0; i < deqp->cases.count; i++) {
		const enum kr_flags_verdict verdict = deqp->cases.cases[i].verdict;

		deqp->counts[verdict]++;
		if (verdict > KR_FLAGS_WAIVER)
			deqp->refusing++;
	}
	for (size_t i = 0; i < deqp->file_count; i++)
		deqp->unended += deqp->files[i].facts.unended;
	deqp->holds = !deqp->refusing && !deqp->unended;
}

int
kr_flags_deqp_judge(struct kr_flags_deqp *deqp, const struct kr_flags_paths *results,
	const char *list, char why[KR_FLAGS_WHY])
{
	struct judge judge = {.deqp = deqp, .shows_progress = isatty(STDERR_FILENO) == 1};
	const struct kr_flags_log_sink sink = {
		.result = take_result,
		.progress = judge.shows_progress ? show_progress : NULL,
		.data = &judge,
	};
	int err;

	*deqp = (struct kr_flags_deqp){0};
	err = kr_flags_list_level(list, &deqp->level, why);
	if (!err)
		err = kr_flags_cases_read(&deqp->cases, list, why);
	if (err < 0)
		return err;
	deqp->files = calloc(results->count ? results->count : 1, sizeof(*deqp->files));
	if (!deqp->files) {
		snprintf(why, KR_FLAGS_WHY, "there is no memory for the results");
		return -ENOMEM;
	}
	for (; !err && deqp->file_count < results->count; deqp->file_count++) {
		struct kr_flags_deqp_file *file = &deqp->files[deqp->file_count];

		judge.path = file->path = results->paths[deqp->file_count];
		err = kr_flags_log_read(file->path, &sink, &file->facts, why);
	}
	if (judge.shown_ns)
		fputs("\r\033[K", stderr);
	if (!err)
		count(deqp);
	return err;
}

void
kr_flags_deqp_finish(struct kr_flags_deqp *deqp)
{
	kr_flags_cases_finish(&deqp->cases);
	free(deqp->files);
	deqp->files = NULL;
}
