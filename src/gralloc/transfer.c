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

int
kr_transfer_check_socket(int fd)
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
kr_transfer_send(int socket, const native_handle_t *handle, int32_t data_space)
{
	const size_t ints = (size_t)handle->numInts, fds = (size_t)handle->numFds;
	const size_t size = sizeof(int32_t) * (2 + ints + (data_space != 0));
	int32_t words[KR_TRANSFER_ROOM] = {KR_TRANSFER_MAGIC, (int32_t)size};
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	int err = kr_transfer_check_socket(socket);

	if (!err && (ints > KR_HANDLE_MAX_INTS || fds > KR_HANDLE_MAX_FDS))
		err = -EINVAL;
	if (err)
		return err;
	memcpy(words + 2, handle->data + fds, sizeof(int32_t) * ints);
	if (data_space)
		words[2 + ints] = data_space;
	/* The kernel takes so small a message whole or not at all, on a stream too. */
	for (;;) {
		err = kr_packet_send(socket, words, size, handle->data, fds);
		if (err != -EAGAIN || !blocks(socket))
			return err;
		err = wait_for(socket, POLLOUT, deadline);
		if (err)
			return err;
	}
}

/* What has come of a message. */
struct arrival {
	int32_t words[KR_TRANSFER_ROOM];
	size_t bytes;
	int fds[KR_HANDLE_MAX_FDS];
	size_t fd_count;
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

/*
 * How long the message is, as far as it has come: what follows on a stream isn't this message's. 0:
 * no message has that length.
 */
static size_t
whole_size(const struct arrival *arrival)
{
	const size_t word = sizeof(int32_t);
	const size_t least = word * KR_TRANSFER_WORDS, most = word * KR_TRANSFER_MAX_WORDS;
	size_t said;

	if (arrival->bytes < least)
		return least;
	said = (size_t)(uint32_t)arrival->words[1];
	/* With a data space it is a word longer. */
	return arrival->words[0] == KR_TRANSFER_MAGIC &&
			(said == least || said == least + word || said == most ||
				said == most + word)
		? said
		: 0;
}

/* A packet, or the next piece of a stream, of `most` bytes. */
static int
receive_piece(int fd, struct arrival *arrival, size_t most)
{
	size_t size, count = 0;
	int came[KR_HANDLE_MAX_FDS], err;

	err = kr_packet_receive(fd, (char *)arrival->words + arrival->bytes, most, &size, came,
		KR_HANDLE_MAX_FDS, &count);
	if (err)
		return err == -EMSGSIZE ? -EPROTO : err;
	arrival->bytes += size;
	for (size_t i = 0; i < count; i++) {
		if (arrival->fd_count < KR_HANDLE_MAX_FDS)
			arrival->fds[arrival->fd_count++] = came[i];
		else
			err = -EPROTO;
		if (err)
			kr_fd_close(&came[i]);
	}
	return err;
}

static bool
is_stream(int fd)
{
	socklen_t size = sizeof(int);
	int type = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

/* The rest of a message on a stream, of which at least a byte has come. */
static int
receive_rest(int fd, struct arrival *arrival)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);

	for (;;) {
		size_t whole = whole_size(arrival);
		int err;

		if (arrival->bytes >= whole)
			return 0;
		err = wait_for(fd, POLLIN, deadline);
		if (!err)
			err = receive_piece(fd, arrival, whole - arrival->bytes);
		/* Somebody else has read it. */
		if (err && err != -EAGAIN)
			return err;
	}
}

static int
receive_all(int fd, struct arrival *arrival)
{
	const bool stream = is_stream(fd);
	int err;

	/* On a socket that blocks, that somebody else has read it is nothing to tell. */
	do {
		err = wait_for_first(fd);
		if (err)
			return err;
		err = receive_piece(
			fd, arrival, stream ? whole_size(arrival) : sizeof(arrival->words));
	} while (err == -EAGAIN && blocks(fd));
	if (!err && stream)
		err = receive_rest(fd, arrival);
	if (!err && arrival->bytes != whole_size(arrival))
		err = -EPROTO;
	return err;
}

static int
import(const struct arrival *arrival, struct kr_buffer **buffer)
{
	const size_t words = arrival->bytes / sizeof(int32_t) - 2;
	const size_t ints = words > KR_HANDLE_INTS + 1 ? KR_HANDLE_MAX_INTS : KR_HANDLE_INTS;
	const int32_t data_space = words > ints ? arrival->words[2 + ints] : 0;
	struct kr_handle handle = {
		.native = {sizeof(native_handle_t), (int)arrival->fd_count, (int)ints}};
	int err;

	if (!arrival->fd_count || (ints == KR_HANDLE_INTS && arrival->fd_count != KR_HANDLE_FDS) ||
		(words > ints && !data_space))
		return -EPROTO;
	memcpy(handle.words + 3, arrival->fds, sizeof(int) * arrival->fd_count);
	memcpy(handle.words + 3 + arrival->fd_count, arrival->words + 2, sizeof(int32_t) * ints);
	err = kr_buffer_import_shared(&handle.native, buffer);
	if (!err)
		kr_buffer_set_data_space(*buffer, data_space);
	return err;
}

int
kr_transfer_receive(int socket, struct kr_buffer **buffer)
{
	struct arrival arrival = {0};
	int err = kr_transfer_check_socket(socket);

	if (!err)
		err = receive_all(socket, &arrival);
	if (!err)
		err = import(&arrival, buffer);
	for (size_t i = 0; i < arrival.fd_count; i++)
		kr_fd_close(&arrival.fds[i]);
	return err;
}
