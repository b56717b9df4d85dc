/* SPDX-License-Identifier: Apache-2.0 */
/* The lists that a sample is made of. */
#include "tools/fences/sample.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

int
kr_fences_sample_add(struct kr_fences_sample *sample, struct kr_fences_process *process,
	const struct kr_fences_seen *seen)
{
	struct kr_fences_seen *added = kr_array_add(
		&sample->seen, &sample->seen_count, &sample->seen_room, sizeof(*sample->seen));

	if (!added)
		return -ENOMEM;
	*added = *seen;
	added->pid = process->pid;
	added->since_ns = seen->about.created_ns;
	added->beside = process->beside;
	process->counts[seen->role]++;
	return 0;
}

struct kr_fences_process *
kr_fences_sample_add_process(struct kr_fences_sample *sample, pid_t pid)
{
	struct kr_fences_process *process = kr_array_add(&sample->processes, &sample->process_count,
		&sample->process_room, sizeof(*sample->processes));

	if (process)
		process->pid = pid;
	return process;
}

static int
compare_pids(const void *a, const void *b)
{
	pid_t left = ((const struct kr_fences_process *)a)->pid;
	pid_t right = ((const struct kr_fences_process *)b)->pid;

	return (left > right) - (left < right);
}

void
kr_fences_sample_sort(struct kr_fences_sample *sample)
{
	if (sample->process_count)
		qsort(sample->processes, sample->process_count, sizeof(*sample->processes),
			compare_pids);
}

void
kr_fences_sample_finish(struct kr_fences_sample *sample)
{
	for (size_t i = 0; i < sample->process_count; i++)
		free(sample->processes[i].not_seen);
	free(sample->processes);
	free(sample->seen);
	*sample = (struct kr_fences_sample){0};
}

const struct kr_fences_process *
kr_fences_sample_find(const struct kr_fences_sample *sample, pid_t pid)
{
	const struct kr_fences_process key = {.pid = pid};

	if (!sample->process_count)
		return NULL;
	return bsearch(&key, sample->processes, sample->process_count, sizeof(key), compare_pids);
}
