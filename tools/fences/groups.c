/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts descriptors that are alike: of one process, of fences of one timeline in the same state. A
 * leak shows as such a number. That of descriptors of other kinds is counted too, of processes with
 * fences: what leaks with each frame need not be a fence.
 */
#include "tools/fences/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static int
compare_groups(const void *left, const void *right)
{
	const struct kr_fences_group *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return strcmp(a->timeline, b->timeline);
}

static struct kr_fences_group *
add(struct kr_fences_groups *groups)
{
	return kr_array_add(
		&groups->groups, &groups->count, &groups->room, sizeof(*groups->groups));
}

/* What is inside a buffer is no descriptor, nor is what the table alone tells of. */
static int
add_fences(
	struct kr_fences_groups *groups, const struct kr_fences_sample *sample, int64_t budget_ns)
{
	for (size_t i = 0; i < sample->seen_count; i++) {
		const struct kr_fences_seen *seen = &sample->seen[i];
		struct kr_fences_group *group;

		if (seen->role == KR_FENCES_BUFFER || seen->beside || !seen->pid)
			continue;
		group = add(groups);
		if (!group)
			return -ENOMEM;
		group->pid = seen->pid;
		group->owner = seen->about.owner;
		group->class = seen->role == KR_FENCES_PRODUCER ? KR_FENCES_ENDS
			: seen->about.status == KR_FENCE_ACTIVE ? KR_FENCES_ACTIVE
								: KR_FENCES_DONE;
		memcpy(group->timeline, seen->about.timeline, sizeof(group->timeline));
		group->counts[0] = 1;
		group->old = kr_fences_age(seen, sample) > budget_ns;
	}
	return 0;
}

static int
add_others(struct kr_fences_groups *groups, const struct kr_fences_sample *sample)
{
	for (size_t i = 0; i < sample->process_count; i++) {
		const struct kr_fences_process *process = &sample->processes[i];
		bool has_fences = process->counts[KR_FENCES_HELD] ||
			process->counts[KR_FENCES_PRODUCER] || process->counts[KR_FENCES_BUFFER];

		if (process->beside || (!has_fences && !process->named))
			continue;
		for (int kind = 0; kind < KR_FENCES_KINDS; kind++) {
			struct kr_fences_group *group = add(groups);

			if (!group)
				return -ENOMEM;
			group->pid = process->pid;
			group->class = KR_FENCES_OTHER;
			group->kind = (enum kr_fences_kind)kind;
			group->counts[0] = process->others[kind];
		}
	}
	return 0;
}

static void
join_equal(struct kr_fences_groups *groups)
{
	size_t kept = 0;

	if (groups->count)
		qsort(groups->groups, groups->count, sizeof(*groups->groups), compare_groups);
	for (size_t i = 0; i < groups->count; i++) {
		struct kr_fences_group *last = kept ? &groups->groups[kept - 1] : NULL;

		if (last && !compare_groups(last, &groups->groups[i])) {
			last->counts[0] += groups->groups[i].counts[0];
			last->old += groups->groups[i].old;
		} else {
			groups->groups[kept++] = groups->groups[i];
		}
	}
	groups->count = kept;
}

/* What wasn't there before were none: of a process that was looked at. */
static void
take_history(struct kr_fences_groups *groups, const struct kr_fences_groups *before)
{
	for (size_t i = 0; i < groups->count; i++) {
		struct kr_fences_group *group = &groups->groups[i];
		const struct kr_fences_group *old = before->count
			? bsearch(group, before->groups, before->count, sizeof(*group),
				  compare_groups)
			: NULL;

		if (!old)
			continue;
		memcpy(group->counts + 1, old->counts,
			sizeof(group->counts) - sizeof(group->counts[0]));
		memcpy(group->times + 1, old->times,
			sizeof(group->times) - sizeof(group->times[0]));
	}
}

int
kr_fences_groups_make(struct kr_fences_groups *groups, const struct kr_fences_sample *sample,
	int64_t budget_ns, const struct kr_fences_groups *before)
{
	int err;

	*groups = (struct kr_fences_groups){0};
	err = add_fences(groups, sample, budget_ns);
	if (!err)
		err = add_others(groups, sample);
	if (err) {
		kr_fences_groups_finish(groups);
		return err;
	}
	join_equal(groups);
	for (size_t i = 0; i < groups->count; i++)
		groups->groups[i].times[0] = sample->taken_ns;
	if (before)
		take_history(groups, before);
	return 0;
}

void
kr_fences_groups_finish(struct kr_fences_groups *groups)
{
	free(groups->groups);
	*groups = (struct kr_fences_groups){0};
}