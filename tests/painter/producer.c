/* SPDX-License-Identifier: Apache-2.0 */
/* See producer.h. */
#include "producer.h"

#include "../gpu/rig.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void
produce(int socket, uint32_t width, uint32_t height, uint32_t seed)
{
	const struct kr_gpu_memory wanted = rig_wanted(width, height);
	struct kr_gpu_image image;
	struct rig rig;
	char word;
	int fd;

	rig_open(&rig);
	rig_export(&rig, &wanted, &image, &fd);
	rig_fill(&rig, &image, seed);
	rig_send(socket, &image.description, sizeof(image.description), fd);
	close(fd);
	(void)!read(socket, &word, sizeof(word));
	_exit(rig_shows(&rig, &image, seed) ? 0 : 1);
}

struct kr_buffer *
producer_start(struct producer *producer, uint32_t width, uint32_t height, uint32_t seed)
{
	const struct kr_buffer_desc desc = {width, height, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	struct kr_gpu_memory memory;
	struct kr_buffer *buffer;
	int sockets[2], fd;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	producer->pid = fork();
	assert_true(producer->pid >= 0);
	if (!producer->pid) {
		close(sockets[0]);
		produce(sockets[1], width, height, seed);
	}
	close(sockets[1]);
	producer->socket = sockets[0];
	assert_true(rig_receive(producer->socket, &memory, sizeof(memory), &fd));
	assert_int_equal(kr_buffer_from_gpu(&desc, &memory, fd, &buffer), 0);
	return buffer;
}

bool
producer_ends_well(struct producer *producer)
{
	int status;

	/* Producers that came later have it, too. */
	shutdown(producer->socket, SHUT_RDWR);
	close(producer->socket);
	return waitpid(producer->pid, &status, 0) == producer->pid && WIFEXITED(status) &&
		WEXITSTATUS(status) == 0;
}
