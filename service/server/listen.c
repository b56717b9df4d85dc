/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listening socket at a path. Whether a socket that lies there is served is asked by connecting
 * to it; the directory is locked meanwhile, so that of two services that start at once one finds
 * the other.
 */
#include "service/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

#define BACKLOG 4096

/* A descriptor of the directory, locked. */
static int
lock_directory(const char *path, int *directory, char **reason)
{
	char copy[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char *name;
	int fd, err;

	snprintf(copy, sizeof(copy), "%s", path);
	name = dirname(copy);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		*reason = kr_asprintf(
			"the directory of the socket %s can't be opened: %s; make it, or name another socket",
			path, strerror(-err));
		return err;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		err = errno == EWOULDBLOCK ? -EADDRINUSE : -errno;
		*reason = kr_asprintf(
			"the directory of the socket %s is locked: another service is being started there",
			path);
		close(fd);
		return err;
	}
	*directory = fd;
	return 0;
}

/* 0: nobody serves it, and it is gone. */
static int
clear_way(int socket, const struct sockaddr_un *address, char **reason)
{
	struct stat st;

	if (lstat(address->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode)) {
		*reason = kr_asprintf("%s exists and is no socket: remove it, or name another",
			address->sun_path);
		return -EEXIST;
	}
	/*
	 * EAGAIN: its queue is full, so there is one. EPROTOTYPE: it is served, by something else.
	 */
	if (!connect(socket, (const struct sockaddr *)address, sizeof(*address)) ||
		errno != ECONNREFUSED) {
		*reason = kr_asprintf(
			"%s is served already (or can't be connected to): end that service first, or name another socket",
			address->sun_path);
		return -EADDRINUSE;
	}
	return unlink(address->sun_path) && errno != ENOENT ? -errno : 0;
}

static int
new_socket(int *fd)
{
	*fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return *fd < 0 ? -errno : 0;
}

/* Nobody can connect before listen: the mode is in place then. */
static int
bind_there(int fd, const struct sockaddr_un *address)
{
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)))
		return -errno;
	if (chmod(address->sun_path, 0600) || listen(fd, BACKLOG)) {
		const int err = -errno;

		unlink(address->sun_path);
		return err;
	}
	return 0;
}

int
kr_server_listen(const char *path, int *out, char **reason)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int directory = -1, asking = -1, fd = -1, err;

	*reason = NULL;
	if (!*path || strlen(path) >= sizeof(address.sun_path)) {
		*reason =
			kr_asprintf("the path of a socket has 1 to %zu characters, and '%s' hasn't",
				sizeof(address.sun_path) - 1, path);
		return -ENAMETOOLONG;
	}
	memcpy(address.sun_path, path, strlen(path));
	err = lock_directory(path, &directory, reason);
	if (err)
		return err;
	err = new_socket(&asking);
	if (!err)
		err = clear_way(asking, &address, reason);
	if (!err)
		err = new_socket(&fd);
	if (!err)
		err = bind_there(fd, &address);
	kr_fd_close(&asking);
	kr_fd_close(&directory);
	if (err) {
		if (!*reason)
			*reason = kr_asprintf(
				"no socket can be made at %s: %s", path, strerror(-err));
		kr_fd_close(&fd);
		return err;
	}
	*out = fd;
	return 0;
}
