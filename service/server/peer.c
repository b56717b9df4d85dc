/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections: how they begin and end, and the descriptors that were sent on them and lie in their
 * sockets. What a peer, its process and its user have of these, and may have: see peer.h.
 */
#include "service/server/peer.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/server/state.h"
#include "util/fd.h"
#include "util/log.h"

static void
free_requests(struct kr_list *list)
{
	struct kr_request *request, *next;

	kr_list_for_each_safe (request, next, list, link) {
		kr_list_remove(&request->link);
		free(request);
	}
}

/* The kernel tells of bytes, not of descriptors: when there are none, there are none. */
static size_t
count_unread(struct kr_peer *peer)
{
	int queued;

	if (peer->unread && !ioctl(peer->fd, SIOCOUTQ, &queued) && !queued) {
		kr_users_count(&peer->server->users, peer->user, -(ssize_t)peer->unread);
		peer->unread = 0;
	}
	return peer->unread;
}

static void
note_left(struct kr_server *server)
{
	uint64_t oldest = UINT64_MAX;

	server->peer_count--;
	/* Connections are counted, and the list is in that order. */
	if (!kr_list_empty(&server->peers))
		oldest = kr_container_of(server->peers.next, struct kr_peer, link)->number;
	kr_retired_prune(&server->retired, oldest);
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
	note_left(server);
}

/* Nobody tells when the client reads or closes: it is looked at, soon, and then each second. */
void
kr_peer_look_whether_read(struct kr_peer *peer, int64_t again_ns)
{
	if (count_unread(peer))
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
	kr_peer_look_whether_read(peer, KR_PEER_RETRY_NS);
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

int
kr_peer_create(struct kr_server *server, int take_fd, const struct kr_credentials *credentials,
	struct kr_user *take_user, kr_watch_fn handle)
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
	err = kr_watch_add(server->loop, take_fd, EPOLLIN, handle, peer, &peer->watch);
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

void
kr_peer_count_sent(struct kr_peer *peer, size_t count)
{
	/* Once all is read the count begins anew. */
	count_unread(peer);
	peer->unread += count;
	kr_users_count(&peer->server->users, peer->user, (ssize_t)count);
}

static size_t
unread_of_process(const struct kr_server *server, pid_t pid)
{
	const struct kr_peer *peer;
	size_t unread = 0;

	kr_list_for_each (peer, &server->peers, link)
		unread += peer->credentials.pid == pid ? peer->unread : 0;
	return unread;
}

/* Whether so many descriptors more fit into what its user and its process may leave unread. */
static bool
has_room(const struct kr_peer *peer, size_t count)
{
	const struct kr_server *server = peer->server;
	const struct kr_user *user = peer->user;
	size_t process;

	if (!user->unread)
		return true;
	if (user->unread + count > kr_users_share(&server->users, user))
		return false;
	if (!peer->credentials.pid)
		return true;
	process = unread_of_process(server, peer->credentials.pid);
	return !process ||
		process + count <=
		kr_users_process_share(&server->users, user, user->unread - process);
}

/* All the clients of its user are asked what they have read, twice a retry at most. */
bool
kr_peer_holds_too_much(struct kr_peer *peer, size_t count)
{
	struct kr_peer *other;

	if (has_room(peer, count))
		return false;
	if (kr_clock_now() < peer->user->asked_until)
		return true;
	peer->user->asked_until = kr_deadline_in(KR_PEER_RETRY_NS / 2);
	kr_list_for_each (other, &peer->server->peers, link) {
		if (other->user == peer->user)
			count_unread(other);
	}
	return !has_room(peer, count);
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
