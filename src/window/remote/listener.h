/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket on which a display or a reader listens. Accepts processes of the same user only, and
 * stays usable when the process has no file descriptor left: the caller is then told off instead of
 * being left in the backlog, where it would keep the loop spinning.
 */
#ifndef KR_WINDOW_REMOTE_LISTENER_H
#define KR_WINDOW_REMOTE_LISTENER_H

#include "util/macros.h"

struct kr_listener {
	char *path;
	int fd;
	/* given up to be able to accept and close a connection; -1 when it is used up */
	int spare_fd;
};

/* -ENAMETOOLONG a path too long for a socket, -EADDRINUSE something is there already. */
int kr_listener_init(struct kr_listener *listener, const char *path) KR_MUST_CHECK;
/* Closes and removes the socket. Safe on a zeroed listener whose fds are -1. */
void kr_listener_finish(struct kr_listener *listener);
/*
 * The next connection in *socket. -EAGAIN none; -EPERM it was another user's, -EMFILE there was no
 * descriptor for it: both are closed and logged.
 */
int kr_listener_accept(struct kr_listener *listener, int *socket) KR_MUST_CHECK;

#endif
