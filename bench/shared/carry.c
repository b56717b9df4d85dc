/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/shared/carry.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

#include "wire/packet.h"

#define LIMIT_MS 30000

int
shared_carry_send(int socket, const void *data, size_t size, const int *fds, size_t count)
{
	struct pollfd writable = {.fd = socket, .events = POLLOUT};
	int err = kr_packet_send(socket, data, size, fds, count);

	while (err == -EAGAIN && poll(&writable, 1, LIMIT_MS) > 0)
		err = kr_packet_send(socket, data, size, fds, count);
	if (err)
		fprintf(stderr, "krafla-bench: sending to the other end: %d\n", err);
	return err != 0;
}

int
shared_carry_receive(int socket, void *data, size_t size, int *fds, size_t count)
{
	struct pollfd readable = {.fd = socket, .events = POLLIN};
	size_t got = 0, got_fds = 0;
	int err = -ETIME;

	if (poll(&readable, 1, LIMIT_MS) > 0)
		err = kr_packet_receive(socket, data, size, &got, fds, count, &got_fds);
	return err || got != size;
}
