/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file descriptors of a display's or a reader's connections: how many there may be, and whose
 * they are.
 *
 * Each connection has a number that nobody else can use up, enough for a window of four device
 * buffers with a fence for each. What the process may have beyond that (RLIMIT_NOFILE) is common:
 * who comes first takes it. What was sent to a producer and isn't read counts as its own: the
 * kernel keeps it, and refuses everybody (ETOOMANYREFS) when there is too much. It counts until it
 * is read or the other end is closed, also when the connection has ended here.
 *
 * Thread-safety: the display's thread.
 */
#ifndef KR_WINDOW_REMOTE_DESCRIPTORS_H
#define KR_WINDOW_REMOTE_DESCRIPTORS_H

#include "util/list.h"
#include "util/macros.h"

/* Socket, four buffers, four fences and one to spare. */
#define KR_DESCRIPTORS_EACH 10

struct kr_leaving;

struct kr_descriptors {
	unsigned connections;   /* at most */
	unsigned open;          /* those that are, and those that ended with something unread */
	unsigned common;        /* beyond KR_DESCRIPTORS_EACH for each connection */
	unsigned taken;         /* of these */
	struct kr_list leaving; /* kr_leaving.link */
};

/* What one connection has. */
struct kr_share {
	struct kr_descriptors *all; /* NULL: nobody counts */
	struct kr_leaving *leaving; /* for its end */
	unsigned used;
	unsigned unread; /* of these: sent to the producer, unless it has read everything */
};

/* How many this process may have: RLIMIT_NOFILE. */
unsigned kr_descriptors_limit(void);
/* `limit` descriptors for the process, and no more than `most` connections. */
void kr_descriptors_init(struct kr_descriptors *all, unsigned limit, unsigned most);
/* Closes what is left. Safe on zeroed ones. */
void kr_descriptors_finish(struct kr_descriptors *all);

/* A connection with its socket; -EMFILE: there are as many as there can be; -ENOMEM. */
int kr_share_open(struct kr_share *share, struct kr_descriptors *all) KR_MUST_CHECK;
/* What it has is closed, but for the socket: that is taken, and kept while something is unread. */
void kr_share_close(struct kr_share *share, int take_socket);
/* So many more, or -EMFILE; so many less. */
int kr_share_take(struct kr_share *share, unsigned count) KR_MUST_CHECK;
void kr_share_give(struct kr_share *share, unsigned count);
/* How many can be sent over `socket` before something is read. */
unsigned kr_share_room(struct kr_share *share, int socket);
/* One that will be sent over `socket` next: 0 or -EMFILE. */
int kr_share_send(struct kr_share *share, int socket) KR_MUST_CHECK;

#endif
