/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at a descriptor through a duplicate (pidfd_getfd), where that is allowed: what it is, is
 * then asked of itself, as sync does, and nothing is received. Else user-space fences are known by
 * the table of sockets alone.
 */
#include "tools/fences/look.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/fence/name.h"
#include "sync/fence/user_fence.h"
#include "sync/kernel/dma_buf.h"
#include "tools/fences/names.h"
#include "tools/fences/process.h"
#include "util/clock.h"
#include "util/fd.h"

#define KEY_KERNEL (UINT64_C(1) << 63)

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

/* Whether the fence of a producer end is closed everywhere: nobody will ever look at it. */
static bool
is_alone(int producer)
{
	struct pollfd p = {.fd = producer};

	return poll(&p, 1, 0) > 0 && (p.revents & POLLHUP);
}

static int
look_inside_socket(
	struct kr_fences_look *look, int fd, int copy, uint64_t inode, const struct kr_socket *row)
{
	struct kr_fence_description about;
	struct kr_sync_name name;
	uint64_t key = inode;

	if (!kr_fence_describe(copy, &about)) {
		if (!row && kr_sync_name_peer(copy, KR_SYNC_NAME_FENCE, &name))
			key = kr_fences_key_of_name(&name);
		return kr_fences_sample_add(look->sample, look->process,
			&(struct kr_fences_seen){.fd = fd,
				.role = KR_FENCES_HELD,
				.key = key,
				.inode = inode,
				.about = about});
	}
	if (kr_sync_name_own(copy, KR_SYNC_NAME_FENCE, &name)) {
		kr_fences_describe_names(&name, NULL, &about);
		about.owner = kr_sync_user_owner(copy);
		return kr_fences_sample_add(look->sample, look->process,
			&(struct kr_fences_seen){.fd = fd,
				.role = KR_FENCES_PRODUCER,
				.key = kr_fences_key_of_producer(row, &name),
				.inode = inode,
				.alone = is_alone(copy),
				.about = about});
	}
	look->process->others[KR_FENCES_SOCKETS]++;
	return 0;
}

/*
 * A descriptor that may not be looked at. `row` is its socket's, NULL: it isn't in
 * the table. 0 or -ENOMEM.
 */
static int
look_by_table(struct kr_fences_look *look, int fd, const struct kr_socket *row)
{
	struct kr_sync_name newer;
	int added = kr_fences_add_named(look->sample, look->table, look->process, fd, row);

	if (added)
		return KR_MIN(added, 0);
	look->process->others[KR_FENCES_SOCKETS]++;
	if (row ? row->read_only || !look->table->detailed ||
				kr_fences_name_of(row, KR_SYNC_NAME_RENAME, &newer)
		: look->other_network)
		look->process->opaque_sockets++;
	return 0;
}

static int
look_at_socket(struct kr_fences_look *look, int fd, uint64_t inode)
{
	const struct kr_socket *row = kr_sockets_find(look->table, inode);
	int copy, err;

	if (look->wanted && !kr_hash_get(look->wanted, inode) && (row || !look->wants_foreign))
		return 0;
	if (row && !row->seqpacket) {
		look->process->others[KR_FENCES_SOCKETS]++;
		return 0;
	}
	copy = take(look, fd);
	if (copy < 0)
		return look->denied ? look_by_table(look, fd, row) : 0;
	err = look_inside_socket(look, fd, copy, inode, row);
	kr_fd_close(&copy);
	return err;
}

/* A number of its own, which no socket has (rows.c joins the descriptors of one fence). */
static uint64_t
kernel_key(const struct kr_fences_look *look)
{
	return KEY_KERNEL | look->sample->seen_count;
}

static int
look_at_kernel_fence(struct kr_fences_look *look, int fd)
{
	struct kr_fence_description about;
	int copy, err = 0;

	if (look->wanted && !look->wants_kernel)
		return 0;
	copy = take(look, fd);
	if (copy < 0) {
		look->process->opaque_kernel += look->denied != 0;
		return 0;
	}
	if (!kr_fence_describe(copy, &about))
		err = kr_fences_sample_add(look->sample, look->process,
			&(struct kr_fences_seen){.fd = fd,
				.role = KR_FENCES_HELD,
				.key = kernel_key(look),
				.about = about});
	kr_fd_close(&copy);
	return err;
}

/* What somebody who wants to write would wait for, if there is anything. */
static int
look_at_buffer(struct kr_fences_look *look, int fd, const char *name)
{
	struct kr_fences_seen seen = {.fd = fd, .role = KR_FENCES_BUFFER, .key = kernel_key(look)};
	int copy, fence = -1, err = 0;

	look->process->others[KR_FENCES_BUFFERS]++;
	copy = look->wanted ? -1 : take(look, fd);
	if (copy < 0)
		return 0;
	if (!kr_dma_buf_export_fence(copy, KR_DMA_BUF_READ_WRITE, &fence) &&
		!kr_fence_describe(fence, &seen.about) && seen.about.status == KR_FENCE_ACTIVE) {
		kr_fences_clean(seen.buffer, sizeof(seen.buffer), name, strlen(name));
		err = kr_fences_sample_add(look->sample, look->process, &seen);
	}
	kr_fd_close(&fence);
	kr_fd_close(&copy);
	return err;
}

static int
look_at(struct kr_fences_look *look, int fd, const char *target)
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

int
kr_fences_look_at_all(struct kr_fences_look *look)
{
	char path[32], target[PATH_MAX];
	struct dirent *entry;
	DIR *list;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)look->process->pid);
	list = opendir(path);
	if (!list)
		return -errno;
	while (!err && (entry = readdir(list))) {
		ssize_t len;

		if (entry->d_name[0] == '.')
			continue;
		len = readlinkat(dirfd(list), entry->d_name, target, sizeof(target) - 1);
		if (len <= 0)
			continue; /* closed meanwhile */
		target[len] = '\0';
		err = look_at(look, atoi(entry->d_name), target);
	}
	closedir(list);
	return err;
}
