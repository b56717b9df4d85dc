/* SPDX-License-Identifier: Apache-2.0 */
/* The two ioctls of linux/sync_file.h, declared here because old headers lack them. */
#include "sync/kernel_fence.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "sync/fence.h"
#include "sync/name.h"

#define IOC_MERGE     0xC0303E03u
#define IOC_FILE_INFO 0xC0383E04u
/* A sync_file of more points than this is one that nobody makes: refused, not allocated for. */
#define MAX_KERNEL_POINTS 65536u

struct merge_data {
	char name[32];
	int32_t fd2;
	int32_t fence;
	uint32_t flags;
	uint32_t pad;
};

_Static_assert(sizeof(struct merge_data) == 48, "struct sync_merge_data");
_Static_assert(sizeof(struct sync_fence_info) == 80, "struct sync_fence_info");
_Static_assert(offsetof(struct sync_fence_info, timestamp_ns) == 72, "struct sync_fence_info");
_Static_assert(sizeof(struct sync_file_info) == 56, "struct sync_file_info");
_Static_assert(offsetof(struct sync_file_info, sync_fence_info) == 48, "struct sync_file_info");

static int
real_file_info(int fd, void *info)
{
	return ioctl(fd, IOC_FILE_INFO, info) ? -errno : 0;
}

static int
real_merge(const char *name, int fd1, int fd2, int *merged)
{
	struct merge_data data = {.fd2 = fd2, .fence = -1};

	kr_sync_text_copy(data.name, name);
	if (ioctl(fd1, IOC_MERGE, &data))
		return -errno;
	*merged = data.fence;
	return 0;
}

static const struct kr_kernel_sync_ops real_ops = {real_file_info, real_merge};
static _Atomic(const struct kr_kernel_sync_ops *) current_ops = &real_ops;

void
kr_fence_set_kernel_ops(const struct kr_kernel_sync_ops *ops)
{
	atomic_store(&current_ops, ops ? ops : &real_ops);
}

static int
file_info(int fd, struct sync_file_info *info)
{
	int err;

	do
		err = atomic_load(&current_ops)->file_info(fd, info);
	while (err == -EINTR);
	return err;
}

static int32_t
status_with_points(const struct sync_file_info *info)
{
	for (uint32_t i = 0; i < info->num_fences; i++) {
		int32_t status = sync_get_fence_info(info)[i].status;

		if (status < 0)
			return status;
	}
	return info->status;
}

int
kr_sync_kernel_info(int fd, struct sync_file_info **out)
{
	struct sync_file_info head = {0}, *info;
	uint32_t room;
	int err = file_info(fd, &head);

	if (err)
		return err;
	room = head.num_fences;
	if (room > MAX_KERNEL_POINTS)
		return -EOVERFLOW;
	info = calloc(1, sizeof(*info) + room * sizeof(struct sync_fence_info));
	if (!info)
		return -ENOMEM;
	info->num_fences = room;
	info->sync_fence_info = (uintptr_t)(info + 1);
	err = file_info(fd, info);
	if (err) {
		free(info);
		return err;
	}
	info->num_fences = KR_MIN(info->num_fences, room);
	info->sync_fence_info = (uintptr_t)(info + 1);
	info->status = status_with_points(info);
	*out = info;
	return 0;
}

int
kr_sync_kernel_status(int fd, int32_t *status)
{
	struct sync_file_info head = {0}, *info;
	int err = file_info(fd, &head);

	if (err)
		return err;
	if (head.status == 0 && head.num_fences > 1) {
		err = kr_sync_kernel_info(fd, &info);
		if (err)
			return err;
		head.status = info->status;
		free(info);
	}
	*status = head.status;
	return 0;
}

int
kr_sync_kernel_merge(const char *name, int fd1, int fd2, int *merged)
{
	int err;

	do
		err = atomic_load(&current_ops)->merge(name ? name : "", fd1, fd2, merged);
	while (err == -EINTR);
	return err;
}
