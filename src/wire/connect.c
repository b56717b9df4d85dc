/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting: see connect.h. */
#include "wire/connect.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "util/clock.h"
#include "util/fd.h"

/* connect() waits while the listener's backlog is full, as long as the socket's send timeout. */
static int
limit_connect(int socket, int64_t deadline_ns)
{
	int64_t left = KR_MAX(deadline_ns - kr_clock_now(), KR_NSEC_PER_MSEC);
	struct timeval limit = {
		.tv_sec = left / KR_NSEC_PER_SEC,
		.tv_usec = left % KR_NSEC_PER_SEC / 1000,
	};

	if (deadline_ns == KR_FOREVER)
		return 0;
	return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ? -errno : 0;
}

int
kr_packet_connect(const char *path, int64_t deadline_ns, int *out)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, err;

	/* As an address it would be a name outside of the file system. */
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = limit_connect(fd, deadline_ns);
	if (err)
		goto err_close;
	while (connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		err = errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (err == -EINTR && kr_clock_now() >= deadline_ns)
			err = -ETIMEDOUT;
		if (err != -EINTR)
			goto err_close;
	}
	*out = fd;
	return 0;

err_close:
	kr_fd_close(&fd);
	return err;
}
