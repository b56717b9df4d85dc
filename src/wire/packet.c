/* SPDX-License-Identifier: Apache-2.0 */
/* One sendmsg or recvmsg a packet. */
#include "wire/packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "util/fd.h"

/* The kernel's SCM_MAX_FD. */
#define KERNEL_MAX_FDS ((size_t)253)

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * KERNEL_MAX_FDS) + CMSG_SPACE(64)];
};

int
kr_packet_send(int socket, const void *data, size_t size, const int *fds, size_t fd_count)
{
	struct iovec iov = {(void *)(uintptr_t)data, size};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;
	ssize_t sent;

	if (!size || fd_count > KERNEL_MAX_FDS)
		return -EINVAL;
	if (fd_count) {
		struct cmsghdr *cmsg;

		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		memset(control.bytes, 0, msg.msg_controllen);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(cmsg), fds, sizeof(int) * fd_count);
	}
	do
		sent = sendmsg(socket, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == ECONNRESET || errno == ENOTCONN ? -EPIPE : -errno;
	return 0;
}

/* Hands out the first `capacity` descriptors and closes the others. Returns how many had come. */
static size_t
collect_fds(struct msghdr *msg, int *fds, size_t capacity)
{
	size_t count = 0;

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		size_t here = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < here; i++, count++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (count < capacity)
				fds[count] = fd;
			else
				kr_fd_close(&fd);
		}
	}
	return count;
}

int
kr_packet_receive(int socket, void *data, size_t capacity, size_t *size, int *fds,
	size_t fd_capacity, size_t *fd_count)
{
	struct iovec iov = {data, capacity};
	union control control;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		/*
		 * Room for one more than are wanted, so that too many show; the kernel installs no
		 * more, whatever a peer sends. With fewer than that, truncated means "no more fds
		 * here".
		 */
		.msg_controllen =
			CMSG_SPACE(sizeof(int) * (KR_MIN(fd_capacity, KERNEL_MAX_FDS) + 1)),
	};
	ssize_t got;
	size_t count;
	int reset = 0;
	int err = 0;

	/*
	 * A peer that closes with packets of ours unread leaves ECONNRESET here, which Linux
	 * reports once and before what the peer itself had sent; that is still to be read.
	 */
	do
		got = recvmsg(socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && (errno == EINTR || (errno == ECONNRESET && !reset++)));
	if (got < 0)
		return errno == ECONNRESET || errno == ENOTCONN ? -EPIPE : -errno;
	count = collect_fds(&msg, fds, fd_capacity);
	if (got == 0)
		err = -EPIPE;
	else if (msg.msg_flags & MSG_TRUNC)
		err = -EMSGSIZE;
	else if (count > fd_capacity)
		err = -EPROTO;
	else if (msg.msg_flags & MSG_CTRUNC)
		err = -EMFILE;
	if (err) {
		for (size_t i = 0; i < KR_MIN(count, fd_capacity); i++)
			kr_fd_close(&fds[i]);
		return err;
	}
	*size = (size_t)got;
	*fd_count = count;
	return 0;
}
