/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to a loader service (docs/service-protocol.md): requests and their answers, one at
 * a time. All that comes is checked; what can't be right ends the connection.
 *
 * Each wait has a limit. Answers may be parked at the service, so that one which doesn't come says
 * nothing of the service itself: then it is asked something that it answers at once, and only when
 * that has no answer either the connection is given up. So a service that works on something keeps
 * its clients, and one that is stopped costs a process this wait once.
 *
 * Thread-safety: one thread at a time; the caller sees to it.
 */
#ifndef KR_CLIENT_CONNECTION_H
#define KR_CLIENT_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "util/macros.h"
#include "wire/loader_service.h"

/* How long is waited; tests shorten it before the first call. */
struct kr_client_limits {
	/* For connecting and the welcome together, and for answers that come at once: 5 s */
	int64_t answer_ns;
	/* For answers that may be parked until devices have been looked at: 10 s */
	int64_t parked_ns;
	/*
	 * For the right to talk, and for a driver that another thread is loading: 30 s. Longer than
	 * a request takes at most, which is a parked answer that doesn't come, and the question
	 * after it.
	 */
	int64_t turn_ns;
};
extern struct kr_client_limits kr_client_limits;

struct kr_connection;

/* An answer and the descriptors that came with it. */
struct kr_answer {
	struct kr_ls_message message;
	int fds[KR_LS_MAX_FDS]; /* the caller's */
	size_t fd_count;
};
/* Closes the descriptors. */
void kr_answer_finish(struct kr_answer *answer);

/*
 * Connects to the socket `path`, with hello and welcome, until `deadline_ns`. 0, -errno of connect
 * (-ETIMEDOUT nobody accepts), -EPROTO, -EPIPE, -ENOMEM with a sentence in *reason (free; NULL only
 * without memory).
 */
int kr_connection_open(const char *path, int64_t deadline_ns, struct kr_connection **connection,
	char **reason) KR_MUST_CHECK;
/* NULL is no connection. In a child of fork it ends the child's part alone. */
void kr_connection_close(struct kr_connection *connection);

/*
 * Sends the request, whose serial is filled in here, and waits for its answer of type `expected`;
 * on success *answer is to be finished. `parked`: the answer may take its time. 0; or, with a
 * sentence in *reason: -ETIMEDOUT, the service works and hasn't answered this; -EREMOTEIO, it
 * refuses; -EMFILE, this process has no room for what came; else the connection has ended, as it
 * has for all later requests.
 */
int kr_connection_ask(struct kr_connection *connection, struct kr_ls_message *request,
	enum kr_ls_type expected, bool parked, struct kr_answer *answer, char **reason)
	KR_MUST_CHECK;
bool kr_connection_has_ended(const struct kr_connection *connection);
/* Why; NULL while it lasts, and without memory. Borrowed. */
const char *kr_connection_lost(const struct kr_connection *connection);
const char *kr_connection_path(const struct kr_connection *connection);
/* Who listens at the socket. Unknown users are those without a number here (overflowuid). */
uid_t kr_connection_user(const struct kr_connection *connection);
/* kr_service_feature_bits */
uint32_t kr_connection_features(const struct kr_connection *connection);

#endif
