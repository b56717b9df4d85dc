/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's process: does what its consumer asks for until that hangs up. It is started anew
 * from its file, since drivers don't outlive a fork.
 */
#include "bench/bench.h"
#include "bench/shared/shared.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/shared/carry.h"
#include "wire/packet.h"

#define SOCKET 3 /* where it finds its socket */

struct producer {
	struct shared_end ends[SHARED_WAYS];
	bool open[SHARED_WAYS];
	struct shared_slot slots[SHARED_WAYS][SHARED_SLOTS];
	uint64_t frames[SHARED_WAYS];
};

const char *
shared_loader(const struct shared_size *size, enum shared_way way)
{
	return way == SHARED_KRAFLA || !*size->other ? size->krafla : size->other;
}

static int
send_images(struct producer *producer, const struct shared_size *size, unsigned way)
{
	struct shared_end *end = &producer->ends[way];

	*end = (struct shared_end){.producer = true, .width = size->width, .height = size->height};
	producer->open[way] = true;
	if (shared_end_open(end, shared_loader(size, way), way))
		return 1;
	for (unsigned i = 0; i < SHARED_SLOTS; i++) {
		struct shared_slot *slot = &producer->slots[way][i];

		if (shared_slot_create(end, slot) || shared_slot_send(end, slot, SOCKET))
			return 1;
	}
	return 0;
}

/* What was given is taken back before the next order: the ways don't mix. */
static int
make_frames(struct producer *producer, unsigned way, uint32_t count)
{
	const uint64_t begin = producer->frames[way], end = begin + count;

	for (uint64_t n = begin; n < end + SHARED_SLOTS; n++) {
		struct shared_slot *slot = &producer->slots[way][n % SHARED_SLOTS];

		if (n >= begin + SHARED_SLOTS &&
			shared_turn_take(&producer->ends[way], slot, SOCKET))
			return 1;
		if (n < end &&
			(shared_slot_submit(&producer->ends[way], slot, n) ||
				shared_turn_give(&producer->ends[way], slot, SOCKET)))
			return 1;
	}
	producer->frames[way] = end;
	return 0;
}

static void
close_producer(struct producer *producer)
{
	for (unsigned way = 0; way < SHARED_WAYS; way++) {
		if (!producer->open[way])
			continue;
		for (unsigned i = 0; i < SHARED_SLOTS; i++)
			shared_slot_destroy(&producer->ends[way], &producer->slots[way][i]);
		shared_end_close(&producer->ends[way]);
	}
}

/* shared-source KRAFLA OTHER WIDTH HEIGHT */
int
kr_bench_child_shared_source(int argc, char **argv)
{
	struct producer producer = {0};
	struct shared_size size;
	struct shared_order order;
	int ret = 0;

	if (argc < 4)
		return 2;
	size = (struct shared_size){.krafla = argv[0],
		.other = argv[1],
		.width = (uint32_t)atoi(argv[2]),
		.height = (uint32_t)atoi(argv[3])};
	while (!ret && recv(SOCKET, &order, sizeof(order), 0) == (ssize_t)sizeof(order)) {
		if (order.way >= SHARED_WAYS)
			ret = 1;
		else if (order.frames)
			ret = make_frames(&producer, order.way, order.frames);
		else
			ret = send_images(&producer, &size, order.way);
	}
	close_producer(&producer);
	return ret;
}

static void
become_producer(const struct shared_size *size, int socket)
{
	char width[16], height[16];

	snprintf(width, sizeof(width), "%u", size->width);
	snprintf(height, sizeof(height), "%u", size->height);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (socket == SOCKET)
		fcntl(socket, F_SETFD, 0);
	else
		dup2(socket, SOCKET);
	execl("/proc/self/exe", "krafla-bench", "--child", "shared-source", size->krafla,
		size->other, width, height, (char *)NULL);
	_exit(127);
}

int
shared_source_start(struct shared_source *source, const struct shared_size *size)
{
	int ends[2];

	*source = (struct shared_source){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return 1;
	source->pid = fork();
	if (source->pid == 0)
		become_producer(size, ends[1]);
	close(ends[1]);
	source->socket = ends[0];
	return source->pid < 0;
}

void
shared_source_end(struct shared_source *source)
{
	if (source->socket >= 0)
		close(source->socket);
	if (source->pid > 0)
		waitpid(source->pid, NULL, 0);
	source->socket = -1;
	source->pid = 0;
}
