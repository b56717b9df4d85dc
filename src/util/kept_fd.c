/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that may be taken away: see kept_fd.h. */
#include "util/kept_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "util/fd.h"

#define FIRST_FREE_FD 3 /* behind the standard ones, which libraries write to whatever they are */

/* Without room for another number it stays where it is. */
static int
leave_standard(int take_fd)
{
	int moved = fcntl(take_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);

	if (moved < 0)
		return take_fd;
	kr_fd_close(&take_fd);
	return moved;
}

struct kr_kept_fd
kr_kept_fd_take(int take_fd)
{
	struct kr_kept_fd kept = KR_KEPT_FD_NONE;
	struct stat status;

	if (take_fd >= 0 && take_fd < FIRST_FREE_FD)
		take_fd = leave_standard(take_fd);
	if (take_fd < 0 || fstat(take_fd, &status)) {
		kr_fd_close(&take_fd);
		return kept;
	}
	kept.fd = take_fd;
	kept.device = status.st_dev;
	kept.inode = status.st_ino;
	return kept;
}

bool
kr_kept_fd_is_there(const struct kr_kept_fd *kept)
{
	int saved = errno;
	struct stat status;
	bool same = kept->fd >= 0 && !fstat(kept->fd, &status) && status.st_dev == kept->device &&
		status.st_ino == kept->inode;

	errno = saved;
	return same;
}

void
kr_kept_fd_close(struct kr_kept_fd *kept)
{
	if (kr_kept_fd_is_there(kept))
		kr_fd_close(&kept->fd);
	kept->fd = -1;
}
