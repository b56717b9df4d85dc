/* SPDX-License-Identifier: Apache-2.0 */
/* See named_socket.h. */
#include "wire/named_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/fd.h"

bool
kr_named_socket_is_name(const char *name)
{
	const size_t length = strlen(name);

	return length && length <= KR_NAMED_SOCKET_NAME_MAX &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

static int
connect_as(int type, const char *path, int *out)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int err, fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	memcpy(address.sun_path, path, strlen(path));
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		*out = fd;
		return 0;
	}
	err = -errno;
	kr_fd_close(&fd);
	return err;
}

/* As whatever it listens: the kernel says of the others that they are of the wrong type. */
int
kr_named_socket_connect(const char *path, int *fd)
{
	static const int types[] = {SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM};
	int err = -EPROTOTYPE;

	for (size_t i = 0; err == -EPROTOTYPE && i < KR_ARRAY_LEN(types); i++)
		err = connect_as(types[i], path, fd);
	return err;
}
