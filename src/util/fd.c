/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptor helpers. */
#include "util/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
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

static bool
is_denied(int err)
{
	return err == ENOSYS || err == EPERM || err == EACCES;
}

int
kr_memfd_create(const char *name, uint64_t size, int *fd)
{
	struct rlimit limit;
	int memfd, err;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && size > limit.rlim_cur)
		return -EFBIG;
	memfd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0)
		return -errno;
	if (ftruncate(memfd, (off_t)size)) {
		err = -errno;
		kr_fd_close(&memfd);
		return err;
	}
	*fd = memfd;
	return 0;
}

/*
 * Where a filter that is older than statx denies it, fstatat takes the same flag,
 * though no page says so.
 */
int
kr_fd_stat(int fd, struct stat *status)
{
	const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
	struct statx stx;

	if (!statx(fd, "", flags, 0, &stx)) {
		*status = (struct stat){.st_mode = stx.stx_mode, .st_size = (off_t)stx.stx_size};
		return 0;
	}
	/*
	 * EINVAL: the C library's own stand-in, for kernels without the call, which
	 * doesn't know the flag.
	 */
	if ((is_denied(errno) || errno == EINVAL) && !fstatat(fd, "", status, flags))
		return 0;
	return -errno;
}

int
kr_fd_poll(struct pollfd *fds, nfds_t count, int64_t deadline_ns)
{
	for (;;) {
		const int64_t now = deadline_ns == KR_FOREVER ? 0 : kr_clock_now();
		const int64_t left = now < deadline_ns ? deadline_ns - now : 0;
		const struct timespec timeout = {left / KR_NSEC_PER_SEC, left % KR_NSEC_PER_SEC};
		int ready = ppoll(fds, count, deadline_ns == KR_FOREVER ? NULL : &timeout, NULL);

		if (ready < 0 && is_denied(errno))
			ready = poll(fds, count, kr_deadline_poll_ms(deadline_ns));
		if (ready >= 0)
			return ready;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

int
kr_fd_read_text(int fd, char *text, size_t size, int64_t deadline_ns)
{
	size_t len = 0;

	text[0] = '\0';
	while (len < size - 1) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int ready = kr_fd_poll(&poll_fd, 1, deadline_ns);
		ssize_t got;

		if (ready <= 0)
			return ready ? ready : -ETIMEDOUT;
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
