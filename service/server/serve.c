/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers are accepted, or turned away, and served: messages are read while nothing is to be sent,
 * and what is ready is sent as soon as that is possible. What bounds it: peer.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/server/peer.h"
#include "service/server/state.h"
#include "util/clock.h"
#include "util/log.h"
#include "wire/packet.h"

#define ACCEPTS_A_ROUND 16
#define PAUSE_NS        (200 * KR_NSEC_PER_MSEC)

/* Later versions' messages may be longer than those of this one. */
#define LONGEST_MESSAGE 4096

/* False: the client has left, or is freed. */
static bool
read_messages(struct kr_peer *peer)
{
	uint8_t data[LONGEST_MESSAGE];
	const char *why;
	size_t size, fds;

	for (int i = 0; i < KR_PEER_ROUND && kr_list_empty(&peer->ready); i++) {
		int err = kr_packet_receive(peer->fd, data, sizeof(data), &size, NULL, 0, &fds);

		if (err == -EAGAIN)
			return true;
		if (err == -EPIPE) {
			kr_peer_leave(peer);
			return false;
		}
		why = err == -EMSGSIZE ? "it sent a message that is too long"
				       : "it sent descriptors that nobody asked for";
		if (!err)
			err = kr_peer_take(peer, data, size, &why);
		if (err) {
			kr_peer_throw_out(peer, why);
			return false;
		}
		if (!kr_peer_answer(peer))
			return false;
	}
	return true;
}

/*
 * Reads when nothing is to be sent, writes when that is possible again, else waits for the timer.
 */
static void
set_watch(struct kr_peer *peer)
{
	const bool is_ready = !kr_list_empty(&peer->ready);
	const uint32_t events = !is_ready ? EPOLLIN : peer->is_full ? EPOLLOUT : 0;
	int64_t deadline = KR_FOREVER;

	if (!peer->greeted)
		deadline = peer->since + KR_PEER_PATIENCE_NS;
	else if (is_ready && !peer->is_full)
		deadline = kr_deadline_in(KR_PEER_RETRY_NS);
	kr_watch_deadline(peer->watch, deadline);
	if (kr_watch_events(peer->watch, events))
		kr_peer_throw_out(peer, "its socket can't be watched");
}

static void
handle_event(void *data, uint32_t events)
{
	struct kr_peer *peer = data;

	if (peer->left) {
		kr_peer_look_whether_read(peer, KR_NSEC_PER_SEC);
		return;
	}
	if (events & (EPOLLHUP | EPOLLERR)) {
		kr_peer_leave(peer);
		return;
	}
	if (!events && !peer->greeted && kr_clock_now() >= peer->since + KR_PEER_PATIENCE_NS) {
		kr_peer_throw_out(peer, "it didn't say hello");
		return;
	}
	peer->is_full &= !(events & EPOLLOUT);
	if (!kr_peer_answer(peer))
		return;
	if (events & EPOLLIN && !read_messages(peer))
		return;
	set_watch(peer);
}

void
kr_peer_look_again(struct kr_peer *peer)
{
	struct kr_request *request, *next;

	if (peer->left)
		return;
	kr_list_for_each_safe (request, next, &peer->parked, link) {
		if (kr_request_is_due(peer, request)) {
			kr_list_remove(&request->link);
			kr_list_append(&peer->ready, &request->link);
		}
	}
	if (kr_peer_answer(peer))
		set_watch(peer);
}

/* --- accepting --- */

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
 * In a user's service all clients are the same user's, sandboxed ones too: none of them may take
 * all connections. A process needs one for each copy of the loader in it.
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

int
kr_server_serve(struct kr_server *server, int take_fd, const struct kr_credentials *credentials,
	struct kr_user *take_user)
{
	return kr_peer_create(server, take_fd, credentials, take_user, handle_event);
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
	if (kr_server_serve(server, take_fd, &credentials, user))
		server->counts.turned_away++;
}

/*
 * Descriptors or memory are short, which would be told again at once: clients that leave give some
 * back.
 */
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
