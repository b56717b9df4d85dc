/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at a descriptor through a duplicate (pidfd_getfd), where that is allowed: what it is, is then
 * asked of itself, as sync does, and nothing is received. Else user-space fences are known by the table
 * of sockets alone.
 */
#include "fences_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fences_process.h"
#include "sync/dma_buf.h"
#include "sync/fence.h"
#include "sync/name.h"
#include "sync/user_fence.h"
#include "util/fd.h"

/*
 * A user-space fence is known by its socket's inode. Where the table doesn't tell the peer of a socket,
 * which is younger than the table or of another network namespace, it is known by its producer end's
 * name, which both ends tell. A kernel fence gets a number of its own (fences_rows.c joins them).
 */
#define KEY_KERNEL (UINT64_C(1) << 63)
#define KEY_NAME   (UINT64_C(1) << 62)

static const struct {
	const char *head;
	enum kr_fences_kind kind;
} kinds[] = {
	{"socket:", KR_FENCES_SOCKETS},
	{"pipe:", KR_FENCES_PIPES},
	{"anon_inode:[eventfd]", KR_FENCES_EVENTFDS},
	{"/dmabuf:", KR_FENCES_BUFFERS},
	{"/memfd:", KR_FENCES_MEMFDS},
};

static enum kr_fences_kind
kind_of(const char *target)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(kinds); i++) {
		if (!strncmp(target, kinds[i].head, strlen(kinds[i].head)))
			return kinds[i].kind;
	}
	return KR_FENCES_OTHERS;
}

/* A duplicate of the process's descriptor; -EPERM also later, once it was. */
static int
take(struct kr_fences_look *look, int fd)
{
	int copy;

	if (look->denied)
		return look->denied;
	copy = (int)syscall(SYS_pidfd_getfd, look->pidfd, fd, 0);
	if (copy >= 0)
		return copy;
	if (errno == EPERM || errno == EACCES || errno == ENOSYS)
		look->denied = -errno;
	return -errno;
}

static int
add(struct kr_fences_look *look, int fd, enum kr_fences_role role, uint64_t key,
	const struct kr_fence_description *about)
{
	struct kr_fences_seen *seen = kr_fences_sample_add(look->sample);

	if (!seen)
		return -ENOMEM;
	seen->pid = look->process->pid;
	seen->fd = fd;
	seen->role = role;
	seen->key = key;
	seen->since_ns = about->created_ns;
	seen->about = *about;
	look->process->counts[role]++;
	return 0;
}

/* What names tell. `newer` is the name of a renamed fence, NULL none. */
static void
describe_names(const struct kr_sync_name *point, const struct kr_sync_name *newer,
	struct kr_fence_description *about)
{
	*about = (struct kr_fence_description){.kind = KR_FENCE_KIND_USER, .points = 1};
	kr_sync_text_copy(about->driver, "krafla");
	if (point) {
		kr_sync_text_copy(about->timeline, point->timeline);
		about->point = point->seqno;
		about->owner = point->pid;
		about->created_ns = point->created_ns;
	}
	if (newer || point)
		kr_sync_text_copy(about->name, newer ? newer->name : point->name);
}

static uint64_t
key_of_name(const struct kr_sync_name *name)
{
	uint64_t key = (uint64_t)name->pid << 32 ^ name->counter ^ (uint64_t)name->created_ns << 8;

	return KEY_NAME | (key & (KEY_NAME - 1));
}

static uint64_t
key_of_producer(const struct kr_socket *row, const struct kr_sync_name *name)
{
	return row && row->peer ? row->peer : key_of_name(name);
}

static int
look_inside_socket(
	struct kr_fences_look *look, int fd, int copy, uint64_t inode, const struct kr_socket *row)
{
	struct kr_fence_description about;
	struct kr_sync_name name;

	if (!kr_fence_describe(copy, &about)) {
		if (!row && kr_sync_name_peer(copy, KR_SYNC_NAME_FENCE, &name))
			inode = key_of_name(&name);
		return add(look, fd, KR_FENCES_HELD, inode, &about);
	}
	if (kr_sync_name_own(copy, KR_SYNC_NAME_FENCE, &name)) {
		describe_names(&name, NULL, &about);
		about.owner = kr_sync_user_owner(copy);
		return add(look, fd, KR_FENCES_PRODUCER, key_of_producer(row, &name), &about);
	}
	look->process->others[KR_FENCES_SOCKETS]++;
	return 0;
}

static bool
name_of(const struct kr_socket *row, enum kr_sync_name_kind kind, struct kr_sync_name *name)
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

/* Without the table's details it isn't known whether a fence is done: then it is only counted. */
static int
look_by_table(struct kr_fences_look *look, int fd, uint64_t inode, const struct kr_socket *row)
{
	const struct kr_socket *peer = kr_sockets_find(look->table, row ? row->peer : 0);
	struct kr_sync_name point, newer;
	struct kr_fence_description about;
	bool pointed, renamed;

	if (name_of(row, KR_SYNC_NAME_FENCE, &point)) {
		describe_names(&point, NULL, &about);
		return add(look, fd, KR_FENCES_PRODUCER, key_of_producer(row, &point), &about);
	}
	pointed = name_of(peer, KR_SYNC_NAME_FENCE, &point);
	renamed = name_of(row, KR_SYNC_NAME_RENAME, &newer);
	if (look->table->detailed && (pointed || renamed)) {
		describe_names(pointed ? &point : NULL, renamed ? &newer : NULL, &about);
		about.status = status_of(row);
		return add(look, fd, KR_FENCES_HELD, inode, &about);
	}
	look->process->others[KR_FENCES_SOCKETS]++;
	if (row ? renamed || row->read_only || !look->table->detailed : look->other_network)
		look->process->opaque_sockets++;
	return 0;
}

static int
look_at_socket(struct kr_fences_look *look, int fd, uint64_t inode)
{
	const struct kr_socket *row = kr_sockets_find(look->table, inode);
	int copy, err;

	if (row && !row->seqpacket) {
		look->process->others[KR_FENCES_SOCKETS]++;
		return 0;
	}
	copy = take(look, fd);
	if (copy < 0)
		return look->denied ? look_by_table(look, fd, inode, row) : 0;
	err = look_inside_socket(look, fd, copy, inode, row);
	kr_fd_close(&copy);
	return err;
}

static uint64_t
kernel_key(const struct kr_fences_look *look)
{
	return KEY_KERNEL | look->sample->seen_count;
}

static int
look_at_kernel_fence(struct kr_fences_look *look, int fd)
{
	struct kr_fence_description about;
	int copy = take(look, fd), err = 0;

	if (copy < 0) {
		look->process->opaque_kernel += look->denied != 0;
		return 0;
	}
	if (!kr_fence_describe(copy, &about))
		err = add(look, fd, KR_FENCES_HELD, kernel_key(look), &about);
	kr_fd_close(&copy);
	return err;
}

/* What somebody who wants to write would wait for, if there is anything. */
static int
look_at_buffer(struct kr_fences_look *look, int fd, const char *name)
{
	struct kr_fence_description about;
	int copy = take(look, fd), fence = -1, err = 0;

	look->process->others[KR_FENCES_BUFFERS]++;
	if (copy < 0)
		return 0;
	if (!kr_dma_buf_export_fence(copy, KR_DMA_BUF_READ_WRITE, &fence) &&
		!kr_fence_describe(fence, &about) && about.status == KR_FENCE_ACTIVE) {
		err = add(look, fd, KR_FENCES_BUFFER, kernel_key(look), &about);
		if (!err)
			kr_fences_clean(look->sample->seen[look->sample->seen_count - 1].buffer,
				KR_SYNC_TEXT, name, strlen(name));
	}
	kr_fd_close(&fence);
	kr_fd_close(&copy);
	return err;
}

int
kr_fences_look_at(struct kr_fences_look *look, int fd, const char *target)
{
	unsigned long long inode;

	if (sscanf(target, "socket:[%llu]", &inode) == 1)
		return look_at_socket(look, fd, inode);
	if (!strcmp(target, "anon_inode:sync_file"))
		return look_at_kernel_fence(look, fd);
	if (kind_of(target) == KR_FENCES_BUFFERS)
		return look_at_buffer(look, fd, target + strlen("/dmabuf:"));
	look->process->others[kind_of(target)]++;
	return 0;
}
