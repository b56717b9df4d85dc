/* SPDX-License-Identifier: Apache-2.0 */
/* Sending a handle, and receiving what claims to be one. */
#include "gralloc/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "util/clock.h"
#include "util/fd.h"
#include "wire/packet.h"

#define PATIENCE_NS (5 * KR_NSEC_PER_SEC)

static int
check_socket(int fd)
{
	socklen_t size = sizeof(int);
	int domain;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size))
		return errno == EBADF ? -EBADF : -EINVAL;
	return domain == AF_UNIX ? 0 : -EINVAL;
}

/* Waits until the socket can be used; an error shows by using it. 0, -ETIME or -errno. */
static int
wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int ready = kr_fd_poll(&p, 1, deadline_ns);

	return ready > 0 ? 0 : ready ? ready : -ETIME;
}

static bool
blocks(int fd)
{
	return !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

int
kr_transfer_send(int socket, const struct kr_buffer *buffer)
{
	const native_handle_t *handle = kr_buffer_handle(buffer);
	int32_t words[KR_TRANSFER_WORDS] = {KR_TRANSFER_MAGIC, sizeof(words)};
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	int err = check_socket(socket);

	if (err)
		return err;
	memcpy(words + 2, handle->data + KR_HANDLE_FDS, sizeof(int32_t) * KR_HANDLE_INTS);
	/* The kernel takes so small a message whole or not at all, on a stream too. */
	for (;;) {
		err = kr_packet_send(socket, words, sizeof(words), handle->data, KR_HANDLE_FDS);
		if (err != -EAGAIN || !blocks(socket))
			return err;
		err = wait_for(socket, POLLOUT, deadline);
		if (err)
			return err;
	}
}

/* What has come of a message. */
struct arrival {
	int32_t words[KR_TRANSFER_WORDS];
	size_t bytes;
	int fd; /* -1: none yet */
};

/* Waits in the way of the socket itself until there is something, or its end. */
static int
wait_for_first(int fd)
{
	char byte;
	ssize_t got;

	do
		got = recv(fd, &byte, sizeof(byte), MSG_PEEK);
	while (got < 0 && errno == EINTR);
	if (got >= 0)
		return 0;
	return errno == ECONNRESET || errno == ENOTCONN ? -EPIPE : -errno;
}

/* A packet, or the next piece of a stream. */
static int
receive_piece(int fd, struct arrival *arrival)
{
	size_t size, count = 0;
	int came, err;

	err = kr_packet_receive(fd, (char *)arrival->words + arrival->bytes,
		sizeof(arrival->words) - arrival->bytes, &size, &came, 1, &count);
	if (err)
		return err == -EMSGSIZE ? -EPROTO : err;
	arrival->bytes += size;
	if (!count)
		return 0;
	if (arrival->fd >= 0) {
		kr_fd_close(&came);
		return -EPROTO;
	}
	arrival->fd = came;
	return 0;
}

static bool
is_stream(int fd)
{
	socklen_t size = sizeof(int);
	int type = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

static int
receive_all(int fd, struct arrival *arrival)
{
	int64_t deadline = KR_FOREVER;
	int err;

	while (arrival->bytes < sizeof(arrival->words)) {
		err = arrival->bytes ? wait_for(fd, POLLIN, deadline) : wait_for_first(fd);
		if (err)
			return err;
		err = receive_piece(fd, arrival);
		/* Somebody else has read it; on a socket that blocks that is nothing to tell. */
		if (err == -EAGAIN && (arrival->bytes || blocks(fd)))
			continue;
		if (err)
			return err;
		if (deadline == KR_FOREVER)
			deadline = kr_deadline_in(PATIENCE_NS);
		if (!is_stream(fd))
			break;
	}
	return arrival->bytes == sizeof(arrival->words) ? 0 : -EPROTO;
}

static int
import(const struct arrival *arrival, struct kr_buffer **buffer)
{
	struct kr_handle handle = {
		.native = {sizeof(native_handle_t), KR_HANDLE_FDS, KR_HANDLE_INTS}};

	if (arrival->words[0] != KR_TRANSFER_MAGIC ||
		arrival->words[1] != (int32_t)sizeof(arrival->words) || arrival->fd < 0)
		return -EPROTO;
	handle.words[3] = arrival->fd;
	memcpy(handle.words + 3 + KR_HANDLE_FDS, arrival->words + 2,
		sizeof(int32_t) * KR_HANDLE_INTS);
	return kr_buffer_import(&handle.native, buffer);
}

int
kr_transfer_receive(int socket, struct kr_buffer **buffer)
{
	struct arrival arrival = {.fd = -1};
	int err = check_socket(socket);

	if (!err)
		err = receive_all(socket, &arrival);
	if (!err)
		err = import(&arrival, buffer);
	kr_fd_close(&arrival.fd);
	return err;
}
