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
kr_client_destroy(struct kr_client *client)
{
	struct kr_server *server = client->server;

	kr_watch_remove(client->watch);
	free_requests(&client->parked);
	free_requests(&client->ready);
	kr_users_count(&server->users, client->user, -(ssize_t)client->unread);
	kr_users_put(client->user);
	kr_list_remove(&client->link);
	kr_fd_close(&client->fd);
	free(client);
	kr_server_client_left(server);
}

/* Nobody tells when the client reads or closes: it is looked at, soon, and then each second. */
static void
look_whether_read(struct kr_client *client, int64_t again_ns)
{
	if (kr_client_count_unread(client))
		kr_watch_deadline(client->watch, kr_deadline_in(again_ns));
	else
		kr_client_destroy(client);
}

void
kr_client_leave(struct kr_client *client)
{
	client->left = true;
	/* What has come to its end is told each time one waits. */
	kr_watch_forget_fd(client->watch);
	shutdown(client->fd, SHUT_RDWR);
	free_requests(&client->parked);
	free_requests(&client->ready);
	client->waiting = 0;
	look_whether_read(client, KR_CLIENT_RETRY_NS);
}

void
kr_client_throw_out(struct kr_client *client, const char *why)
{
	struct kr_server *server = client->server;

	server->counts.thrown_out++;
	if (kr_clock_now() >= server->quiet_until) {
		kr_log(KR_LOG_WARN | KR_LOG_LOUD,
			"the connection of process %d (user %d) is ended: %s",
			(int)client->peer.pid, client->peer.known ? (int)client->peer.uid : -1,
			why);
		server->quiet_until = kr_deadline_in(KR_NSEC_PER_SEC);
	}
	client->thrown_out = true;
	kr_client_leave(client);
}

bool
kr_client_may_inspect(const struct kr_client *client)
{
	return client->peer.known &&
		(!client->peer.uid || client->peer.uid == client->server->own_uid);
}

/* False: the client has left, or is freed. */
static bool
read_messages(struct kr_client *client)
{
	uint8_t data[LONGEST_MESSAGE];
	const char *why;
	size_t size, fds;

	for (int i = 0; i < KR_CLIENT_ROUND && kr_list_empty(&client->ready); i++) {
		int err = kr_packet_receive(client->fd, data, sizeof(data), &size, NULL, 0, &fds);

		if (err == -EAGAIN)
			return true;
		if (err == -EPIPE) {
			kr_client_leave(client);
			return false;
		}
		why = err == -EMSGSIZE ? "it sent a message that is too long"
				       : "it sent descriptors that nobody asked for";
		if (!err)
			err = kr_client_take(client, data, size, &why);
		if (err) {
			kr_client_throw_out(client, why);
			return false;
		}
		if (!kr_client_answer(client))
			return false;
	}
	return true;
}

/* Reads when nothing is to be sent, writes when that is possible again, else waits for the timer. */
static void
set_watch(struct kr_client *client)
{
	const bool is_ready = !kr_list_empty(&client->ready);
	const uint32_t events = !is_ready ? EPOLLIN : client->is_full ? EPOLLOUT : 0;
	int64_t deadline = KR_FOREVER;

	if (!client->greeted)
		deadline = client->since + KR_CLIENT_PATIENCE_NS;
	else if (is_ready && !client->is_full)
		deadline = kr_deadline_in(KR_CLIENT_RETRY_NS);
	kr_watch_deadline(client->watch, deadline);
	if (kr_watch_events(client->watch, events))
		kr_client_throw_out(client, "its socket can't be watched");
}

static void
handle_event(void *data, uint32_t events)
{
	struct kr_client *client = data;

	if (client->left) {
		look_whether_read(client, KR_NSEC_PER_SEC);
		return;
	}
	if (events & (EPOLLHUP | EPOLLERR)) {
		kr_client_leave(client);
		return;
	}
	if (!events && !client->greeted &&
		kr_clock_now() >= client->since + KR_CLIENT_PATIENCE_NS) {
		kr_client_throw_out(client, "it didn't say hello");
		return;
	}
	client->is_full &= !(events & EPOLLOUT);
	if (!kr_client_answer(client))
		return;
	if (events & EPOLLIN && !read_messages(client))
		return;
	set_watch(client);
}

void
kr_client_look_again(struct kr_client *client)
{
	struct kr_request *request, *next;

	if (client->left)
		return;
	kr_list_for_each_safe (request, next, &client->parked, link) {
		if (kr_request_is_due(client, request)) {
			kr_list_remove(&request->link);
			kr_list_append(&client->ready, &request->link);
		}
	}
	if (kr_client_answer(client))
		set_watch(client);
}

int
kr_client_create(struct kr_server *server, int take_fd, const struct kr_peer *peer,
	struct kr_user *take_user)
{
	struct kr_client *client = calloc(1, sizeof(*client));
	const int smallest = 1; /* the kernel takes its minimum */
	int err;

	if (!client) {
		err = -ENOMEM;
		goto err_close;
	}
	*client = (struct kr_client){.server = server,
		.fd = take_fd,
		.peer = *peer,
		.user = take_user,
		.number = server->next_number,
		.max_requests = server->config->max_requests,
		.since = kr_clock_now()};
	if (setsockopt(take_fd, SOL_SOCKET, SO_SNDBUF, &smallest, sizeof(smallest))) {
		err = -errno;
		goto err_free;
	}
	err = kr_watch_add(server->loop, take_fd, EPOLLIN, handle_event, client, &client->watch);
	if (err)
		goto err_free;
	kr_watch_deadline(client->watch, client->since + KR_CLIENT_PATIENCE_NS);
	kr_list_init(&client->parked);
	kr_list_init(&client->ready);
	kr_list_append(&server->clients, &client->link);
	server->client_count++;
	server->next_number++;
	return 0;
err_free:
	free(client);
err_close:
	kr_users_put(take_user);
	close(take_fd);
	return err;
}

json_t *
kr_client_inspect(const struct kr_client *client)
{
	const struct kr_client_counts *counts = &client->counts;
	json_t *uid = client->peer.known ? json_integer(client->peer.uid) : json_null();
	json_t *given = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "mount",
		(json_int_t)counts->mounts, "memory", (json_int_t)counts->memory, "unknown",
		(json_int_t)counts->unknown, "manifests", (json_int_t)counts->manifests,
		"device_lists", (json_int_t)counts->devices, "nodes", (json_int_t)counts->nodes);

	return json_pack("{s:i, s:o, s:I, s:I, s:I, s:i, s:I, s:b, s:b, s:o}", "pid",
		(int)client->peer.pid, "uid", uid, "connected_ms",
		(json_int_t)((kr_clock_now() - client->since) / KR_NSEC_PER_MSEC), "requests",
		(json_int_t)counts->requests, "refused", (json_int_t)counts->refused, "waiting",
		(int)client->waiting, "unread_descriptors", (json_int_t)client->unread, "left",
		client->left, "thrown_out", client->thrown_out, "given", given);
}
