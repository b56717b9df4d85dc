/* SPDX-License-Identifier: Apache-2.0 */
/* New connections: some a round, and so many in all, of a user and of a process. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/server/state.h"
#include "util/clock.h"
#include "util/log.h"
#include "wire/packet.h"

#define ACCEPTS_A_ROUND 16
#define PAUSE_NS        (200 * KR_NSEC_PER_MSEC)

/* Told what it is, if it ever reads. */
static void
turn_away(struct kr_server *server, int take_fd, const char *text)
{
	struct kr_ls_message refused = {.type = KR_LS_REFUSED, .refused = {.error = EUSERS}};
	uint8_t bytes[KR_LS_MAX_SIZE];

	strncpy(refused.refused.text, text, sizeof(refused.refused.text) - 1);
	server->counts.turned_away++;
	/* One that doesn't get it sees the end of the connection. */
	(void)!kr_packet_send(take_fd, bytes, kr_ls_encode(&refused, bytes), NULL, 0);
	close(take_fd);
}

/* Root and the service's own user have as many as there are. */
static bool
has_enough(const struct kr_server *server, const struct kr_user *user)
{
	if (user->known && (!user->uid || user->uid == server->own_uid))
		return false;
	return user->clients > server->config->max_clients_of_a_user;
}

/*
 * In a user's service all clients are the same user's, sandboxed ones too: none of them may take all connections. A
 * process needs one for each copy of the loader in it.
 */
static bool
process_has_enough(const struct kr_server *server, pid_t pid)
{
	const struct kr_peer *peer;
	uint32_t count = 0;

	if (!pid)
		return false;
	kr_list_for_each (peer, &server->peers, link)
		count += peer->credentials.pid == pid;
	return count >= server->config->max_clients_of_a_process;
}

static void
welcome(struct kr_server *server, int take_fd)
{
	struct kr_credentials credentials;
	struct kr_user *user;

	server->counts.connections++;
	if (server->peer_count >= server->config->max_clients) {
		turn_away(server, take_fd, "the service has as many clients as it may have");
		return;
	}
	kr_credentials_read(take_fd, &credentials);
	if (process_has_enough(server, credentials.pid)) {
		turn_away(server, take_fd, "this process has as many connections as it may have");
		return;
	}
	user = kr_users_get(&server->users, &credentials);
	if (user && has_enough(server, user)) {
		kr_users_put(user);
		turn_away(server, take_fd, "this user has as many connections as it may have");
		return;
	}
	if (!user) {
		turn_away(server, take_fd, "the service has no memory for another client");
		return;
	}
	if (kr_peer_create(server, take_fd, &credentials, user, kr_peer_handle_event))
		server->counts.turned_away++;
}

/* Descriptors or memory are short, which would be told again at once: clients that leave give some back. */
static void
pause_accepting(struct kr_server *server, int err)
{
	if (kr_clock_now() >= server->quiet_until) {
		kr_log(KR_LOG_ERROR | KR_LOG_LOUD,
			"no connection can be accepted: %s; %u clients are connected",
			strerror(-err), server->peer_count);
		server->quiet_until = kr_deadline_in(KR_NSEC_PER_SEC);
	}
	if (!kr_watch_events(server->accepting, 0))
		kr_watch_deadline(server->accepting, kr_deadline_in(PAUSE_NS));
}

static void
handle_connection(void *data, uint32_t events)
{
	struct kr_server *server = data;

	if (!events && kr_watch_events(server->accepting, EPOLLIN)) {
		kr_watch_deadline(server->accepting, kr_deadline_in(PAUSE_NS));
		return;
	}
	for (int i = 0; i < ACCEPTS_A_ROUND; i++) {
		int fd = accept4(server->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			welcome(server, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			pause_accepting(server, -errno);
		return;
	}
}

int
kr_server_accept(struct kr_server *server)
{
	return kr_watch_add(server->loop, server->socket, EPOLLIN, handle_connection, server,
		&server->accepting);
}
