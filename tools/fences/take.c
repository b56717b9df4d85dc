/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at processes: their lists of descriptors, read from /proc, and what can't be seen of them.
 */
#include "tools/fences/take.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/fences/elsewhere.h"
#include "tools/fences/look.h"
#include "tools/fences/process.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/hash.h"
#include "util/text.h"

static int
list_named(struct kr_fences_sample *sample, const pid_t *pids, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct kr_fences_process *process = kr_fences_sample_add_process(sample, pids[i]);

		if (!process)
			return -ENOMEM;
		process->named = true;
	}
	kr_fences_sample_sort(sample);
	for (size_t i = 0; i < count; i++) {
		if (!kept || sample->processes[kept - 1].pid != sample->processes[i].pid)
			sample->processes[kept++] = sample->processes[i];
	}
	sample->process_count = kept;
	return 0;
}

static void
add_part(char *out, size_t room, unsigned count, const char *what)
{
	size_t len = strlen(out);

	if (count)
		snprintf(out + len, room - len, "%s%u %s%s", len ? ", " : "", count, what,
			count == 1 ? "" : "s");
}

/* What is left in the dark when descriptors may not be looked at. */
static int
tell_darkness(const struct kr_fences_look *look)
{
	struct kr_fences_process *process = look->process;
	char what[192] = "", *why;

	add_part(what, sizeof(what), process->opaque_kernel, "kernel fence");
	add_part(what, sizeof(what), process->others[KR_FENCES_BUFFERS], "dma-buf");
	add_part(what, sizeof(what), process->opaque_sockets, "possible fence");
	if (!look->denied ||
		(!what[0] && !process->counts[KR_FENCES_HELD] &&
			!process->counts[KR_FENCES_PRODUCER]))
		return 0;
	why = kr_fences_why_no_look(process->pid, look->denied);
	process->not_seen = why
		? kr_asprintf("%s%ssignalled fences that no window has named%s: %s", what,
			  what[0] ? " and " : "",
			  look->other_network ? " (its network namespace is another)" : "", why)
		: NULL;
	free(why);
	return process->not_seen ? 0 : -ENOMEM;
}

static bool
has_ended(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	return pidfd >= 0 && poll(&p, 1, 0) > 0;
}

/* The counts of a process that was somebody else's number meanwhile, or is no more. */
static void
forget(struct kr_fences_sample *sample, struct kr_fences_process *process, size_t seen_before)
{
	sample->seen_count = seen_before;
	memset(process->counts, 0, sizeof(process->counts));
	memset(process->others, 0, sizeof(process->others));
	process->opaque_kernel = process->opaque_sockets = 0;
	process->inspected = false;
}

static int
inspect(struct kr_fences_sample *sample, const struct kr_sockets *table,
	struct kr_fences_process *process, int pidfd)
{
	struct kr_fences_look look = {.sample = sample,
		.table = table,
		.process = process,
		.pidfd = pidfd,
		.other_network = !kr_fences_same_network(process->pid)};
	size_t before = sample->seen_count;
	int err = kr_fences_look_at_all(&look);

	if (err == -ENOENT)
		return -ESRCH;
	if (err == -ENOMEM)
		return err;
	if (err) {
		process->not_seen = kr_fences_why_no_list(process->pid, err);
		return process->not_seen ? 0 : -ENOMEM;
	}
	process->inspected = true;
	if (has_ended(pidfd)) {
		forget(sample, process, before);
		return -ESRCH;
	}
	return tell_darkness(&look);
}

/* 0, -ESRCH gone, -ENOMEM. Where there are no pidfds, descriptors can't be looked at either. */
static int
sample_process(struct kr_fences_sample *sample, const struct kr_sockets *table,
	struct kr_fences_process *process)
{
	int pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	int err = kr_fences_process_read(process->pid, process);

	if (err == -EACCES) {
		process->not_seen = kr_fences_why_no_list(process->pid, err);
		err = process->not_seen ? 0 : -ENOMEM;
	} else if (!err && process->group != process->pid) {
		process->not_seen = kr_asprintf(
			"it is a thread of process %d, whose descriptors it shares: ask for that",
			(int)process->group);
		err = process->not_seen ? 0 : -ENOMEM;
	} else if (!err && !process->kernel && process->state != 'Z') {
		err = inspect(sample, table, process, pidfd);
	}
	kr_fd_close(&pidfd);
	return err;
}

/* A process that has ended meanwhile is left out, unless somebody asked for it. */
static int
sample_all(struct kr_fences_sample *sample, const struct kr_sockets *table)
{
	size_t kept = 0;
	int worst = 0;

	for (size_t i = 0; i < sample->process_count; i++) {
		struct kr_fences_process *process = &sample->processes[i];
		int err = sample_process(sample, table, process);

		if (err == -ENOMEM) {
			sample->process_count = kept;
			return err;
		}
		if (process->named && err)
			worst = err;
		else if (process->named && !process->inspected && process->state != 'Z' && !worst)
			worst = -EACCES;
		if (!err)
			sample->processes[kept++] = *process;
		else
			free(process->not_seen);
	}
	sample->process_count = kept;
	return worst;
}

static uint64_t
place_of(const struct kr_fences_seen *seen)
{
	return (uint64_t)(uint32_t)seen->pid << 32 | (uint32_t)seen->fd;
}

/*
 * Whether what is at the same place is the same, as far as one can know: its key may be a new one.
 */
static bool
is_same(const struct kr_fences_seen *a, const struct kr_fences_seen *b)
{
	return a->role == b->role && a->about.kind == b->about.kind &&
		a->about.point == b->about.point && !strcmp(a->about.name, b->about.name) &&
		!strcmp(a->about.timeline, b->about.timeline) &&
		(a->about.kind == KR_FENCE_KIND_KERNEL || a->key == b->key);
}

/*
 * How long fences have been seen that don't tell how old they are: without a name,
 * and of the kernel.
 */
static int
carry_ages(struct kr_fences_sample *sample, const struct kr_fences_sample *before)
{
	struct kr_hash places;
	int err = 0;

	if (!before)
		return 0;
	kr_hash_init(&places);
	for (size_t i = 0; !err && i < before->seen_count; i++) {
		if (!before->seen[i].about.created_ns)
			err = kr_hash_put(&places, place_of(&before->seen[i]), &before->seen[i]);
	}
	for (size_t i = 0; !err && i < sample->seen_count; i++) {
		struct kr_fences_seen *seen = &sample->seen[i];
		const struct kr_fences_seen *old;

		if (seen->since_ns)
			continue;
		old = kr_hash_get(&places, place_of(seen));
		seen->since_ns = old && is_same(seen, old)
			? (old->since_ns ? old->since_ns : before->taken_ns)
			: sample->taken_ns;
	}
	kr_hash_finish(&places);
	return err;
}

int
kr_fences_sample_take(struct kr_fences_sample *sample, const pid_t *pids, size_t count,
	const struct kr_fences_sample *before)
{
	struct kr_sockets table = {0};
	int err;

	*sample = (struct kr_fences_sample){.taken_ns = kr_clock_now()};
	err = count ? list_named(sample, pids, count) : kr_fences_process_list(sample, NULL);
	if (!err) {
		/* Without a table each socket is looked at. */
		err = kr_sockets_read(&table);
		if (err != -ENOMEM)
			err = sample_all(sample, &table);
		sample->asked = sample->process_count;
		if (err != -ENOMEM && kr_fences_look_elsewhere(sample, &table, count > 0))
			err = -ENOMEM;
		kr_sockets_finish(&table);
	}
	if (err != -ENOMEM && carry_ages(sample, before))
		err = -ENOMEM;
	if (err == -ENOMEM)
		kr_fences_sample_finish(sample);
	return err;
}
