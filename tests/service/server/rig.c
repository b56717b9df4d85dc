/* SPDX-License-Identifier: Apache-2.0 */
/* See rig.h. */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"
#include "util/clock.h"
#include "util/fd.h"
#include "wire/packet.h"

#define PATIENCE_NS (10 * KR_NSEC_PER_SEC)

void
rig_init(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	fake = (struct fake_parts){.files = 1};
	assert_int_equal(kr_config_init(&rig->config), 0);
	/* All clients are this process. */
	rig->config.max_clients_of_a_process = UINT32_MAX;
	snprintf(rig->path, sizeof(rig->path), "%s/service", kr_test_dir());
}

void
rig_start(struct rig *rig)
{
	char *reason;
	int socket;

	assert_int_equal(kr_server_listen(rig->path, &socket, &reason), 0);
	assert_int_equal(kr_loop_create(&rig->loop), 0);
	assert_int_equal(
		kr_server_create(rig->loop, &rig->config, socket, NULL, &rig->server, &reason), 0);
}

void
rig_finish(struct rig *rig)
{
	kr_server_destroy(rig->server);
	kr_loop_destroy(rig->loop);
	kr_config_finish(&rig->config);
	assert_int_equal(fake.generations, 0);
}

void
rig_settle(struct rig *rig)
{
	for (int i = 0; i < 64; i++)
		assert_int_equal(kr_loop_step(rig->loop, kr_clock_now()), 0);
}

int
rig_connect(struct rig *rig)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	memcpy(address.sun_path, rig->path, strlen(rig->path));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

void
rig_send(int fd, const struct kr_ls_message *message)
{
	uint8_t bytes[KR_LS_MAX_SIZE];

	assert_int_equal(kr_packet_send(fd, bytes, kr_ls_encode(message, bytes), NULL, 0), 0);
}

/* 0 or -errno; with -EAGAIN nothing came within the time. */
static int
receive(struct rig *rig, int fd, struct kr_ls_message *message, int *fds, size_t *fd_count)
{
	const int64_t deadline = kr_deadline_in(PATIENCE_NS);
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size;
	int err;

	do {
		err = kr_packet_receive(
			fd, bytes, sizeof(bytes), &size, fds, KR_LS_MAX_FDS, fd_count);
		if (err != -EAGAIN)
			break;
		assert_int_equal(
			kr_loop_step(rig->loop, kr_clock_now() + 10 * KR_NSEC_PER_MSEC), 0);
	} while (kr_clock_now() < deadline);
	return err ? err : kr_ls_decode(bytes, size, *fd_count, message);
}

void
rig_receive(struct rig *rig, int fd, struct kr_ls_message *message, int *fds, size_t *fd_count)
{
	int own[KR_LS_MAX_FDS];
	size_t own_count;

	assert_int_equal(
		receive(rig, fd, message, fds ? fds : own, fds ? fd_count : &own_count), 0);
	for (size_t i = 0; !fds && i < own_count; i++)
		close(own[i]);
}

void
rig_ask(struct rig *rig, int fd, const struct kr_ls_message *message, struct kr_ls_message *answer,
	int *fds, size_t *fd_count)
{
	rig_send(fd, message);
	rig_receive(rig, fd, answer, fds, fd_count);
}

int
rig_client(struct rig *rig)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	struct kr_ls_message answer;
	int fd = rig_connect(rig);

	rig_ask(rig, fd, &hello, &answer, NULL, NULL);
	assert_int_equal(answer.type, KR_LS_WELCOME);
	return fd;
}

void
rig_expect_silence(struct rig *rig, int fd)
{
	char byte;

	rig_settle(rig);
	assert_int_equal(recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

void
rig_expect_end(struct rig *rig, int fd)
{
	struct kr_ls_message message;
	int fds[KR_LS_MAX_FDS];
	size_t count;
	int err = receive(rig, fd, &message, fds, &count);

	if (!err) {
		assert_int_equal(message.type, KR_LS_REFUSED);
		err = receive(rig, fd, &message, fds, &count);
	}
	assert_int_equal(err, -EPIPE);
}

struct kr_ls_message
rig_get(uint32_t serial, const char *name)
{
	struct kr_ls_message message = {.type = KR_LS_GET, .get = {.serial = serial}};

	snprintf(message.get.name, sizeof(message.get.name), "%s", name);
	return message;
}

void
rig_read(int take_fd, char *text, size_t size)
{
	ssize_t got = pread(take_fd, text, size - 1, 0);

	assert_true(got >= 0);
	text[got] = '\0';
	close(take_fd);
}

json_t *
rig_inspect(struct rig *rig, int fd)
{
	const struct kr_ls_message message = {.type = KR_LS_INSPECT, .inspect = {77}};
	static char text[1 << 20];
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	json_t *state;
	size_t count;

	rig_ask(rig, fd, &message, &answer, fds, &count);
	assert_int_equal(answer.type, KR_LS_STATE);
	assert_int_equal(answer.state.serial, 77);
	rig_read(fds[0], text, sizeof(text));
	state = json_loads(text, 0, NULL);
	assert_non_null(state);
	return state;
}
