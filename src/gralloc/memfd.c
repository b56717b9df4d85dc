/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealed memfds: anonymous shared memory that nobody can resize under a reader. A memfd that
 * is sealed against writing is refused too: mapping it would fail. So is one of huge pages:
 * its sender can take a page away that was mapped, seals or not, and where no other is free
 * its reader dies of SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "gralloc/backends.h"
#include "util/fd.h"

#define SIZE_SEALS  (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define WRITE_SEALS (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)

static int
allocate(int node, uint64_t size, int *fd)
{
	int memfd, err = kr_memfd_create("krafla-buffer", size, &memfd);

	if (err)
		return err;
	if (fcntl(memfd, F_ADD_SEALS, SIZE_SEALS)) {
		err = -errno;
		kr_fd_close(&memfd);
		return err;
	}
	*fd = memfd;
	return 0;
}

static int
check(int fd, uint64_t size)
{
	struct statfs fs;
	struct stat status;
	int flags, seals;

	if (fd < 0 || kr_fd_stat(fd, &status) || !S_ISREG(status.st_mode) ||
		(uint64_t)status.st_size != size)
		return -EINVAL;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
		return -EINVAL;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SIZE_SEALS) != SIZE_SEALS)
		return -EPERM;
	if (fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC)
		return -EINVAL;
	return seals & WRITE_SEALS ? -EINVAL : 0;
}

const struct kr_buffer_impl kr_memfd_impl = {
	.backend = KR_BUFFER_MEMFD,
	.name = "memfd",
	.allocate = allocate,
	.check = check,
};
