/* SPDX-License-Identifier: Apache-2.0 */
/* See link.h. */
#include "tools/layout/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "wire/connect.h"

#define ANSWER_NS (5 * KR_NSEC_PER_SEC)

static int
receive(int fd, struct kr_cp_message *message)
{
	int64_t deadline = kr_clock_now() + ANSWER_NS;
	int err;

	while ((err = kr_control_receive(fd, message)) == -EAGAIN) {
		struct pollfd readable = {.fd = fd, .events = POLLIN};
		int ready = kr_fd_poll(&readable, 1, deadline);

		if (ready <= 0)
			return ready < 0 ? ready : -ETIMEDOUT;
	}
	return err;
}

int
kr_control_link_ask(const struct kr_control_link *link, const struct kr_cp_message *question,
	enum kr_cp_type wanted, struct kr_cp_message *answer)
{
	int err = kr_control_send(link->fd, question);

	if (err == 0)
		err = receive(link->fd, answer);
	if (err == 0 && answer->type != wanted && answer->type != KR_CP_DONE)
		err = -EPROTO;
	return err;
}

/* Root's is good for everybody. */
static int
check_peer(struct kr_control_link *link)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(link->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return -errno;
	link->pid = peer.pid;
	return peer.uid == geteuid() || peer.uid == 0 ? 0 : -EPERM;
}

int
kr_control_link_open(struct kr_control_link *link, const char *path)
{
	const struct kr_cp_message hello = {
		.type = KR_CP_HELLO, .hello = {.version = KR_CP_VERSION}};
	struct kr_cp_message answer;
	int err;

	*link = (struct kr_control_link){.fd = -1, .path = strdup(path)};
	if (!link->path)
		return -ENOMEM;
	err = kr_packet_connect(path, kr_clock_now() + ANSWER_NS, &link->fd);
	if (err == 0)
		err = check_peer(link);
	if (err == 0)
		err = kr_control_link_ask(link, &hello, KR_CP_WELCOME, &answer);
	if (err == 0 && answer.type != KR_CP_WELCOME)
		err = -EPROTO;
	if (err < 0) {
		kr_control_link_close(link);
		return err;
	}
	link->welcome = answer.welcome;
	return 0;
}

void
kr_control_link_close(struct kr_control_link *link)
{
	kr_fd_close(&link->fd);
	free(link->path);
	link->path = NULL;
}
