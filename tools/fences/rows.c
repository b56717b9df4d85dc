/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the descriptors of one fence together. A user-space fence is known by its socket's inode.
 * All sync_files share an inode: whether two descriptors are the same one is asked of kcmp(2),
 * which also orders them; where it isn't to be had, each descriptor is a fence.
 */
#include "tools/fences/rows.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0 the same, else their order in the kernel's eyes, or by place when it doesn't tell. */
static int
compare_files(const struct kr_fences_seen *a, const struct kr_fences_seen *b)
{
	long order = syscall(SYS_kcmp, a->pid, b->pid, KCMP_FILE, a->fd, b->fd);

	if (order == 0)
		return 0;
	if (order == 1 || order == 2)
		return order == 1 ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->fd > b->fd) - (a->fd < b->fd);
}

static int
compare_place(const struct kr_fences_seen *a, const struct kr_fences_seen *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	return (a->fd > b->fd) - (a->fd < b->fd);
}

static bool
is_sync_file(const struct kr_fences_seen *seen)
{
	return seen->about.kind == KR_FENCE_KIND_KERNEL && seen->role == KR_FENCES_HELD;
}

static int
compare_kernel(const void *left, const void *right)
{
	const struct kr_fences_seen *a = left, *b = right;

	if (is_sync_file(a) != is_sync_file(b))
		return is_sync_file(a) ? -1 : 1;
	if (is_sync_file(a))
		return compare_files(a, b);
	return (a->key > b->key) - (a->key < b->key);
}

static int
compare_keys(const void *left, const void *right)
{
	const struct kr_fences_seen *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return compare_place(a, b);
}

/* sync_files get the key of the first that is the same. */
static void
order_seen(struct kr_fences_sample *sample)
{
	struct kr_fences_seen *seen = sample->seen;

	if (!sample->seen_count)
		return;
	qsort(seen, sample->seen_count, sizeof(*seen), compare_kernel);
	for (size_t i = 1; i < sample->seen_count && is_sync_file(&seen[i]); i++) {
		if (!compare_files(&seen[i - 1], &seen[i]))
			seen[i].key = seen[i - 1].key;
	}
	qsort(seen, sample->seen_count, sizeof(*seen), compare_keys);
}

/* The fence itself tells more than the end that signals it: a newer name, its status. */
static const struct kr_fences_seen *
better(const struct kr_fences_seen *a, const struct kr_fences_seen *b)
{
	if ((a->role == KR_FENCES_PRODUCER) != (b->role == KR_FENCES_PRODUCER))
		return a->role == KR_FENCES_PRODUCER ? b : a;
	return a->since_ns && (!b->since_ns || a->since_ns <= b->since_ns) ? a : b;
}

/* The shown order: active ones first, late before others, older before younger. */
static int
compare_rows(const void *left, const void *right)
{
	const struct kr_fences_row *a = left, *b = right;
	bool a_active = a->best->about.status == KR_FENCE_ACTIVE;
	bool b_active = b->best->about.status == KR_FENCE_ACTIVE;

	if (a_active != b_active)
		return a_active ? -1 : 1;
	if (a->age_ns != b->age_ns)
		return a->age_ns > b->age_ns ? -1 : 1;
	if (strcmp(a->best->about.name, b->best->about.name) != 0)
		return strcmp(a->best->about.name, b->best->about.name);
	return a->first < b->first ? -1 : 1;
}

/* The owner, when the fence itself doesn't tell: who has the end that signals. */
static void
take_owner(const struct kr_fences_row *row, struct kr_fences_sample *sample)
{
	pid_t *owner = &sample->seen[row->best - sample->seen].about.owner;

	for (size_t i = row->first; !*owner && i < row->first + row->count; i++) {
		if (sample->seen[i].role == KR_FENCES_PRODUCER)
			*owner = sample->seen[i].about.owner;
	}
}

static void
finish_row(struct kr_fences_row *row, const struct kr_fences_sample *sample, int64_t budget_ns)
{
	bool alone = false;

	for (size_t i = row->first; i < row->first + row->count; i++) {
		const struct kr_fences_seen *seen = &sample->seen[i];

		row->held |= seen->pid && seen->role != KR_FENCES_PRODUCER;
		alone |= seen->alone;
	}
	row->elsewhere = !row->held && !alone;
	row->age_ns = kr_fences_age(row->best, sample);
	row->late = row->best->about.status == KR_FENCE_ACTIVE && row->age_ns > budget_ns;
}

/* Whether a process has it that was asked for, or none was that could be looked at. */
static bool
is_asked_for(const struct kr_fences_row *row, const struct kr_fences_sample *sample)
{
	for (size_t i = row->first; i < row->first + row->count; i++) {
		if (!sample->seen[i].beside)
			return true;
	}
	return false;
}

static void
finish_rows(struct kr_fences_rows *rows, struct kr_fences_sample *sample, int64_t budget_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (is_asked_for(&rows->rows[i], sample))
			rows->rows[kept++] = rows->rows[i];
	}
	rows->count = kept;
	for (size_t i = 0; i < rows->count; i++) {
		take_owner(&rows->rows[i], sample);
		finish_row(&rows->rows[i], sample, budget_ns);
		rows->active += rows->rows[i].best->about.status == KR_FENCE_ACTIVE;
	}
}

int
kr_fences_rows_make(struct kr_fences_rows *rows, struct kr_fences_sample *sample, int64_t budget_ns)
{
	*rows = (struct kr_fences_rows){0};
	order_seen(sample);
	rows->rows = calloc(sample->seen_count + 1, sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < sample->seen_count; i++) {
		const struct kr_fences_seen *seen = &sample->seen[i];
		struct kr_fences_row *row = &rows->rows[rows->count];

		if (!i || seen->key != seen[-1].key) {
			*row = (struct kr_fences_row){.first = i, .best = seen};
			rows->count++;
		} else {
			row--;
		}
		row->count++;
		row->best = better(row->best, seen);
	}
	finish_rows(rows, sample, budget_ns);
	qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_rows);
	return 0;
}

void
kr_fences_rows_finish(struct kr_fences_rows *rows)
{
	free(rows->rows);
	*rows = (struct kr_fences_rows){0};
}
