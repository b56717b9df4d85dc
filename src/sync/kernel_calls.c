/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel behind kr_sync_ioctl: the real one, unless a test has put another there. */
#include "sync/kernel_calls.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

static int
real_ioctl(int fd, unsigned long request, void *data)
{
	return ioctl(fd, request, data) < 0 ? -errno : 0;
}

static int
real_file_system(int fd, long *type)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return -errno;
	*type = (long)fs.f_type;
	return 0;
}

static const struct kr_sync_kernel_calls real_calls = {real_ioctl, real_file_system};
static _Atomic(const struct kr_sync_kernel_calls *) current = &real_calls;

void
kr_sync_set_kernel_calls(const struct kr_sync_kernel_calls *calls)
{
	atomic_store(&current, calls ? calls : &real_calls);
}

int
kr_sync_ioctl(int fd, unsigned long request, void *data)
{
	int err;

	do
		err = atomic_load(&current)->ioctl(fd, request, data);
	while (err == -EINTR);
	return err;
}

int
kr_sync_file_system(int fd, long *type)
{
	int err;

	do
		err = atomic_load(&current)->file_system(fd, type);
	while (err == -EINTR);
	return err;
}
