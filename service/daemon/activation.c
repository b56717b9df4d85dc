/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systemd's protocols for services, as sd_listen_fds(3) and sd_notify(3) describe them, without its
 * library.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/daemon/daemon.h"
#include "util/env.h"
#include "util/text.h"

#define FIRST_FD 3

static bool
is_listening(int fd)
{
	int domain = 0, type = 0, accepting = 0;
	socklen_t size = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) ||
		getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) ||
		getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepting, &size))
		return false;
	return domain == AF_UNIX && type == SOCK_SEQPACKET && accepting;
}

static int
set_flags(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC))
		return -errno;
	return 0;
}

int
kr_activation_take(int *socket, char **reason)
{
	const char *pid = kr_env_get("LISTEN_PID"), *count = kr_env_get("LISTEN_FDS");
	int err;

	*reason = NULL;
	if (!pid || !count || strtol(pid, NULL, 10) != getpid())
		return 0;
	if (strcmp(count, "1") != 0) {
		*reason = kr_asprintf(
			"LISTEN_FDS is %s: the service takes one socket, no other number", count);
		return -EINVAL;
	}
	if (!is_listening(FIRST_FD)) {
		*reason = kr_asprintf(
			"descriptor %d, which LISTEN_FDS hands over, is no listening SEQPACKET socket (ListenSequentialPacket= of a socket unit)",
			FIRST_FD);
		return -EINVAL;
	}
	err = set_flags(FIRST_FD);
	if (err)
		return err;
	*socket = FIRST_FD;
	return 1;
}

int
kr_activation_notify_open(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = kr_env_get("NOTIFY_SOCKET");
	const size_t length = path ? strlen(path) : 0;
	int fd;

	if ((length && *path != '/' && *path != '@') || length < 2 ||
		length >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, length);
	if (*path == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 &&
		connect(fd, (const struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + length))) {
		close(fd);
		return -1;
	}
	return fd;
}

void
kr_activation_notify(int fd, const char *text)
{
	if (fd >= 0)
		(void)!send(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
}
