/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that were sent to clients and lie in their sockets: what a client, its process and its user have of
 * these, and may have. See peer.h.
 */
#include "service/server/peer.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "service/server/state.h"

/* The kernel tells of bytes, not of descriptors: when there are none, there are none. */
size_t
kr_peer_count_unread(struct kr_peer *peer)
{
	int queued;

	if (peer->unread && !ioctl(peer->fd, SIOCOUTQ, &queued) && !queued) {
		kr_users_count(&peer->server->users, peer->user, -(ssize_t)peer->unread);
		peer->unread = 0;
	}
	return peer->unread;
}

void
kr_peer_count_sent(struct kr_peer *peer, size_t count)
{
	/* Once all is read the count begins anew. */
	kr_peer_count_unread(peer);
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
			kr_peer_count_unread(other);
	}
	return !has_room(peer, count);
}
