/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and answers of one connection: see connection.h. Connecting is in connect.c. */
#include "client/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client/connection_state.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/text.h"
#include "wire/packet.h"

struct kr_client_limits kr_client_limits = {
	.answer_ns = 5 * KR_NSEC_PER_SEC,
	.parked_ns = 10 * KR_NSEC_PER_SEC,
	.turn_ns = 30 * KR_NSEC_PER_SEC,
};

void
kr_answer_finish(struct kr_answer *answer)
{
	for (size_t i = 0; i < answer->fd_count; i++)
		kr_fd_close(&answer->fds[i]);
	answer->fd_count = 0;
}

void
kr_connection_close(struct kr_connection *connection)
{
	if (!connection)
		return;
	/* Not shutdown(), which would end it for the parent of a child, too. */
	kr_kept_fd_close(&connection->socket);
	free(connection->lost);
	free(connection->path);
	free(connection);
}

bool
kr_connection_has_ended(const struct kr_connection *connection)
{
	return connection->ended;
}

const char *
kr_connection_lost(const struct kr_connection *connection)
{
	return connection->lost;
}

const char *
kr_connection_path(const struct kr_connection *connection)
{
	return connection->path;
}

uid_t
kr_connection_user(const struct kr_connection *connection)
{
	return connection->user;
}

uint32_t
kr_connection_features(const struct kr_connection *connection)
{
	return connection->features;
}

static char *
copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Ends it. Returns `error`; *reason is a copy of the sentence. */
static int
end_with(struct kr_connection *connection, int error, char *take_sentence, char **reason)
{
	/* What is said when there is no memory to say more. */
	connection->ended = true;
	kr_kept_fd_close(&connection->socket);
	connection->lost = take_sentence;
	*reason = copy(take_sentence);
	return error;
}

static char *
name_loss(const struct kr_connection *connection, int error)
{
	switch (error) {
	case -EPIPE:
		return kr_asprintf(
			"the loader service at %s has closed the connection", connection->path);
	case -ETIMEDOUT:
		return kr_asprintf("the loader service at %s doesn't answer", connection->path);
	case -EBADF:
		return kr_asprintf(
			"this process has closed its connection to the loader service at %s, a descriptor that it didn't open itself",
			connection->path);
	default:
		return kr_asprintf(
			"the loader service at %s: %s", connection->path, strerror(-error));
	}
}

static int
lose(struct kr_connection *connection, int error, char **reason)
{
	return end_with(connection, error, name_loss(connection, error), reason);
}

static int
break_off(struct kr_connection *connection, const char *what, char **reason)
{
	return end_with(connection, -EPROTO,
		kr_asprintf(
			"the loader service at %s broke the protocol: %s", connection->path, what),
		reason);
}

int
kr_connection_send(
	struct kr_connection *connection, const struct kr_ls_message *message, int64_t deadline_ns)
{
	struct pollfd p = {.fd = connection->socket.fd, .events = POLLOUT};
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size = kr_ls_encode(message, bytes);

	for (;;) {
		int err = kr_kept_fd_is_there(&connection->socket)
			? kr_packet_send(connection->socket.fd, bytes, size, NULL, 0)
			: -EBADF;

		if (err != -EAGAIN)
			return err;
		err = kr_fd_poll(&p, 1, deadline_ns);
		if (err <= 0)
			return err ? err : -ETIMEDOUT;
	}
}

int
kr_connection_receive(
	struct kr_connection *connection, struct kr_answer *answer, int64_t deadline_ns)
{
	struct pollfd p = {.fd = connection->socket.fd, .events = POLLIN};
	uint8_t bytes[KR_LS_MAX_SIZE];
	size_t size = 0;
	int err;

	answer->fd_count = 0;
	for (;;) {
		if (!kr_kept_fd_is_there(&connection->socket))
			return -EBADF;
		err = kr_packet_receive(connection->socket.fd, bytes, sizeof(bytes), &size,
			answer->fds, KR_LS_MAX_FDS, &answer->fd_count);
		if (err != -EAGAIN)
			break;
		err = kr_fd_poll(&p, 1, deadline_ns);
		if (err <= 0)
			return err ? err : -ETIMEDOUT;
	}
	if (err)
		return err;
	err = kr_ls_decode(bytes, size, answer->fd_count, &answer->message);
	if (err)
		kr_answer_finish(answer);
	return err;
}

/* 0: none, which no request has. */
static uint32_t
serial_of(const struct kr_ls_message *message)
{
	switch (message->type) {
	case KR_LS_FEATURES:
		return message->features.serial;
	case KR_LS_PACKAGE:
		return message->package.serial;
	case KR_LS_MANIFESTS:
		return message->manifests.serial;
	case KR_LS_DEVICES:
		return message->devices.serial;
	case KR_LS_SERVICE:
		return message->service.serial;
	case KR_LS_DEVICE:
		return message->device.serial;
	case KR_LS_STATE:
		return message->state.serial;
	case KR_LS_REFUSED:
		return message->refused.serial;
	default:
		return 0;
	}
}

static uint32_t
set_serial(struct kr_connection *connection, struct kr_ls_message *message)
{
	uint32_t serial = ++connection->serial ? connection->serial : ++connection->serial;

	/* Every request begins with it. */
	memcpy(&message->get_features.serial, &serial, sizeof(serial));
	return serial;
}

/* Whether it is one whose answer nobody waits for any more; then it isn't one any more. */
static bool
take_overdue(struct kr_connection *connection, uint32_t serial)
{
	for (size_t i = 0; i < connection->overdue_count; i++) {
		if (connection->overdue[i] != serial)
			continue;
		connection->overdue[i] = connection->overdue[--connection->overdue_count];
		return true;
	}
	return false;
}

/* Text of a service goes into messages. */
static void
make_printable(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

static int
take_refusal(struct kr_connection *connection, struct kr_answer *answer, char **reason)
{
	struct kr_ls_refused *refused = &answer->message.refused;
	int error = refused->error;

	if (error <= 0 || error > 4095)
		return break_off(connection, "a refusal without an error number", reason);
	make_printable(refused->text);
	*reason = kr_asprintf("the loader service at %s refuses: %s%s%s", connection->path,
		refused->text, *refused->text ? ": " : "", strerror(error));
	return -EREMOTEIO;
}

/*
 * The next answer is taken for this request, or is one that is overdue: -EAGAIN, another one
 * follows.
 */
static int
take_answer(struct kr_connection *connection, uint32_t serial, enum kr_ls_type expected,
	struct kr_answer *answer, char **reason)
{
	uint32_t had = serial_of(&answer->message);

	if (had != serial) {
		kr_answer_finish(answer);
		if (had && take_overdue(connection, had))
			return -EAGAIN;
		return break_off(connection, "an answer that nobody has asked for", reason);
	}
	if (answer->message.type == KR_LS_REFUSED)
		return take_refusal(connection, answer, reason);
	if (answer->message.type == expected)
		return 0;
	kr_answer_finish(answer);
	return break_off(connection, kr_ls_name(answer->message.type), reason);
}

static int
await(struct kr_connection *connection, uint32_t serial, enum kr_ls_type expected,
	int64_t deadline_ns, struct kr_answer *answer, char **reason)
{
	int err;

	do {
		err = kr_connection_receive(connection, answer, deadline_ns);
		if (!err)
			err = take_answer(connection, serial, expected, answer, reason);
		else if (err == -EPROTO || err == -EMSGSIZE)
			return break_off(connection, "a message that can't be read", reason);
		else if (err != -ETIMEDOUT && err != -EMFILE)
			return lose(connection, err, reason);
	} while (err == -EAGAIN);
	return err;
}

/* Nobody waits for it any more. As many as the service may owe at a time are remembered. */
static int
leave(struct kr_connection *connection, uint32_t serial, char **reason)
{
	if (connection->overdue_count == KR_ARRAY_LEN(connection->overdue) ||
		connection->overdue_count + 1 >= connection->max_requests)
		return lose(connection, -ETIMEDOUT, reason);
	connection->overdue[connection->overdue_count++] = serial;
	return 0;
}

/* Whether the service answers at all. 0, or the connection has ended. */
static int
ask_for_life(struct kr_connection *connection, char **reason)
{
	struct kr_ls_message request = {.type = KR_LS_GET_FEATURES};
	struct kr_answer answer;
	int err = kr_connection_ask(connection, &request, KR_LS_FEATURES, false, &answer, reason);

	if (!err)
		kr_answer_finish(&answer);
	return err;
}

static int
be_late(struct kr_connection *connection, uint32_t serial, char **reason)
{
	int err = leave(connection, serial, reason);

	if (!err)
		err = ask_for_life(connection, reason);
	if (err)
		return err;
	*reason = kr_asprintf(
		"the loader service at %s hasn't answered in %d s: it is still looking at devices",
		connection->path, (int)(kr_client_limits.parked_ns / KR_NSEC_PER_SEC));
	return -ETIMEDOUT;
}

/* The answer came, and its descriptors had no room: it may have been an overdue one's. */
static int
be_full(struct kr_connection *connection, uint32_t serial, char **reason)
{
	int err = leave(connection, serial, reason);

	if (err)
		return err;
	*reason = kr_asprintf(
		"this process has no room for the descriptors of the loader service's answer: %s",
		strerror(EMFILE));
	return -EMFILE;
}

int
kr_connection_ask(struct kr_connection *connection, struct kr_ls_message *request,
	enum kr_ls_type expected, bool parked, struct kr_answer *answer, char **reason)
{
	int64_t now = kr_clock_now();
	uint32_t serial;
	int err;

	*reason = NULL;
	if (connection->ended) {
		*reason = copy(connection->lost);
		return -ENOTCONN;
	}
	serial = set_serial(connection, request);
	err = kr_connection_send(connection, request, now + kr_client_limits.answer_ns);
	if (err)
		return lose(connection, err, reason);
	now = kr_clock_now();
	err = await(connection, serial, expected,
		now + (parked ? kr_client_limits.parked_ns : kr_client_limits.answer_ns), answer,
		reason);
	if (err == -ETIMEDOUT && !connection->ended && !*reason)
		return parked ? be_late(connection, serial, reason) : lose(connection, err, reason);
	if (err == -EMFILE && !*reason)
		return be_full(connection, serial, reason);
	return err;
}
