/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the loader service's end of a connection. The input is a list of packets: a byte that says
 * what happens, a byte of length, the bytes. Bit 0 sends a descriptor along, bit 1 reads the
 * answers first, bit 2 makes the service idle, bit 3 busy. Packages and devices are fakes
 * (tests/service/server/fake_parts.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/fake_parts.h"
#include "service/server/server.h"
#include "service/server/state.h"
#include "util/clock.h"
#include "util/fd.h"
#include "wire/packet.h"

#define MAX_PACKETS 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kr_config config;
static struct kr_loop *loop;
static struct kr_server *server;
static unsigned long packets;

/* For who wants to know whether it were a million. */
static void __attribute__((destructor)) tell(void)
{
	fprintf(stderr, "# %lu packets, %llu requests among them\n", packets,
		server ? (unsigned long long)server->counts.given.requests : 0);
}

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_service: %s\n", what);
	abort();
}

/* Its listening socket is one that nobody can connect to. */
static void
make_server(void)
{
	char *reason;
	int pair[2];

	if (server)
		return;
	fake.files = 2;
	snprintf(fake.node_path, sizeof(fake.node_path), "/dev/null");
	check(!kr_config_init(&config) && !kr_loop_create(&loop), "no loop");
	config.max_requests = 4;
	check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), "socketpair");
	check(!kr_server_create(loop, &config, pair[0], NULL, &server, &reason), "no server");
	fake_offer("0-a.so", "a");
	fake_node("d/n");
}

static void
check_codec(const uint8_t *data, size_t size, size_t fds)
{
	struct kr_ls_message message;
	uint8_t again[KR_LS_MAX_SIZE];

	if (kr_ls_decode(data, size, fds, &message))
		return;
	check(kr_ls_encode(&message, again) == size && !memcmp(again, data, size),
		"a message isn't what it was read from");
}

static void
step(void)
{
	check(!kr_loop_step(loop, kr_clock_now()), "the loop");
}

/* What the service says is always a message. */
static void
read_answers(int socket)
{
	uint8_t bytes[KR_LS_MAX_SIZE];
	struct kr_ls_message message;
	int fds[KR_LS_MAX_FDS];
	size_t size, count;

	while (!kr_packet_receive(
		socket, bytes, sizeof(bytes), &size, fds, KR_LS_MAX_FDS, &count)) {
		check(!kr_ls_decode(bytes, size, count, &message), "an answer is no message");
		check(message.type >= KR_LS_WELCOME, "an answer is a request");
		for (size_t i = 0; i < count; i++)
			kr_fd_close(&fds[i]);
	}
}

static void
happen(uint8_t what, int socket)
{
	if (what & 2)
		read_answers(socket);
	if (what & 4)
		fake_set_idle(true);
	else if (what & 8)
		fake_set_idle(false);
}

static void
feed(const uint8_t *data, size_t size, int socket)
{
	const int along = STDERR_FILENO;

	for (int i = 0; i < MAX_PACKETS && size > 2; i++) {
		const size_t length = KR_MIN((size_t)data[1], size - 2);

		happen(data[0], socket);
		check_codec(data + 2, length, data[0] & 1);
		if (length && kr_packet_send(socket, data + 2, length, &along, data[0] & 1))
			return;
		packets++;
		step();
		data += 2 + length;
		size -= 2 + length;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct kr_credentials credentials = {
		.pid = 1, .uid = 12345, .known = size && data[0] & 0x80};
	struct kr_user *user;
	int pair[2];

	make_server();
	fake_set_idle(false);
	check(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), "socketpair");
	user = kr_users_get(&server->users, &credentials);
	check(user && !kr_server_serve(server, pair[1], &credentials, user), "no client");
	feed(data, size, pair[0]);
	step();
	read_answers(pair[0]);
	kr_fd_close(&pair[0]);
	/* What was thrown out is looked after once a second; here there is no second. */
	step();
	while (!kr_list_empty(&server->peers))
		kr_peer_destroy(kr_container_of(server->peers.next, struct kr_peer, link));
	check(kr_list_empty(&server->users.all), "a user is left");
	return 0;
}
