/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a turn goes to the other end. Krafla: at once, with a fence of user space that signals when
 * the driver's does. Bare: a byte, once that is done. By the GPU: a byte at once, which says that
 * the semaphore's signal is submitted.
 */
#include "bench/shared/shared.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync/fence/fence.h"
#include "sync/wait/wait.h"
#include "util/clock.h"
#include "wire/packet.h"

#define LIMIT_NS (INT64_C(30) * 1000000000)

static int
give_with_fence(struct shared_end *end, struct shared_slot *slot, int socket)
{
	const struct kr_fence_label label = {.timeline = "bench", .name = "shared"};
	int producer, fence, err;
	char byte = 't';

	err = kr_fence_create(&label, &producer, &fence);
	if (err)
		return err;
	err = kr_packet_send(socket, &byte, 1, &fence, 1);
	close(fence);
	if (shared_slot_finish(end, slot))
		err = -EIO;
	kr_fence_signal(producer, err ? -EIO : KR_FENCE_SIGNALLED);
	return err;
}

static int
take_with_fence(int socket)
{
	struct pollfd readable = {.fd = socket, .events = POLLIN};
	size_t size, count;
	char byte;
	int fence, err;

	err = kr_packet_receive(socket, &byte, 1, &size, &fence, 1, &count);
	while (err == -EAGAIN) {
		if (poll(&readable, 1, -1) < 0 && errno != EINTR)
			return -errno;
		err = kr_packet_receive(socket, &byte, 1, &size, &fence, 1, &count);
	}
	if (err)
		return err;
	if (!count)
		return -EPROTO;
	err = kr_fence_wait(fence, kr_clock_now() + LIMIT_NS);
	close(fence);
	return err;
}

int
shared_turn_give(struct shared_end *end, struct shared_slot *slot, int socket)
{
	char byte = 't';

	if (end->way == SHARED_KRAFLA)
		return give_with_fence(end, slot, socket);
	if (end->way == SHARED_BARE && shared_slot_finish(end, slot))
		return -EIO;
	return send(socket, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : -EPIPE;
}

int
shared_turn_take(struct shared_end *end, struct shared_slot *slot, int socket)
{
	char byte;

	if (end->way == SHARED_KRAFLA)
		return take_with_fence(socket);
	return recv(socket, &byte, 1, 0) == 1 ? 0 : -EPIPE;
}
