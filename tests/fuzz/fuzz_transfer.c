/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what AHardwareBuffer_recvHandleFromUnixSocket takes in. The input: a byte whose lowest bit
 * picks packets or a stream, then messages: a byte that picks the descriptors that go along (its
 * highest bit: 128 bytes more), a byte of length, the bytes. The sender closes before anything is
 * read, so that nothing is waited for.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gralloc/transfer.h"
#include "util/fd.h"
#include "wire/packet.h"

#define MAX_MESSAGES 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kr_buffer *sample;
static int gpu_memory = -1;

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_transfer: %s\n", what);
	abort();
}

static void
feed(const uint8_t *data, size_t size, int socket)
{
	const int own = kr_buffer_get_info(sample)->fd;
	const int sets[8][2] = {{-1, -1}, {own, own}, {own, own}, {STDERR_FILENO, -1},
		{own, gpu_memory}, {gpu_memory, -1}, {gpu_memory, own}, {own, STDERR_FILENO}};
	static const size_t counts[8] = {0, 1, 2, 1, 2, 1, 2, 2};

	for (int i = 0; i < MAX_MESSAGES && size > 2; i++) {
		size_t length = KR_MIN((size_t)data[1] + (data[0] & 0x80), size - 2);

		if (length &&
			kr_packet_send(
				socket, data + 2, length, sets[data[0] % 8], counts[data[0] % 8]))
			return;
		data += 2 + length;
		size -= 2 + length;
	}
}

/* Whatever is accepted is memory that can be used to its last byte. */
static void
use(struct kr_buffer *buffer)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(buffer);
	volatile unsigned char *pixels;
	void *map;

	check(info->fd >= 0 || info->gpu, "a buffer of nothing");
	check(kr_buffer_is_of_cpus_alone(info) || info->desc.layers == 1 || info->gpu,
		"layers of nobody");
	check(!info->gpu == (info->gpu_fd < 0), "memory of a GPU without it");
	if (info->backend == KR_BUFFER_GPU) {
		check(kr_buffer_map(buffer, &map) == -EOPNOTSUPP, "a mapping of a GPU's memory");
		kr_buffer_unref(buffer);
		return;
	}
	check((uint64_t)info->row_bytes * info->desc.height <= kr_buffer_layer_bytes(info),
		"rows beyond their layer");
	/* Neither factor is more than the memory has bytes. */
	check(info->desc.layers && kr_buffer_layer_bytes(info) <= info->size &&
			info->desc.layers <= info->size / kr_buffer_layer_bytes(info),
		"layers beyond the end");
	check(!kr_buffer_map(buffer, &map), "no mapping");
	pixels = map;
	pixels[info->size - 1] = pixels[0];
	kr_buffer_unref(buffer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kr_buffer_desc desc = {64, 32, 1, 1, 3};
	struct kr_buffer *buffer;
	int pair[2], first, probe, before, err;

	if (!sample) {
		check(!kr_buffer_allocate(&desc, &sample), "buffer");
		gpu_memory = memfd_create("gpu", MFD_CLOEXEC);
		check(gpu_memory >= 0, "memory");
	}
	if (!size)
		return 0;
	first = before = dup(0);
	kr_fd_close(&first);
	check(!socketpair(AF_UNIX,
		      (data[0] & 1 ? SOCK_STREAM : SOCK_SEQPACKET) | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      0, pair),
		"socketpair");
	feed(data + 1, size - 1, pair[0]);
	kr_fd_close(&pair[0]);
	for (int i = 0; i <= MAX_MESSAGES; i++) {
		err = kr_transfer_receive(pair[1], &buffer);
		if (!err)
			use(buffer);
		if (err == -EPIPE || (err && data[0] & 1))
			break;
	}
	kr_fd_close(&pair[1]);
	/* The lowest free descriptor is the one of before: nothing that came is open. */
	probe = dup(0);
	check(probe == before, "a descriptor is left open");
	kr_fd_close(&probe);
	return 0;
}
