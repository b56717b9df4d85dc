/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: beginning, reading, ending. See peer.h. */
#include "service/server/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/server/state.h"
#include "util/fd.h"
#include "util/log.h"
#include "wire/packet.h"

/* Later versions' messages may be longer than those of this one. */
#define LONGEST_MESSAGE 4096

static void
free_requests(struct kr_list *list)
{
	struct kr_request *request, *next;

	kr_list_for_each_safe (request, next, list, link) {
		kr_list_remove(&request->link);
		free(request);
	}
}

void
kr_peer_destroy(struct kr_peer *peer)
{
	struct kr_server *server = peer->server;

	kr_watch_remove(peer->watch);
	free_requests(&peer->parked);
	free_requests(&peer->ready);
	kr_users_count(&server->users, peer->user, -(ssize_t)peer->unread);
	kr_users_put(peer->user);
	kr_list_remove(&peer->link);
	kr_fd_close(&peer->fd);
	free(peer);
	kr_server_peer_left(server);
}

/* Nobody tells when the client reads or closes: it is looked at, soon, and then each second. */
static void
look_whether_read(struct kr_peer *peer, int64_t again_ns)
{
	if (kr_peer_count_unread(peer))
		kr_watch_deadline(peer->watch, kr_deadline_in(again_ns));
	else
		kr_peer_destroy(peer);
}

void
kr_peer_leave(struct kr_peer *peer)
{
	peer->left = true;
	/* What has come to its end is told each time one waits. */
	kr_watch_forget_fd(peer->watch);
	shutdown(peer->fd, SHUT_RDWR);
	free_requests(&peer->parked);
	free_requests(&peer->ready);
	peer->waiting = 0;
	look_whether_read(peer, KR_PEER_RETRY_NS);
}

void
kr_peer_throw_out(struct kr_peer *peer, const char *why)
{
	struct kr_server *server = peer->server;

	server->counts.thrown_out++;
	if (kr_clock_now() >= server->quiet_until) {
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"the connection of process %d (user %d) is ended: %s",
			(int)peer->credentials.pid,
			peer->credentials.known ? (int)peer->credentials.uid : -1, why);
		server->quiet_until = kr_deadline_in(KR_NSEC_PER_SEC);
	}
	peer->thrown_out = true;
	kr_peer_leave(peer);
}

bool
kr_peer_may_inspect(const struct kr_peer *peer)
{
	return peer->credentials.known &&
		(!peer->credentials.uid || peer->credentials.uid == peer->server->own_uid);
}

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

/* Reads when nothing is to be sent, writes when that is possible again, else waits for the timer. */
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
		look_whether_read(peer, KR_NSEC_PER_SEC);
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

int
kr_peer_create(struct kr_server *server, int take_fd, const struct kr_credentials *credentials,
	struct kr_user *take_user)
{
	struct kr_peer *peer = calloc(1, sizeof(*peer));
	const int smallest = 1; /* the kernel takes its minimum */
	int err;

	if (!peer) {
		err = -ENOMEM;
		goto err_close;
	}
	*peer = (struct kr_peer){.server = server,
		.fd = take_fd,
		.credentials = *credentials,
		.user = take_user,
		.number = server->next_number,
		.max_requests = server->config->max_requests,
		.since = kr_clock_now()};
	if (setsockopt(take_fd, SOL_SOCKET, SO_SNDBUF, &smallest, sizeof(smallest))) {
		err = -errno;
		goto err_free;
	}
	err = kr_watch_add(server->loop, take_fd, EPOLLIN, handle_event, peer, &peer->watch);
	if (err)
		goto err_free;
	kr_watch_deadline(peer->watch, peer->since + KR_PEER_PATIENCE_NS);
	kr_list_init(&peer->parked);
	kr_list_init(&peer->ready);
	kr_list_append(&server->peers, &peer->link);
	server->peer_count++;
	server->next_number++;
	return 0;
err_free:
	free(peer);
err_close:
	kr_users_put(take_user);
	close(take_fd);
	return err;
}

json_t *
kr_peer_inspect(const struct kr_peer *peer)
{
	const struct kr_peer_counts *counts = &peer->counts;
	json_t *uid = peer->credentials.known ? json_integer(peer->credentials.uid) : json_null();
	json_t *given = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "mount",
		(json_int_t)counts->mounts, "memory", (json_int_t)counts->memory, "unknown",
		(json_int_t)counts->unknown, "manifests", (json_int_t)counts->manifests,
		"device_lists", (json_int_t)counts->devices, "nodes", (json_int_t)counts->nodes);

	return json_pack("{s:i, s:o, s:I, s:I, s:I, s:i, s:I, s:b, s:b, s:o}", "pid",
		(int)peer->credentials.pid, "uid", uid, "connected_ms",
		(json_int_t)((kr_clock_now() - peer->since) / KR_NSEC_PER_MSEC), "requests",
		(json_int_t)counts->requests, "refused", (json_int_t)counts->refused, "waiting",
		(int)peer->waiting, "unread_descriptors", (json_int_t)peer->unread, "left",
		peer->left, "thrown_out", peer->thrown_out, "given", given);
}
