/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service that dies, stops, runs out of descriptors or is ended under load, its heir that begins
 * at the same socket, and two clients that ask one after the other meanwhile; packages are replaced
 * all the time (fakes).
 *
 *   each request is answered, or the connection ends: nobody hangs;
 *   what is given is what was asked for, and whoever has read a manifest gets what it names, unless
 *     it was replaced three times since;
 *   the heir serves on whatever becomes of its clients, until the last of them is gone.
 */
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "delivery/delivery.h"
#include "fake_parts.h"
#include "harness.h"
#include "kill.h"
#include "service/config/config.h"
#include "service/loop/loop.h"
#include "service/server/server.h"
#include "util/text.h"
#include "wire/loader_service.h"
#include "wire/packet.h"
#include "wire/service.h"

enum { SERVICE, HEIR, FIRST, SECOND };
enum { TO_HEIR, TO_FIRST, TO_SECOND }; /* links */
enum { COUNT_PACKAGES = KILL_COUNT_OWN, COUNT_MANIFESTS, COUNT_ENDS, COUNT_REPLACED };

#define STEP_NS (5 * KR_NSEC_PER_MSEC)

/* board->shared */
struct shared {
	atomic_uint replaced; /* how often the package was, by whatever service */
};

static struct shared *
shared_of(struct kill_actor *actor)
{
	return (struct shared *)actor->board->shared;
}

static void
name_socket(const struct kill_actor *actor, char path[108])
{
	snprintf(path, 108, "%s/service", actor->board->dir);
}

/* What a child inherits would keep sockets open that are taken for a service's. */
static void
close_everything(struct kill_actor *actor, void *data)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

/* --- services --- */

struct host {
	struct kill_actor *actor;
	struct kr_config config;
	struct kr_loop *loop;
	struct kr_server *server;
	char name[32];
};

static void
replace(struct host *host)
{
	const unsigned number = atomic_fetch_add(&shared_of(host->actor)->replaced, 1);

	if (host->name[0])
		fake_retire(host->name);
	snprintf(host->name, sizeof(host->name), "%u-a.so", number);
	fake_offer(host->name, "a");
	kill_count(host->actor->board, COUNT_REPLACED);
}

/* A forked child of the service before may hold its socket for a moment. */
static int
listen_there(struct kill_actor *actor, int *socket)
{
	const int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	char path[108], *reason;
	int err;

	name_socket(actor, path);
	for (;;) {
		kill_step(actor, "taking the socket");
		err = kr_server_listen(path, socket, &reason);
		free(reason);
		if (err != -EADDRINUSE)
			return err;
		if (kr_clock_now() > deadline)
			kill_complain(actor, "the socket of a dead service stays in use");
		poll(NULL, 0, 2);
	}
}

/* False: for want of descriptors. */
static bool
begin(struct host *host)
{
	struct kill_actor *actor = host->actor;
	char *reason = NULL;
	int socket, err;

	fake = (struct fake_parts){.files = 3};
	if (kr_config_init(&host->config))
		kill_complain(actor, "no configuration");
	err = listen_there(actor, &socket);
	if (!err) {
		err = kr_loop_create(&host->loop);
		if (err)
			close(socket);
		else
			err = kr_server_create(
				host->loop, &host->config, socket, NULL, &host->server, &reason);
	}
	free(reason);
	if (err && err != -EMFILE)
		kill_complain(actor, "no service: %s", strerror(-err));
	return !err;
}

static void
work(struct host *host)
{
	struct kill_actor *actor = host->actor;
	int err;

	kill_step(actor, "serving");
	if (kill_chance(&actor->random, 10))
		replace(host);
	fake_set_idle(kill_chance(&actor->random, 80));
	err = kr_loop_step(host->loop, kr_clock_now() + STEP_NS);
	if (err)
		kill_complain(actor, "the loop ended: %s", strerror(-err));
}

static void
end(struct host *host)
{
	kill_step(host->actor, "ending");
	kr_server_destroy(host->server);
	kr_loop_destroy(host->loop);
	kr_config_finish(&host->config);
}

static void
serve_a_while(struct kill_actor *actor)
{
	struct host host = {.actor = actor};
	const unsigned steps = 20 + kill_below(&actor->random, 200);

	actor->in_child = close_everything;
	if (begin(&host)) {
		replace(&host);
		for (unsigned i = 0; i < steps; i++)
			work(&host);
	}
	end(&host);
}

static bool
is_gone(struct kill_actor *actor, unsigned link, int64_t wait_ns)
{
	struct kill_parcel parcel;
	int fd;

	return kill_receive(actor, link, &parcel, &fd, wait_ns) < 0;
}

static void
inherit(struct kill_actor *actor)
{
	const int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	bool first = true, second = true;
	struct host host = {.actor = actor};

	actor->in_child = close_everything;
	while (!is_gone(actor, TO_HEIR, STEP_NS)) {
		kill_step(actor, "waiting for its turn");
		if (kr_clock_now() > deadline)
			kill_complain(actor, "the first service doesn't end");
	}
	if (begin(&host)) {
		replace(&host);
		while (first || second) {
			work(&host);
			first = first && !is_gone(actor, TO_FIRST, 0);
			second = second && !is_gone(actor, TO_SECOND, 0);
		}
	}
	end(&host);
}

/* --- clients --- */

struct asker {
	struct kill_actor *actor;
	unsigned link; /* to the heir: closed with it */
	int fd;        /* -1: no connection */
	uint32_t serial;
};

static void
disconnect(struct asker *asker)
{
	kill_count(asker->actor->board, COUNT_ENDS);
	close(asker->fd);
	asker->fd = -1;
}

/* An answer: 0; -EPIPE the connection has ended; -EMFILE the descriptors got lost. */
static int
receive(struct asker *asker, struct kr_ls_message *answer, int *fds, size_t *count)
{
	const int64_t deadline = kr_clock_now() + KILL_PATIENCE_NS;
	struct pollfd pollfd = {.fd = asker->fd, .events = POLLIN};
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size;
	int err;

	for (;;) {
		err = kr_packet_receive(
			asker->fd, bytes, sizeof(bytes), &size, fds, KR_LS_MAX_FDS, count);
		if (err != -EAGAIN)
			break;
		if (kr_clock_now() > deadline)
			kill_complain(asker->actor, "no answer, no end");
		poll(&pollfd, 1, 100);
	}
	if (!err && kr_ls_decode(bytes, size, *count, answer))
		kill_complain(asker->actor, "an answer that is none");
	return err;
}

static int
ask(struct asker *asker, const struct kr_ls_message *message, struct kr_ls_message *answer,
	int *fds, size_t *count)
{
	uint8_t bytes[KR_LS_MAX_SIZE];
	int err = kr_packet_send(asker->fd, bytes, kr_ls_encode(message, bytes), NULL, 0);

	return err ? err : receive(asker, answer, fds, count);
}

static bool
connect_once(struct asker *asker)
{
	const struct kr_ls_message hello = {.type = KR_LS_HELLO, .hello = {KR_LS_VERSION}};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	size_t count;

	asker->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (asker->fd < 0)
		return false;
	name_socket(asker->actor, address.sun_path);
	if (connect(asker->fd, (struct sockaddr *)&address, sizeof(address)) ||
		ask(asker, &hello, &answer, fds, &count)) {
		close(asker->fd);
		asker->fd = -1;
		return false;
	}
	if (answer.type != KR_LS_WELCOME)
		kill_complain(asker->actor, "no welcome");
	return true;
}

/* False: there is no service any more, nor will there be. */
static bool
connect_somehow(struct asker *asker)
{
	const int64_t deadline = kr_clock_now() + 2 * KILL_PATIENCE_NS;

	while (!connect_once(asker)) {
		kill_step(asker->actor, "looking for a service");
		if (is_gone(asker->actor, asker->link, STEP_NS))
			return false;
		if (kr_clock_now() > deadline)
			kill_complain(asker->actor, "no service comes");
	}
	return true;
}

static void
read_text(int take_fd, char *text, size_t size)
{
	ssize_t got = pread(take_fd, text, size - 1, 0);

	text[KR_MAX(got, (ssize_t)0)] = '\0';
	close(take_fd);
}

/* The name of the one manifest. False: there is none, or it got lost. */
static bool
read_manifests(struct asker *asker, char name[64])
{
	const struct kr_ls_message message = {.type = KR_LS_MANIFEST_FS,
		.manifest_fs = {++asker->serial,
			kill_chance(&asker->actor->random, 50) ? KR_SERVICE_WAIT_FOR_IDLE : 0}};
	struct kr_ls_message answer;
	int fds[KR_LS_MAX_FDS];
	char text[4096];
	json_t *listing;
	size_t count;
	int err = ask(asker, &message, &answer, fds, &count);

	if (err) {
		if (err != -EMFILE)
			disconnect(asker);
		return false;
	}
	if (answer.type == KR_LS_REFUSED)
		return false;
	if (answer.type != KR_LS_MANIFESTS || answer.manifests.serial != asker->serial)
		kill_complain(asker->actor, "another answer than was asked for");
	read_text(fds[0], text, sizeof(text));
	listing = json_loads(text, 0, NULL);
	name[0] = '\0';
	if (json_object_iter(listing))
		snprintf(name, 64, "%s", json_object_iter_key(json_object_iter(listing)));
	json_decref(listing);
	if (!kr_has_suffix(name, ".json"))
		return false;
	name[strlen(name) - 5] = '\0';
	kill_count(asker->actor->board, COUNT_MANIFESTS);
	return true;
}

static void
judge_package(struct asker *asker, const struct kr_ls_message *answer, const char *name,
	unsigned replaced, int *fds, size_t count)
{
	const unsigned now = atomic_load(&shared_of(asker->actor)->replaced);
	char text[256];

	if (answer->type == KR_LS_REFUSED)
		return;
	if (answer->type != KR_LS_PACKAGE || answer->package.serial != asker->serial)
		kill_complain(asker->actor, "another answer than was asked for");
	if (answer->package.kind == KR_DELIVERY_NONE) {
		if (now - replaced <= 2)
			kill_complain(asker->actor, "%s is not known, though its manifest was read",
				name);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		read_text(fds[i], text, sizeof(text));
		if (strcmp(text, name) != 0)
			kill_complain(asker->actor, "%s was asked for, %s came", name, text);
	}
	kill_count(asker->actor->board, COUNT_PACKAGES);
}

static void
ask_for_package(struct asker *asker)
{
	const unsigned replaced = atomic_load(&shared_of(asker->actor)->replaced);
	struct kr_ls_message message = {.type = KR_LS_GET}, answer;
	int fds[KR_LS_MAX_FDS], err;
	char name[64];
	size_t count;

	kill_step(asker->actor, "reading manifests");
	if (!read_manifests(asker, name))
		return;
	kill_step(asker->actor, "asking for a package");
	message.get.serial = ++asker->serial;
	message.get.options = kill_chance(&asker->actor->random, 50) ? KR_SERVICE_GET_STRICT : 0;
	snprintf(message.get.name, sizeof(message.get.name), "%s", name);
	err = ask(asker, &message, &answer, fds, &count);
	if (err) {
		if (err != -EMFILE)
			disconnect(asker);
		return;
	}
	judge_package(asker, &answer, name, replaced, fds, count);
}

static void
play_client(struct kill_actor *actor, unsigned link)
{
	struct asker asker = {.actor = actor, .link = link, .fd = -1};
	const unsigned rounds = 20 + kill_below(&actor->random, 200);

	actor->in_child = close_everything;
	for (unsigned i = 0; i < rounds; i++) {
		if (asker.fd < 0 && !connect_somehow(&asker))
			break;
		ask_for_package(&asker);
	}
	if (asker.fd >= 0)
		close(asker.fd);
}

static void
first(struct kill_actor *actor)
{
	play_client(actor, TO_FIRST);
}

static void
second(struct kill_actor *actor)
{
	play_client(actor, TO_SECOND);
}

static const struct kill_scenario kill_service = {
	.name = "service",
	.roles = {{"service", serve_a_while}, {"heir", inherit}, {"first client", first},
		{"second client", second}},
	.role_count = 4,
	.links = {{{SERVICE, HEIR}}, {{HEIR, FIRST}}, {{HEIR, SECOND}}},
	.link_count = 3,
	.counts = {"packages", "manifests", "ended connections", "replaced packages"},
	.shared_size = sizeof(struct shared),
};

/* F-02, Q-03: killed, stopped and restarted under load. */
static void
service(void **state)
{
	assert_true(kill_shortly(&kill_service));
}

static const struct kill_scenario *const scenarios[] = {&kill_service};
static const struct kr_test tests[] = {KR_TEST_SLOW(service, 0, 60)};

int
main(int argc, char **argv)
{
	return kill_main(
		argc, argv, scenarios, KR_ARRAY_LEN(scenarios), tests, KR_ARRAY_LEN(tests));
}
