/* SPDX-License-Identifier: Apache-2.0 */
#include "util/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/env.h"
#include "util/fd.h"

static void
attach(struct msghdr *message, void *room, size_t size, int fd)
{
	struct cmsghdr *c;

	message->msg_control = room;
	message->msg_controllen = size;
	c = CMSG_FIRSTHDR(message);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
}

/* A negative descriptor is none. */
static int
send_text(char *text, int with)
{
	const char *path = kr_env_get("KRAFLA_REPORT");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec data = {text, strlen(text)};
	struct msghdr message = {
		.msg_name = &address,
		.msg_namelen = sizeof(address),
		.msg_iov = &data,
		.msg_iovlen = 1,
	};
	int fd, err = 0;

	if (!path || strlen(path) >= sizeof(address.sun_path))
		return -ENOENT;
	memcpy(address.sun_path, path, strlen(path));
	if (with >= 0)
		attach(&message, control.room, sizeof(control.room), with);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		err = -errno;
	kr_fd_close(&fd);
	return err;
}

void
kr_report(const char *what, const char *detail)
{
	char text[KR_REPORT_MAX];
	int saved = errno;

	snprintf(text, sizeof(text), "%s%s%s", what, detail ? " " : "", detail ? detail : "");
	(void)send_text(text, -1);
	errno = saved;
}

int
kr_report_fd(const char *what, int fd)
{
	char text[KR_REPORT_MAX];
	int saved = errno, err;

	snprintf(text, sizeof(text), "%s", what);
	err = send_text(text, fd);
	errno = saved;
	return err;
}
