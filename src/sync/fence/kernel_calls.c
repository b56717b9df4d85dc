/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel behind kr_sync_ioctl: the real one, unless a test has put another there. */
#include "sync/fence/kernel_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "util/fd.h"

#define SYNC_FILE_TYPE '>' /* of the ioctls of linux/sync_file.h */

/*
 * 0 when fd is a file of the kernel's own (an "anon inode"), which has no type. Any other may be
 * one of a file system whose server is a program of its sender (FUSE): what is asked of that,
 * ioctl, fstat and fstatfs included, waits for the program's answer. kr_fd_stat asks no server, and
 * tells the type all the same.
 */
static int
check_kernel_file(int fd)
{
	struct stat status;
	int err = kr_fd_stat(fd, &status);

	if (err)
		return err;
	return status.st_mode & S_IFMT ? -ENOTTY : 0;
}

/* Those of sync_files are tried on whatever comes; others on what is known to be right. */
static int
real_ioctl(int fd, unsigned long request, void *data)
{
	int err = _IOC_TYPE(request) == SYNC_FILE_TYPE ? check_kernel_file(fd) : 0;

	if (err)
		return err;
	return ioctl(fd, request, data) < 0 ? -errno : 0;
}

static int
real_file_system(int fd, long *type)
{
	struct statfs fs;
	int err = check_kernel_file(fd);

	if (err)
		return err;
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
