/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptor helpers. */
#include "util/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "util/clock.h"

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

int
kr_fd_read_text(int fd, char *text, size_t size, int64_t deadline_ns)
{
	size_t len = 0;

	text[0] = '\0';
	while (len < size - 1) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		ssize_t got;

		if (kr_clock_now() >= deadline_ns)
			return -ETIMEDOUT;
		if (poll(&poll_fd, 1, kr_deadline_poll_ms(deadline_ns)) <= 0)
			continue;
		got = read(fd, text + len, size - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return 0;
		len += (size_t)got;
		text[len] = '\0';
	}
	return 0;
}
