/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client's connection (docs/service-protocol.md). What bounds it:
 *
 *   a round takes at most KR_PEER_ROUND messages of it, then it is others' turn;
 *   a request is answered, parked (until its name is known, or the service is idle), or ready: its
 *     answer didn't fit into the socket. While one is ready nothing is read, so a client that
 *     doesn't read has its requests wait in its own socket. Descriptors are made when an answer is
 *     sent, so what waits has none;
 *   the socket holds few answers (its buffer is as small as the kernel makes it), and one user's
 *     clients a limited number of descriptors that were sent and not read (users.h).
 *
 * However a connection ends, what was sent on it lies in the client's socket, and counts against
 * the service in the kernel, until the client reads it or closes its last descriptor of that
 * socket. Neither the end of the connection (EPOLLHUP, EPIPE: shutdown makes it too) nor closing
 * this end says that. What this end still has to its debit does (SIOCOUTQ); so a client that has
 * left stays, with its socket and without its requests, until that is nothing, and counts as a
 * connection of its process and user meanwhile.
 */
#ifndef KR_SERVICE_SERVER_PEER_H
#define KR_SERVICE_SERVER_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>
#include "service/loop/loop.h"
#include "service/users/credentials.h"
#include "service/users/users.h"
#include "util/clock.h"
#include "util/list.h"
#include "util/macros.h"
#include "wire/loader_service.h"

#define KR_PEER_ROUND 8
/* Within which hello must come; how long what can't be sent is tried again. */
#define KR_PEER_PATIENCE_NS (10 * KR_NSEC_PER_SEC)
#define KR_PEER_RETRY_NS    (50 * KR_NSEC_PER_MSEC)

/* What was given, for whoever inspects (Q-04: nothing else). */
struct kr_peer_counts {
	uint64_t requests;
	uint64_t mounts, memory; /* packages, by kind */
	uint64_t unknown;        /* answers "no such package" */
	uint64_t manifests, devices, nodes;
	uint64_t refused;
};

struct kr_server;

struct kr_request {
	struct kr_list link;  /* kr_peer.parked or .ready */
	enum kr_ls_type type; /* KR_LS_REFUSED: only that is left to say */
	uint32_t serial;
	uint32_t options;
	int error;
	char name[128];  /* get: the package; open_device: the node; open_service */
	size_t brings;   /* descriptors of its answer, as far as is known */
	int64_t give_up; /* when what can't be sent is refused; 0: it hasn't been tried */
};

struct kr_peer {
	struct kr_list link; /* kr_server.peers */
	struct kr_server *server;
	struct kr_watch *watch;
	uint64_t number; /* counts connections */
	struct kr_credentials credentials;
	struct kr_user *user;
	int fd;
	uint32_t max_requests; /* as it was told */
	bool greeted;
	bool thrown_out;
	bool left;                    /* only still counted, thrown out or not */
	bool is_full;                 /* the socket: wait until it can be written */
	struct kr_list parked, ready; /* kr_request.link */
	uint32_t waiting;             /* in both */
	size_t unread;                /* descriptors that were sent, unless all was read */
	int64_t since;
	struct kr_peer_counts counts;
};

/* Takes the socket, on failure too; `handle` gets its events, with the peer. 0 or -errno. */
int kr_peer_create(struct kr_server *server, int take_fd, const struct kr_credentials *credentials,
	struct kr_user *take_user, kr_watch_fn handle) KR_MUST_CHECK;
/* At the service's end; else it leaves. */
void kr_peer_destroy(struct kr_peer *peer);
/* Ends the connection; the client may live on as `left`, or be freed. */
void kr_peer_leave(struct kr_peer *peer);
/* Of one that has left: frees it if it has read all, else its watch is to ask again then. */
void kr_peer_look_whether_read(struct kr_peer *peer, int64_t again_ns);
/* Leaves, and says why. */
void kr_peer_throw_out(struct kr_peer *peer, const char *why);
/* Whether this client may read what the service tells of all. */
bool kr_peer_may_inspect(const struct kr_peer *peer);

/* So many descriptors were sent to it, which may still lie in its socket. */
void kr_peer_count_sent(struct kr_peer *peer, size_t count);
/* Whether its user or its process would leave too many unread, were so many more sent to it. */
bool kr_peer_holds_too_much(struct kr_peer *peer, size_t count);
json_t *kr_peer_inspect(const struct kr_peer *peer);

/* --- requests: request.c --- */

/* Takes in one message. 0, or -errno with a few words in *why: the connection ends. */
int kr_peer_take(struct kr_peer *peer, const uint8_t *data, size_t size, const char **why)
	KR_MUST_CHECK;
/* Whether the answer to a request is known now. */
bool kr_request_is_due(const struct kr_peer *peer, const struct kr_request *request);

/* --- answering: answer.c --- */

/* Answers what is ready. False: the client has left, or is freed. */
bool kr_peer_answer(struct kr_peer *peer);

/* --- serving it: serve.c --- */

/* Parked requests that can be answered now become ready, and are. The client may be freed. */
void kr_peer_look_again(struct kr_peer *peer);

#endif
