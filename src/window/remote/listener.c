/* SPDX-License-Identifier: Apache-2.0 */
/* See listener.h. */
#include "window/remote/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/log_budget.h"

#define BACKLOG 32

/* The mode of the socket file is set before anybody can connect, whatever the umask is. */
static int
listen_at(int fd, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int err;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	if (chmod(path, 0600) == 0 && listen(fd, BACKLOG) == 0)
		return 0;
	err = -errno;
	unlink(path);
	return err;
}

int
kr_listener_init(struct kr_listener *listener, const char *path)
{
	struct kr_listener made = {.fd = -1, .spare_fd = -1};
	int err;

	made.path = strdup(path);
	if (!made.path)
		return -ENOMEM;
	made.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	made.spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	err = made.fd < 0 || made.spare_fd < 0 ? -errno : listen_at(made.fd, path);
	if (err < 0)
		goto err_close;
	*listener = made;
	return 0;

err_close:
	kr_fd_close(&made.spare_fd);
	kr_fd_close(&made.fd);
	free(made.path);
	return err;
}

void
kr_listener_finish(struct kr_listener *listener)
{
	if (listener->fd >= 0)
		unlink(listener->path);
	kr_fd_close(&listener->fd);
	kr_fd_close(&listener->spare_fd);
	free(listener->path);
	listener->path = NULL;
}

static struct kr_log_budget refused;

/* Takes the connection out of the backlog with the descriptor kept for this, and ends it. */
static int
refuse_one(struct kr_listener *listener)
{
	int fd;

	kr_fd_close(&listener->spare_fd);
	fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	kr_fd_close(&fd);
	listener->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	kr_log_limited(&refused, KR_LOG_ERROR,
		"socket %s: no file descriptor left for another connection; it was refused",
		listener->path);
	return -EMFILE;
}

int
kr_listener_accept(struct kr_listener *listener, int *socket)
{
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
		return refuse_one(listener);
	if (fd < 0)
		return -EAGAIN; /* also a peer that went away again meanwhile */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
		(peer.uid != geteuid() && peer.uid != 0)) {
		kr_log_limited(&refused, KR_LOG_WARN,
			"socket %s: a process of another user tried to connect", listener->path);
		kr_fd_close(&fd);
		return -EPERM;
	}
	*socket = fd;
	return 0;
}
