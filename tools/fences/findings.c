/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong: fences that are late, and descriptors that leak.
 *
 * A leak is seen by two signs. One is a number that no program needs: each frame has a handful of
 * fences, and they are closed when their buffer comes round again. The other is a number that only
 * grows. The first needs one look, the second several.
 */
#include "tools/fences/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/fences/process.h"
#include "util/array.h"
#include "util/clock.h"

#define MANY     32 /* descriptors of one timeline; 60 frames leak more */
#define MANY_OLD 8  /* that have signalled, older than the budget */
#define STEPS    3  /* looks in which it grew */
#define GROWTH   8  /* and by how much in all */

static struct kr_fences_finding *
add(struct kr_fences_findings *all)
{
	return kr_array_add(&all->findings, &all->count, &all->room, sizeof(*all->findings));
}

/* FNV-1a. */
static uint64_t
hash(uint64_t value, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	if (!value)
		value = 0xcbf29ce484222325u;
	for (size_t i = 0; i < size; i++)
		value = (value ^ bytes[i]) * 0x100000001b3u;
	return value;
}

static void
write_late(struct kr_fences_finding *finding, const struct kr_fences_sample *sample)
{
	const struct kr_fence_description *about = &finding->row->best->about;
	int64_t tenths = finding->row->age_ns / (KR_NSEC_PER_SEC / 10);
	struct kr_fences_process owner;
	char sentence[KR_FENCE_SENTENCE], what[96] = "", more[40] = "";

	kr_fence_sentence(about, sentence);
	if (finding->fences > 1)
		snprintf(more, sizeof(more), ", nor have %u younger ones", finding->fences - 1);
	kr_fences_process_find(sample, about->owner, &owner);
	if (about->owner && owner.state)
		snprintf(what, sizeof(what), "; process %d (%s) is %s", (int)about->owner,
			owner.command[0] ? owner.command : "?", kr_fences_state(owner.state));
	else if (about->owner)
		snprintf(what, sizeof(what),
			"; process %d is gone, but something holds the end that signals",
			(int)about->owner);
	snprintf(finding->text, sizeof(finding->text), "%s has not signalled for %lld.%lld s%s%s",
		sentence, (long long)(tenths / 10), (long long)(tenths % 10), more, what);
}

/* The finding that is about fences of the same owner and timeline, or NULL. */
static struct kr_fences_finding *
find_alike(const struct kr_fences_findings *all, const struct kr_fence_description *about)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct kr_fences_row *row = all->findings[i].row;

		if (row && row->best->about.owner == about->owner &&
			row->best->about.kind == about->kind &&
			!strcmp(row->best->about.timeline, about->timeline) &&
			!strcmp(row->best->about.driver, about->driver))
			return &all->findings[i];
	}
	return NULL;
}

/* A kernel fence's key is a new one in each sample. */
static uint64_t
identity_of_fence(const struct kr_fences_seen *seen)
{
	if (seen->about.kind == KR_FENCE_KIND_USER)
		return hash(0, &seen->key, sizeof(seen->key));
	return hash(hash(0, &seen->pid, sizeof(seen->pid)), &seen->fd, sizeof(seen->fd));
}

/* The oldest comes first, and stands for those that are alike. */
static int
find_late(struct kr_fences_findings *all, const struct kr_fences_sample *sample,
	const struct kr_fences_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct kr_fences_row *row = &rows->rows[i];
		struct kr_fences_finding *finding;

		if (!row->late)
			continue;
		finding = find_alike(all, &row->best->about);
		if (!finding) {
			finding = add(all);
			if (!finding)
				return -ENOMEM;
			finding->pid = row->best->about.owner;
			finding->identity = identity_of_fence(row->best);
			finding->row = row;
		}
		finding->fences++;
	}
	for (size_t i = 0; i < all->count; i++) {
		if (all->findings[i].row)
			write_late(&all->findings[i], sample);
	}
	return 0;
}

/* By how much it has grown without ever shrinking; 0 when it hasn't, or not long enough. */
static uint32_t
growth_of(const struct kr_fences_group *group)
{
	unsigned steps = 0;

	for (int i = 0; i + 1 < KR_FENCES_HISTORY; i++) {
		if (!group->times[i + 1] || group->counts[i] < group->counts[i + 1])
			return 0;
		steps += group->counts[i] > group->counts[i + 1];
	}
	if (steps < STEPS || group->counts[0] < group->counts[KR_FENCES_HISTORY - 1] + GROWTH)
		return 0;
	return group->counts[0] - group->counts[KR_FENCES_HISTORY - 1];
}

static bool
is_many(const struct kr_fences_group *group)
{
	if (group->class == KR_FENCES_OTHER)
		return false;
	return group->counts[0] >= MANY ||
		(group->class == KR_FENCES_DONE && group->old >= MANY_OLD);
}

static const char *
words_of(const struct kr_fences_group *group)
{
	static const char *const classes[] = {
		[KR_FENCES_ACTIVE] = "descriptors of active fences",
		[KR_FENCES_DONE] = "descriptors of signalled fences",
		[KR_FENCES_ENDS] = "ends that should signal fences",
	};
	static const char *const kinds[] = {
		[KR_FENCES_SOCKETS] = "sockets",
		[KR_FENCES_PIPES] = "pipes",
		[KR_FENCES_EVENTFDS] = "eventfds",
		[KR_FENCES_BUFFERS] = "dma-bufs",
		[KR_FENCES_MEMFDS] = "memfds",
		[KR_FENCES_OTHERS] = "files and other descriptors",
	};

	return group->class == KR_FENCES_OTHER ? kinds[group->kind] : classes[group->class];
}

static void
write_leak(struct kr_fences_finding *finding, const struct kr_fences_group *group,
	const struct kr_fences_sample *sample)
{
	struct kr_fences_process process;
	char timeline[64] = "", grown[64] = "";

	kr_fences_process_find(sample, group->pid, &process);
	if (group->timeline[0])
		snprintf(timeline, sizeof(timeline), " of timeline %s", group->timeline);
	else if (group->class != KR_FENCES_OTHER)
		snprintf(timeline, sizeof(timeline), " without a name");
	if (finding->grown) {
		int64_t tenths = (group->times[0] - group->times[KR_FENCES_HISTORY - 1]) /
			(KR_NSEC_PER_SEC / 10);

		snprintf(grown, sizeof(grown), ", %u more than %lld.%lld s before", finding->grown,
			(long long)(tenths / 10), (long long)(tenths % 10));
	}
	snprintf(finding->text, sizeof(finding->text), "process %d (%s) has %u %s%s%s",
		(int)group->pid, process.command, group->counts[0], words_of(group), timeline,
		grown);
}

static uint64_t
identity_of(const struct kr_fences_group *group)
{
	uint64_t value = hash(0, &group->pid, sizeof(group->pid));

	value = hash(value, &group->class, sizeof(group->class));
	value = hash(value, &group->kind, sizeof(group->kind));
	value = hash(value, &group->owner, sizeof(group->owner));
	return hash(value, group->timeline, strlen(group->timeline));
}

static int
find_leaks(struct kr_fences_findings *all, const struct kr_fences_sample *sample,
	const struct kr_fences_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct kr_fences_group *group = &groups->groups[i];
		uint32_t grown = growth_of(group);
		struct kr_fences_finding *finding;

		if (!grown && !is_many(group))
			continue;
		finding = add(all);
		if (!finding)
			return -ENOMEM;
		finding->leak = true;
		finding->pid = group->pid;
		finding->identity = identity_of(group);
		finding->group = group;
		finding->grown = grown;
		write_leak(finding, group, sample);
	}
	return 0;
}

int
kr_fences_findings_make(struct kr_fences_findings *findings, const struct kr_fences_sample *sample,
	const struct kr_fences_rows *rows, const struct kr_fences_groups *groups)
{
	int err;

	*findings = (struct kr_fences_findings){0};
	err = find_leaks(findings, sample, groups);
	if (!err)
		err = find_late(findings, sample, rows);
	if (err)
		kr_fences_findings_finish(findings);
	return err;
}

void
kr_fences_findings_finish(struct kr_fences_findings *findings)
{
	free(findings->findings);
	*findings = (struct kr_fences_findings){0};
}
