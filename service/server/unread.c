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
kr_client_count_unread(struct kr_client *client)
{
	int queued;

	if (client->unread && !ioctl(client->fd, SIOCOUTQ, &queued) && !queued) {
		kr_users_count(&client->server->users, client->user, -(ssize_t)client->unread);
		client->unread = 0;
	}
	return client->unread;
}

void
kr_client_count_sent(struct kr_client *client, size_t count)
{
	/* Once all is read the count begins anew. */
	kr_client_count_unread(client);
	client->unread += count;
	kr_users_count(&client->server->users, client->user, (ssize_t)count);
}

static size_t
unread_of_process(const struct kr_server *server, pid_t pid)
{
	const struct kr_client *client;
	size_t unread = 0;

	kr_list_for_each (client, &server->clients, link)
		unread += client->peer.pid == pid ? client->unread : 0;
	return unread;
}

/* Whether so many descriptors more fit into what its user and its process may leave unread. */
static bool
has_room(const struct kr_client *client, size_t count)
{
	const struct kr_server *server = client->server;
	const struct kr_user *user = client->user;
	size_t process;

	if (!user->unread)
		return true;
	if (user->unread + count > kr_users_share(&server->users, user))
		return false;
	if (!client->peer.pid)
		return true;
	process = unread_of_process(server, client->peer.pid);
	return !process ||
		process + count <=
		kr_users_process_share(&server->users, user, user->unread - process);
}

/* All the clients of its user are asked what they have read, twice a retry at most. */
bool
kr_client_holds_too_much(struct kr_client *client, size_t count)
{
	struct kr_client *other;

	if (has_room(client, count))
		return false;
	if (kr_clock_now() < client->user->asked_until)
		return true;
	client->user->asked_until = kr_deadline_in(KR_CLIENT_RETRY_NS / 2);
	kr_list_for_each (other, &client->server->clients, link) {
		if (other->user == client->user)
			kr_client_count_unread(other);
	}
	return !has_room(client, count);
}
