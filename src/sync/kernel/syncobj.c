/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syncobj ioctls of drm/drm.h, declared here because libdrm isn't allowed in. A sync_file goes
 * in and out by way of a binary syncobj, whose fence is transferred to the point: kernels before
 * 6.16 know no shorter way.
 */
#include "sync/kernel/syncobj.h"

#include <errno.h>

#include "sync/fence/kernel_calls.h"
#include "sync/fence/kernel_fence.h"

#define IOC_GET_CAP         0xC010640Cu
#define IOC_CREATE          0xC00864BFu
#define IOC_DESTROY         0xC00864C0u
#define IOC_HANDLE_TO_FD    0xC01064C1u
#define IOC_FD_TO_HANDLE    0xC01064C2u
#define IOC_WAIT            0xC02064C3u
#define IOC_SIGNAL          0xC01064C5u
#define IOC_TIMELINE_WAIT   0xC02864CAu
#define IOC_QUERY           0xC01864CBu
#define IOC_TRANSFER        0xC02064CCu
#define IOC_TIMELINE_SIGNAL 0xC01864CDu
#define IOC_EVENTFD         0xC01864CFu

#define CAP_SYNCOBJ          0x13
#define CAP_SYNCOBJ_TIMELINE 0x14
#define SYNC_FILE            1u /* HANDLE_TO_FD, FD_TO_HANDLE */
#define LAST_SUBMITTED       1u /* QUERY */

struct cap_data {
	uint64_t capability;
	uint64_t value;
};

struct object_data {
	uint32_t handle;
	uint32_t flags;
};

struct fd_data {
	uint32_t handle;
	uint32_t flags;
	int32_t fd;
	uint32_t pad;
};

struct wait_data {
	uint64_t handles;
	int64_t timeout_nsec;
	uint32_t count;
	uint32_t flags;
	uint32_t first_signaled;
	uint32_t pad;
};

struct timeline_wait_data {
	uint64_t handles;
	uint64_t points;
	int64_t timeout_nsec;
	uint32_t count;
	uint32_t flags;
	uint32_t first_signaled;
	uint32_t pad;
};

struct array_data {
	uint64_t handles;
	uint32_t count;
	uint32_t pad;
};

struct timeline_data {
	uint64_t handles;
	uint64_t points;
	uint32_t count;
	uint32_t flags;
};

struct transfer_data {
	uint32_t from;
	uint32_t to;
	uint64_t from_point;
	uint64_t to_point;
	uint32_t flags;
	uint32_t pad;
};

struct eventfd_data {
	uint32_t handle;
	uint32_t flags;
	uint64_t point;
	int32_t fd;
	uint32_t pad;
};

_Static_assert(sizeof(struct cap_data) == 16, "struct drm_get_cap");
_Static_assert(sizeof(struct object_data) == 8, "struct drm_syncobj_create");
_Static_assert(sizeof(struct fd_data) == 16, "struct drm_syncobj_handle");
_Static_assert(sizeof(struct wait_data) == 32, "struct drm_syncobj_wait");
_Static_assert(sizeof(struct timeline_wait_data) == 40, "struct drm_syncobj_timeline_wait");
_Static_assert(sizeof(struct array_data) == 16, "struct drm_syncobj_array");
_Static_assert(sizeof(struct timeline_data) == 24, "struct drm_syncobj_timeline_array");
_Static_assert(sizeof(struct transfer_data) == 32, "struct drm_syncobj_transfer");
_Static_assert(sizeof(struct eventfd_data) == 24, "struct drm_syncobj_eventfd");

static uint64_t
address_of(const void *pointer)
{
	return (uintptr_t)pointer;
}

/* A device that doesn't know the capability has none of it: EINVAL. */
int
kr_syncobj_check(int drm, bool timeline)
{
	struct cap_data data = {.capability = timeline ? CAP_SYNCOBJ_TIMELINE : CAP_SYNCOBJ};
	int err = kr_sync_ioctl(drm, IOC_GET_CAP, &data);

	if (err && err != -EINVAL)
		return err;
	return err || !data.value ? -EOPNOTSUPP : 0;
}

int
kr_syncobj_create(int drm, uint32_t *handle)
{
	struct object_data data = {.flags = 0};
	int err = kr_sync_ioctl(drm, IOC_CREATE, &data);

	if (!err)
		*handle = data.handle;
	return err;
}

int
kr_syncobj_destroy(int drm, uint32_t handle)
{
	struct object_data data = {.handle = handle};

	return kr_sync_ioctl(drm, IOC_DESTROY, &data);
}

static int
handle_to_fd(int drm, uint32_t handle, uint32_t flags, int *fd)
{
	struct fd_data data = {.handle = handle, .flags = flags, .fd = -1};
	int err = kr_sync_ioctl(drm, IOC_HANDLE_TO_FD, &data);

	if (!err)
		*fd = data.fd;
	return err;
}

int
kr_syncobj_export(int drm, uint32_t handle, int *fd)
{
	return handle_to_fd(drm, handle, 0, fd);
}

int
kr_syncobj_import(int drm, int fd, uint32_t *handle)
{
	struct fd_data data = {.fd = fd};
	int err = kr_sync_ioctl(drm, IOC_FD_TO_HANDLE, &data);

	if (!err)
		*handle = data.handle;
	return err;
}

int
kr_syncobj_transfer(int drm, uint32_t from, uint64_t from_point, uint32_t to, uint64_t to_point)
{
	struct transfer_data data = {
		.from = from, .to = to, .from_point = from_point, .to_point = to_point};

	return kr_sync_ioctl(drm, IOC_TRANSFER, &data);
}

static int
query(int drm, uint32_t handle, uint32_t flags, uint64_t *point)
{
	struct timeline_data data = {.handles = address_of(&handle),
		.points = address_of(point),
		.count = 1,
		.flags = flags};

	return kr_sync_ioctl(drm, IOC_QUERY, &data);
}

int
kr_syncobj_query(int drm, uint32_t handle, uint64_t *reached, uint64_t *last)
{
	uint64_t now = 0, end = 0;
	int err = query(drm, handle, 0, &now);

	if (!err)
		err = query(drm, handle, LAST_SUBMITTED, &end);
	if (err)
		return err;
	*reached = now;
	*last = end;
	return 0;
}

int
kr_syncobj_signal(int drm, uint32_t handle, uint64_t point)
{
	struct array_data binary = {.handles = address_of(&handle), .count = 1};
	struct timeline_data timeline = {
		.handles = address_of(&handle), .points = address_of(&point), .count = 1};

	return point ? kr_sync_ioctl(drm, IOC_TIMELINE_SIGNAL, &timeline)
		     : kr_sync_ioctl(drm, IOC_SIGNAL, &binary);
}

static int
import_binary(int drm, uint32_t handle, int fence)
{
	struct fd_data data = {.handle = handle, .flags = SYNC_FILE, .fd = fence};

	return kr_sync_ioctl(drm, IOC_FD_TO_HANDLE, &data);
}

int
kr_syncobj_import_fence(int drm, uint32_t handle, uint64_t point, int fence)
{
	uint32_t binary;
	int err;

	if (fence == -1)
		return kr_syncobj_signal(drm, handle, point);
	err = kr_sync_kernel_check(fence);
	if (err)
		return err;
	if (!point)
		return import_binary(drm, handle, fence);
	err = kr_syncobj_create(drm, &binary);
	if (err)
		return err;
	err = import_binary(drm, binary, fence);
	if (!err)
		err = kr_syncobj_transfer(drm, binary, 0, handle, point);
	kr_syncobj_destroy(drm, binary);
	return err;
}

int
kr_syncobj_export_fence(int drm, uint32_t handle, uint64_t point, int *fence)
{
	uint32_t binary;
	int err;

	if (!point)
		return handle_to_fd(drm, handle, SYNC_FILE, fence);
	err = kr_syncobj_create(drm, &binary);
	if (err)
		return err;
	err = kr_syncobj_transfer(drm, handle, point, binary, 0);
	if (!err)
		err = handle_to_fd(drm, binary, SYNC_FILE, fence);
	kr_syncobj_destroy(drm, binary);
	return err;
}

int
kr_syncobj_wait(
	int drm, uint32_t handle, uint64_t point, enum kr_syncobj_until until, int64_t deadline_ns)
{
	struct wait_data binary = {.handles = address_of(&handle),
		.timeout_nsec = deadline_ns,
		.count = 1,
		.flags = until};
	struct timeline_wait_data timeline = {.handles = address_of(&handle),
		.points = address_of(&point),
		.timeout_nsec = deadline_ns,
		.count = 1,
		.flags = until};

	/* The binary call has no "available". */
	if (point || until == KR_SYNCOBJ_WAIT_AVAILABLE)
		return kr_sync_ioctl(drm, IOC_TIMELINE_WAIT, &timeline);
	return kr_sync_ioctl(drm, IOC_WAIT, &binary);
}

/*
 * EINVAL is what a kernel says that doesn't know the call, and one that does of what is no eventfd.
 */
int
kr_syncobj_watch(int drm, uint32_t handle, uint64_t point, enum kr_syncobj_until until, int eventfd)
{
	struct eventfd_data data = {.handle = handle,
		.flags = until & KR_SYNCOBJ_WAIT_AVAILABLE,
		.point = point,
		.fd = eventfd};
	int err = kr_sync_ioctl(drm, IOC_EVENTFD, &data);

	if (err != -EINVAL)
		return err;
	data.fd = -1;
	return kr_sync_ioctl(drm, IOC_EVENTFD, &data) == -EBADF ? -EINVAL : -EOPNOTSUPP;
}
