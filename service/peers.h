/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is at the other end of a connection.
 *
 * Problem: the kernel tells a peer's user as the user namespace of whoever asks sees him, and the service lives in
 * one of its own (store.h), where, without privileges, everybody but himself is the same unknown. Then root
 * couldn't be told from anybody, and users would share one limit. Idea: a helper process that was forked before the
 * namespaces were made is asked; it has no other descriptor and ends with the service.
 *
 * Thread-safety: one thread.
 */
#ifndef KR_SERVICE_PEERS_H
#define KR_SERVICE_PEERS_H

#include <stdbool.h>
#include <sys/types.h>
#include "util/macros.h"

struct kr_peer {
	pid_t pid; /* 0: not known */
	uid_t uid;
	bool known; /* the user is */
};

struct kr_peers;

/* Before kr_store_create. Forks. 0 or -errno. */
int kr_peers_create(struct kr_peers **peers) KR_MUST_CHECK;
/* After it: ends the helper if this process sees users as it did before. */
void kr_peers_settle(struct kr_peers *peers);
/* Waits for the helper at most a second; if it is silent or gone, all users are unknown from then on. */
void kr_peers_identify(struct kr_peers *peers, int socket, struct kr_peer *peer);
/* NULL is none. */
void kr_peers_destroy(struct kr_peers *peers);

#endif
