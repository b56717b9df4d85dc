/* SPDX-License-Identifier: Apache-2.0 */
/* The table for people, and behind it what is wrong and what could not be seen. */
#include "tools/fences/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fences/process.h"
#include "tools/fences/screen.h"
#include "util/clock.h"

#define COLUMNS      8
#define CELL         160
#define MAX_HOLDERS  4
#define MAX_FINDINGS 20 /* late fences shown; they may be thousands */
#define MAX_ALIKE    8  /* rows of one timeline in one state, of one process */
#define MAX_UNSEEN   5  /* processes that are named for one reason */

struct line {
	char cells[COLUMNS][CELL];
};

static const char *const titles[COLUMNS] = {
	"FENCE", "TIMELINE", "POINT", "BACKEND", "STATUS", "AGE", "OWNER", "HELD BY"};
static const bool right_aligned[COLUMNS] = {[2] = true};

static void
write_status(char out[CELL], int32_t status)
{
	if (status == KR_FENCE_ACTIVE)
		snprintf(out, CELL, "active");
	else if (status == KR_FENCE_SIGNALLED)
		snprintf(out, CELL, "signalled");
	else
		snprintf(out, CELL, "failed: %s", strerror(-status));
}

static void
write_age(char out[CELL], const struct kr_fences_row *row)
{
	long long tenths = row->age_ns / (KR_NSEC_PER_SEC / 10);

	if (row->age_ns < 0)
		snprintf(out, CELL, "?");
	else
		snprintf(
			out, CELL, "%lld.%lld s%s", tenths / 10, tenths % 10, row->late ? "!" : "");
}

static void
write_process(char *out, size_t room, const struct kr_fences_sample *sample, pid_t pid)
{
	struct kr_fences_process process;

	kr_fences_process_find(sample, pid, &process);
	snprintf(out, room, "%d %s", (int)pid, process.state ? process.command : "(gone)");
}

/*
 * "4711 cube (2)", "4711 cube in NAME"; of producers, and without a process, nothing. Returns how
 * many elements it is about.
 */
static size_t
write_holder(char out[CELL], const struct kr_fences_sample *sample, size_t at, size_t end)
{
	const struct kr_fences_seen *seen = &sample->seen[at];
	char process[64], detail[64] = "";
	size_t count = 1;

	while (at + count < end && seen[count].pid == seen->pid && seen[count].role == seen->role)
		count++;
	out[0] = '\0';
	if (seen->role == KR_FENCES_PRODUCER || !seen->pid)
		return count;
	write_process(process, sizeof(process), sample, seen->pid);
	if (seen->role == KR_FENCES_BUFFER)
		snprintf(detail, sizeof(detail), " in %s",
			seen->buffer[0] ? seen->buffer : "a dma-buf");
	else if (count > 1)
		snprintf(detail, sizeof(detail), " (%zu)", count);
	snprintf(out, CELL, "%s%s", process, detail);
	return count;
}

static void
write_holders(
	char out[CELL], const struct kr_fences_sample *sample, const struct kr_fences_row *row)
{
	size_t end = row->first + row->count, shown = 0, more = 0, len = 0;
	char one[CELL];

	snprintf(out, CELL, "%s", row->elsewhere ? "elsewhere" : "nobody");
	for (size_t i = row->first; i < end;) {
		i += write_holder(one, sample, i, end);
		if (!one[0])
			continue;
		if (shown == MAX_HOLDERS || len + strlen(one) + 16 > CELL) {
			more++;
			continue;
		}
		len += (size_t)snprintf(out + len, CELL - len, "%s%s", shown++ ? ", " : "", one);
	}
	if (more)
		snprintf(out + len, CELL - len, ", %zu more", more);
}

static void
fill_line(struct line *line, const struct kr_fences_sample *sample, const struct kr_fences_row *row)
{
	const struct kr_fence_description *about = &row->best->about;
	bool kernel = about->kind == KR_FENCE_KIND_KERNEL;

	snprintf(line->cells[0], CELL, "%s", about->name[0] ? about->name : "?");
	snprintf(line->cells[1], CELL, "%s", about->timeline[0] ? about->timeline : "?");
	if (about->points > 1)
		snprintf(line->cells[2], CELL, "%u points", about->points);
	else if (about->point)
		snprintf(line->cells[2], CELL, "%llu", (unsigned long long)about->point);
	else
		snprintf(line->cells[2], CELL, "?");
	snprintf(line->cells[3], CELL, "%s%s", kernel ? "kernel " : "user",
		kernel ? about->driver : "");
	write_status(line->cells[4], about->status);
	write_age(line->cells[5], row);
	if (about->owner)
		write_process(line->cells[6], CELL, sample, about->owner);
	else
		snprintf(line->cells[6], CELL, "?");
	write_holders(line->cells[7], sample, row);
}

static void
print_line(FILE *out, const struct line *line, const size_t widths[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		int pad = (int)(widths[i] - kr_screen_width(line->cells[i]));
		int left = right_aligned[i] ? pad : 0, right = i == COLUMNS - 1 ? 0 : pad - left;

		fprintf(out, "%s%*s%s%*s", i ? "  " : "", left, "", line->cells[i], right, "");
	}
	fputc('\n', out);
}

static bool
is_alike(const struct kr_fences_seen *a, const struct kr_fences_seen *b)
{
	return a->pid == b->pid && a->role == b->role && a->about.owner == b->about.owner &&
		a->about.status == b->about.status && !strcmp(a->about.timeline, b->about.timeline);
}

/* A leak is many rows of which the first say all. `kept` has room for max_rows. */
static size_t
choose_rows(const struct kr_fences_rows *rows, const struct kr_fences_row **kept, size_t max_rows)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count && count < max_rows; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < count && alike < MAX_ALIKE; k++)
			alike += is_alike(kept[k]->best, rows->rows[i].best);
		if (alike < MAX_ALIKE)
			kept[count++] = &rows->rows[i];
	}
	return count;
}

static void
print_lines(FILE *out, const struct line *lines, size_t count)
{
	size_t widths[COLUMNS] = {0};

	for (size_t i = 0; i < count; i++) {
		for (int k = 0; k < COLUMNS; k++)
			widths[k] = KR_MAX(widths[k], kr_screen_width(lines[i].cells[k]));
	}
	for (size_t i = 0; i < count; i++)
		print_line(out, &lines[i], widths);
}

static void
print_table(FILE *out, const struct kr_fences_report *report, size_t max_rows)
{
	const struct kr_fences_row **kept = calloc(max_rows, sizeof(const struct kr_fences_row *));
	struct line *lines = calloc(max_rows + 1, sizeof(*lines));
	size_t count = 0;

	if (kept && lines)
		count = choose_rows(report->rows, kept, max_rows);
	for (int i = 0; count && i < COLUMNS; i++)
		snprintf(lines[0].cells[i], CELL, "%s", titles[i]);
	for (size_t i = 0; i < count; i++)
		fill_line(&lines[i + 1], report->sample, kept[i]);
	if (count)
		print_lines(out, lines, count + 1);
	if (count < report->rows->count)
		fprintf(out, "... and %zu more (all of them: --json)\n",
			report->rows->count - count);
	free(lines);
	free(kept);
}

static void
print_findings(FILE *out, const struct kr_fences_findings *findings)
{
	size_t shown = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct kr_fences_finding *finding = &findings->findings[i];

		if (shown++ < MAX_FINDINGS)
			fprintf(out, "%s: %s\n", finding->leak ? "leak" : "late", finding->text);
	}
	if (shown > MAX_FINDINGS)
		fprintf(out, "... and %zu more findings\n", shown - MAX_FINDINGS);
}

/* Processes with the same reason are one line, which is printed for the first of them. */
static void
print_unseen(FILE *out, const struct kr_fences_sample *sample, size_t index)
{
	const struct kr_fences_process *first = &sample->processes[index];
	size_t count = 0;

	for (size_t i = 0; i < index; i++) {
		if (sample->processes[i].not_seen &&
			!strcmp(sample->processes[i].not_seen, first->not_seen))
			return;
	}
	fputs("not seen: process ", out);
	for (size_t i = index; i < sample->process_count; i++) {
		const struct kr_fences_process *process = &sample->processes[i];

		if (!process->not_seen || strcmp(process->not_seen, first->not_seen) != 0)
			continue;
		if (count++ < MAX_UNSEEN)
			fprintf(out, "%s%d%s%s%s", count > 1 ? ", " : "", (int)process->pid,
				process->command[0] ? " (" : "", process->command,
				process->command[0] ? ")" : "");
	}
	if (count > MAX_UNSEEN)
		fprintf(out, " and %zu more", count - MAX_UNSEEN);
	fprintf(out, ": %s\n", first->not_seen);
}

static size_t
count_inspected(const struct kr_fences_sample *sample)
{
	size_t count = 0;

	for (size_t i = 0; i < sample->process_count; i++)
		count += sample->processes[i].inspected && !sample->processes[i].beside;
	return count;
}

void
kr_fences_print(FILE *out, const struct kr_fences_report *report, size_t max_rows)
{
	const struct kr_fences_rows *rows = report->rows;
	size_t inspected = count_inspected(report->sample);

	if (rows->count)
		print_table(out, report, max_rows);
	if (rows->count)
		fprintf(out, "%zu fence%s, %zu active", rows->count, rows->count == 1 ? "" : "s",
			rows->active);
	else
		fprintf(out, "no fences");
	fprintf(out, "; %zu process%s looked at\n", inspected, inspected == 1 ? "" : "es");
	print_findings(out, report->findings);
	for (size_t i = 0; i < report->sample->process_count; i++) {
		if (report->sample->processes[i].not_seen)
			print_unseen(out, report->sample, i);
	}
}
