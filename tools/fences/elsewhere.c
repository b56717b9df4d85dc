/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences are shared. Who else holds those of the processes that were asked for, is looked for among
 * all others: by the sockets' inodes; by comparing for kernel fences, and for sockets of other
 * network namespaces, whose peers aren't known (rows.c leaves out what is no match). And some are
 * in nobody's list: on their way in a message, or with a process that shows none. Of those the
 * table of sockets knows the ones with names.
 */
#include "tools/fences/elsewhere.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/fences/look.h"
#include "tools/fences/names.h"
#include "tools/fences/process.h"
#include "util/fd.h"

static char is_there; /* what inodes are mapped to */

static int
put(struct kr_hash *inodes, uint64_t inode)
{
	return inode ? kr_hash_put(inodes, inode, &is_there) : 0;
}

/* The sockets of these fences: those that were seen, and what they are connected to. */
static int
collect(const struct kr_fences_sample *sample, const struct kr_sockets *table,
	struct kr_hash *inodes, bool with_peers)
{
	int err = 0;

	for (size_t i = 0; !err && i < sample->seen_count; i++) {
		const struct kr_socket *row = kr_sockets_find(table, sample->seen[i].inode);

		err = put(inodes, sample->seen[i].inode);
		if (!err && with_peers && row)
			err = put(inodes, row->peer);
	}
	return err;
}

/* --- who else --- */

/* What inodes don't tell. */
static void
want_more(struct kr_fences_look *look, const struct kr_fences_sample *sample)
{
	for (size_t i = 0; i < sample->seen_count; i++) {
		uint64_t inode = sample->seen[i].inode;

		look->wants_kernel |= sample->seen[i].about.kind == KR_FENCE_KIND_KERNEL;
		look->wants_foreign |= inode && !kr_sockets_find(look->table, inode);
	}
}

/* What can't be seen of others isn't told: nobody has asked for them. */
static int
look_at_other(struct kr_fences_look *look, pid_t pid)
{
	struct kr_fences_process process = {.pid = pid}, *kept;
	int err = 0;

	if (kr_fences_process_read(pid, &process) || process.kernel)
		return 0;
	process.beside = true;
	look->process = &process;
	look->denied = 0;
	look->other_network = !kr_fences_same_network(pid);
	look->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (kr_fences_look_at_all(look) == -ENOMEM)
		err = -ENOMEM;
	kr_fd_close(&look->pidfd);
	if (err || !process.counts[KR_FENCES_HELD] + process.counts[KR_FENCES_PRODUCER])
		return err;
	kept = kr_fences_sample_add_process(look->sample, pid);
	if (!kept)
		return -ENOMEM;
	*kept = process;
	return 0;
}

static int
look_at_others(struct kr_fences_sample *sample, const struct kr_sockets *table)
{
	struct kr_fences_sample others = {0};
	struct kr_hash wanted;
	struct kr_fences_look look = {.sample = sample, .table = table, .wanted = &wanted};
	int err;

	want_more(&look, sample);
	kr_hash_init(&wanted);
	err = collect(sample, table, &wanted, true);
	/* Without /proc there was nothing before. */
	if (!err && sample->seen_count && kr_fences_process_list(&others, sample) == -ENOMEM)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < others.process_count; i++)
		err = look_at_other(&look, others.processes[i].pid);
	kr_hash_finish(&wanted);
	kr_fences_sample_finish(&others);
	kr_fences_sample_sort(sample);
	return err;
}

/* --- in nobody's list --- */

/* By its own name, whoever that comes from. */
static bool
belongs_to_hidden(const struct kr_fences_sample *sample, const struct kr_socket *row)
{
	const struct kr_fences_process *process;
	struct kr_sync_name name;

	if (!kr_fences_name_of(row, KR_SYNC_NAME_FENCE, &name) &&
		!kr_fences_name_of(row, KR_SYNC_NAME_RENAME, &name))
		return false;
	process = kr_fences_sample_find(sample, name.pid);
	return process && process->named && !process->inspected;
}

/* What was closed while processes were looked at isn't in a table that is read afterwards. */
static int
add_if_still_there(struct kr_fences_sample *sample, const struct kr_sockets *table,
	struct kr_sockets *after, const struct kr_socket *row)
{
	struct kr_fences_process nobody = {0};

	if (!after->count && kr_sockets_read(after) == -ENOMEM)
		return -ENOMEM;
	if (!kr_sockets_find(after, row->inode))
		return 0;
	return KR_MIN(kr_fences_add_named(sample, table, &nobody, -1, row), 0);
}

static int
look_at_table(struct kr_fences_sample *sample, const struct kr_sockets *table, bool named)
{
	struct kr_sockets after = {0};
	struct kr_hash seen;
	int err;

	kr_hash_init(&seen);
	err = collect(sample, table, &seen, false);
	for (size_t i = 0; !err && i < table->count; i++) {
		const struct kr_socket *row = &table->sockets[i];

		if (!row->name_len || kr_hash_get(&seen, row->inode))
			continue;
		if (!named || belongs_to_hidden(sample, row))
			err = add_if_still_there(sample, table, &after, row);
	}
	kr_sockets_finish(&after);
	kr_hash_finish(&seen);
	return err;
}

int
kr_fences_look_elsewhere(
	struct kr_fences_sample *sample, const struct kr_sockets *table, bool named)
{
	int err = named ? look_at_others(sample, table) : 0;

	return err ? err : look_at_table(sample, table, named);
}
