/* SPDX-License-Identifier: Apache-2.0 */
/* The ioctls of linux/sync_file.h, declared here because old headers lack them. */
#include "sync/fence/kernel_fence.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "sync/fence/kernel_calls.h"
#include "sync/fence/name.h"
#include "sync/fence/user_fence.h"
#include "util/fd.h"

#define IOC_MERGE        0xC0303E03u
#define IOC_FILE_INFO    0xC0383E04u
#define IOC_SET_DEADLINE 0x40103E05u
/* A sync_file of more points than this is one that nobody makes: refused, not allocated for. */
#define MAX_KERNEL_POINTS 65536u
/* So many are asked for without memory for them. */
#define FEW_POINTS 8

struct merge_data {
	char name[32];
	int32_t fd2;
	int32_t fence;
	uint32_t flags;
	uint32_t pad;
};

struct set_deadline {
	uint64_t deadline_ns;
	uint64_t pad;
};

_Static_assert(sizeof(struct merge_data) == 48, "struct sync_merge_data");
_Static_assert(sizeof(struct set_deadline) == 16, "struct sync_set_deadline");
_Static_assert(sizeof(struct sync_fence_info) == 80, "struct sync_fence_info");
_Static_assert(offsetof(struct sync_fence_info, timestamp_ns) == 72, "struct sync_fence_info");
_Static_assert(sizeof(struct sync_file_info) == 56, "struct sync_file_info");
_Static_assert(offsetof(struct sync_file_info, sync_fence_info) == 48, "struct sync_file_info");

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

/* Fills in `info`, which has `room` points behind it. -EINVAL also when there are more. */
static int
read_points(int fd, struct sync_file_info *info, uint32_t room)
{
	int err;

	info->num_fences = room;
	info->sync_fence_info = (uintptr_t)(info + 1);
	err = kr_sync_ioctl(fd, IOC_FILE_INFO, info);
	if (err)
		return err;
	info->num_fences = KR_MIN(info->num_fences, room);
	info->sync_fence_info = (uintptr_t)(info + 1);
	info->status = status_with_points(info);
	return 0;
}

int
kr_sync_kernel_info(int fd, struct sync_file_info **out)
{
	struct sync_file_info head = {0}, *info;
	int err = kr_sync_ioctl(fd, IOC_FILE_INFO, &head);

	if (err)
		return err;
	if (head.num_fences > MAX_KERNEL_POINTS)
		return -EOVERFLOW;
	info = calloc(1, sizeof(*info) + head.num_fences * sizeof(struct sync_fence_info));
	if (!info)
		return -ENOMEM;
	err = read_points(fd, info, head.num_fences);
	if (err) {
		free(info);
		return err;
	}
	*out = info;
	return 0;
}

int
kr_sync_kernel_read(int fd, struct kr_sync_points *points)
{
	struct sync_file_info *info;
	int err = kr_sync_kernel_info(fd, &info);

	if (err)
		return err;
	kr_sync_points_init(points, info->name);
	points->status = info->status;
	for (uint32_t i = 0; i < info->num_fences; i++) {
		const struct sync_fence_info *point = &sync_get_fence_info(info)[i];

		kr_sync_points_add(points, point);
		if (info->status)
			points->timestamp = KR_MAX(points->timestamp, (int64_t)point->timestamp_ns);
	}
	free(info);
	return 0;
}

/* Of all points, for which few are asked for first: most fences have one. */
static int
status_of_points(int fd, int32_t *status)
{
	struct {
		struct sync_file_info info;
		struct sync_fence_info points[FEW_POINTS];
	} few = {.info = {.status = 0}};
	struct sync_file_info *many;
	int err = read_points(fd, &few.info, FEW_POINTS);

	if (err != -EINVAL) {
		*status = few.info.status;
		return err;
	}
	err = kr_sync_kernel_info(fd, &many);
	if (!err) {
		*status = many->status;
		free(many);
	}
	return err;
}

/*
 * A question without points is the cheaper one, and enough for what has failed and
 * for one active point.
 */
int
kr_sync_kernel_status(int fd, int32_t *status)
{
	struct sync_file_info head = {0};
	int32_t now;
	int err = kr_sync_ioctl(fd, IOC_FILE_INFO, &head);

	now = head.status;
	if (!err && (now > 0 || (now == 0 && head.num_fences > 1)))
		err = status_of_points(fd, &now);
	if (!err)
		*status = now;
	return err;
}

static int
failed(int fd)
{
	int32_t status;

	return !kr_sync_kernel_status(fd, &status) && status < 0;
}

/*
 * The kernel drops what has ended, failed or not, when it merges. Fences end once: what
 * hasn't failed after the merge had not failed before, so one question afterwards
 * answers for the moment between.
 */
int
kr_sync_kernel_merge(const char *name, int fd1, int fd2, int *merged)
{
	struct merge_data data = {.fd2 = fd2, .fence = -1};
	int err;

	kr_sync_text_copy(data.name, name ? name : "");
	err = kr_sync_ioctl(fd1, IOC_MERGE, &data);
	if (err)
		return err;
	if (!failed(fd1) && (fd1 == fd2 || !failed(fd2))) {
		*merged = data.fence;
		return 0;
	}
	kr_fd_close(&data.fence);
	return kr_fd_dup(failed(fd1) ? fd1 : fd2, merged);
}

int
kr_sync_kernel_check(int fd)
{
	int32_t status;
	int err = fd < 0 ? -EINVAL : kr_sync_user_status(fd, &status);

	if (!err)
		return -EOPNOTSUPP;
	if (err != -ENOTSOCK || kr_sync_kernel_status(fd, &status))
		return -EINVAL;
	return status < 0 ? status : 0;
}

int
kr_sync_kernel_set_deadline(int fd, int64_t deadline_ns)
{
	struct set_deadline data = {.deadline_ns = (uint64_t)deadline_ns};
	int err = kr_sync_kernel_check(fd);

	if (err == -EINVAL || err == -EOPNOTSUPP)
		return err;
	if (err)
		return 0; /* it has ended */
	err = kr_sync_ioctl(fd, IOC_SET_DEADLINE, &data);
	return err == -ENOTTY ? -EOPNOTSUPP : err;
}
