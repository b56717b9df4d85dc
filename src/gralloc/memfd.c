/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealed memfds: anonymous shared memory that nobody can resize under a reader. A memfd that is sealed
 * against writing is refused too: mapping it would fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gralloc/backends.h"
#include "util/fd.h"

#define SIZE_SEALS  (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define WRITE_SEALS (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)

static int
allocate(int node, uint64_t size, int *fd)
{
	int memfd = memfd_create("krafla-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (memfd < 0)
		return -errno;
	if (ftruncate(memfd, (off_t)size) || fcntl(memfd, F_ADD_SEALS, SIZE_SEALS))
		goto err_close;
	*fd = memfd;
	return 0;

err_close:
	err = -errno;
	kr_fd_close(&memfd);
	return err;
}

static int
check(int fd, uint64_t size)
{
	struct statx stx;
	int flags, seals;

	/*
	 * Asking for nothing (0) that a file system would have to ask for: its server may be the sender of
	 * the descriptor (FUSE), and never answer. Type and size are told all the same.
	 */
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &stx) ||
		!S_ISREG(stx.stx_mode) || stx.stx_size != size)
		return -EINVAL;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR)
		return -EINVAL;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SIZE_SEALS) != SIZE_SEALS)
		return -EPERM;
	return seals & WRITE_SEALS ? -EINVAL : 0;
}

const struct kr_buffer_impl kr_memfd_impl = {
	.backend = KR_BUFFER_MEMFD,
	.name = "memfd",
	.allocate = allocate,
	.check = check,
};
