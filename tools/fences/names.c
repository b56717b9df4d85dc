/* SPDX-License-Identifier: Apache-2.0 */
/* Fences by the names of their sockets: what these tell, where the socket itself can't be asked. */
#include "tools/fences/names.h"

#include <errno.h>

#include "sync/fence/user_fence.h"
#include "util/clock.h"

/*
 * A user-space fence is known by its socket's inode. Where the table doesn't tell the peer of a
 * socket, which is younger than the table or of another network namespace, it is known by its
 * producer end's name, which both ends tell.
 */
#define KEY_NAME (UINT64_C(1) << 62)

void
kr_fences_describe_names(const struct kr_sync_name *point, const struct kr_sync_name *newer,
	struct kr_fence_description *about)
{
	*about = (struct kr_fence_description){.kind = KR_FENCE_KIND_USER, .points = 1};
	kr_sync_text_copy(about->driver, "krafla");
	if (point) {
		kr_sync_text_copy(about->timeline, point->timeline);
		about->point = point->seqno;
		about->owner = point->pid;
		about->created_ns = point->created_ns <= kr_clock_now() ? point->created_ns : 0;
	}
	if (newer || point)
		kr_sync_text_copy(about->name, newer ? newer->name : point->name);
}

uint64_t
kr_fences_key_of_name(const struct kr_sync_name *name)
{
	uint64_t key = (uint64_t)name->pid << 32 ^ name->counter ^ (uint64_t)name->created_ns << 8;

	return KEY_NAME | (key & (KEY_NAME - 1));
}

uint64_t
kr_fences_key_of_producer(const struct kr_socket *row, const struct kr_sync_name *name)
{
	return row && row->peer ? row->peer : kr_fences_key_of_name(name);
}

bool
kr_fences_name_of(
	const struct kr_socket *row, enum kr_sync_name_kind kind, struct kr_sync_name *name)
{
	return row && row->name_len && kr_sync_name_parse(row->name, row->name_len, kind, name);
}

static int32_t
status_of(const struct kr_socket *row)
{
	if (row->queued)
		return kr_sync_user_status_of_length(row->queued);
	return row->peer ? KR_FENCE_ACTIVE : -EOWNERDEAD;
}

/*
 * Who a name says it is from, of a socket that is in nobody's list: not one whose list was read,
 * since it would be there. The number may be one of another pid namespace.
 */
static pid_t
owner_of(const struct kr_fences_sample *sample, const struct kr_sync_name *point)
{
	const struct kr_fences_process *process = kr_fences_sample_find(sample, point->pid);

	return process && !process->inspected ? process->pid : 0;
}

int
kr_fences_add_named(struct kr_fences_sample *sample, const struct kr_sockets *table,
	struct kr_fences_process *process, int fd, const struct kr_socket *row)
{
	const struct kr_socket *peer = kr_sockets_find(table, row ? row->peer : 0);
	struct kr_sync_name point, newer;
	struct kr_fence_description about;
	bool pointed, renamed, detailed = table->detailed;
	int err;

	if (kr_fences_name_of(row, KR_SYNC_NAME_FENCE, &point)) {
		kr_fences_describe_names(&point, NULL, &about);
		about.owner = process->pid ? process->pid : owner_of(sample, &point);
		err = kr_fences_sample_add(sample, process,
			&(struct kr_fences_seen){.fd = fd,
				.role = KR_FENCES_PRODUCER,
				.key = kr_fences_key_of_producer(row, &point),
				.inode = row->inode,
				.alone = detailed && !row->peer,
				.about = about});
		return err ? err : 1;
	}
	pointed = kr_fences_name_of(peer, KR_SYNC_NAME_FENCE, &point);
	renamed = kr_fences_name_of(row, KR_SYNC_NAME_RENAME, &newer);
	if (!detailed || (!pointed && !renamed))
		return 0;
	kr_fences_describe_names(pointed ? &point : NULL, renamed ? &newer : NULL, &about);
	about.status = status_of(row);
	if (pointed && !process->pid)
		about.owner = owner_of(sample, &point);
	err = kr_fences_sample_add(sample, process,
		&(struct kr_fences_seen){.fd = fd,
			.role = KR_FENCES_HELD,
			.key = row->inode,
			.inode = row->inode,
			.about = about});
	return err ? err : 1;
}
