/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting to a loader service, and the handshake. */
#include "client/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "client/connection_state.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"
#include "wire/connect.h"
#include "wire/service.h"

static const char *
advice(int error)
{
	switch (error) {
	case -ENOENT:
		return " (no service is running there: start kraflad, or name another socket in KRAFLA_SERVICE)";
	case -ECONNREFUSED:
		return " (no service is running there, or it is no socket: start kraflad, or name another socket in KRAFLA_SERVICE)";
	case -ENAMETOOLONG:
		return " (a socket's path has at most 107 bytes: name it by a shorter one, through a symbolic link for example)";
	case -EACCES:
		return " (this user, or this sandbox, may not use it)";
	case -EPROTOTYPE:
		return " (that is another program's socket)";
	default:
		return "";
	}
}

/* What the service said, if it is one that this client can use. */
static int
read_welcome(
	struct kr_connection *connection, const struct kr_ls_message *message, const char **fault)
{
	const struct kr_ls_welcome *welcome = &message->welcome;

	*fault = NULL;
	if (message->type == KR_LS_REFUSED)
		*fault = "it refuses this client";
	else if (message->type != KR_LS_WELCOME)
		*fault = "it doesn't begin as a loader service does";
	else if (!welcome->version || welcome->version > KR_LS_VERSION)
		*fault = "it speaks another version of the protocol";
	else if (!welcome->max_requests)
		*fault = "it allows no requests";
	if (*fault)
		return -EPROTO;
	connection->features = welcome->features;
	connection->max_requests = welcome->max_requests;
	return 0;
}

static int
shake_hands(struct kr_connection *connection, int64_t deadline_ns, const char **fault)
{
	const struct kr_ls_message hello = {
		.type = KR_LS_HELLO, .hello = {.version = KR_LS_VERSION}};
	struct kr_answer answer;
	int err = kr_connection_send(connection, &hello, deadline_ns);

	if (!err)
		err = kr_connection_receive(connection, &answer, deadline_ns);
	switch (err) {
	case 0:
		err = read_welcome(connection, &answer.message, fault);
		kr_answer_finish(&answer);
		break;
	case -EPROTO:
	case -EMSGSIZE:
		*fault = "what it says can't be read";
		break;
	case -EPIPE:
		*fault = "it closes the connection at once";
		break;
	case -ETIMEDOUT:
		*fault = "it accepts, and says nothing";
		break;
	default:
		*fault = strerror(-err);
	}
	return err;
}

static int
learn_user(struct kr_connection *connection)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(connection->socket.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return -errno;
	connection->user = peer.uid;
	return 0;
}

int
kr_connection_open(const char *path, int64_t deadline_ns, struct kr_connection **out, char **reason)
{
	struct kr_connection *connection = calloc(1, sizeof(*connection));
	const char *fault = NULL;
	int fd = -1, err = -ENOMEM;

	*reason = NULL;
	if (!connection)
		return -ENOMEM;
	connection->socket = KR_KEPT_FD_NONE;
	connection->path = strdup(path);
	if (!connection->path)
		goto err_close;
	err = kr_packet_connect(path, deadline_ns, &fd);
	if (err) {
		*reason = kr_asprintf("the loader service can't be reached at %s: %s%s", path,
			strerror(-err), advice(err));
		goto err_close;
	}
	connection->socket = kr_kept_fd_take(fd);
	err = learn_user(connection);
	if (!err)
		err = shake_hands(connection, deadline_ns, &fault);
	if (err) {
		*reason = kr_asprintf("the loader service at %s can't be used: %s", path,
			fault ? fault : strerror(-err));
		goto err_close;
	}
	*out = connection;
	return 0;

err_close:
	kr_connection_close(connection);
	return err;
}
