/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptor helpers. */
#include "util/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void
kr_fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int
kr_fd_dup(int fd, int *out)
{
	int copy;

	if (fd < 0) {
		*out = -1;
		return 0;
	}
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return -errno;
	*out = copy;
	return 0;
}
