/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to the control socket of a `krafla run`. Nobody is waited for longer than 5 s. */
#ifndef KR_TOOLS_LAYOUT_LINK_H
#define KR_TOOLS_LAYOUT_LINK_H

#include <sys/types.h>
#include "tools/command/control.h"
#include "util/macros.h"

struct kr_control_link {
	int fd; /* -1: none */
	char *path;
	pid_t pid;                    /* of the run */
	struct kr_cp_welcome welcome; /* what it said first */
};

/* Connects and shakes hands. 0 or -errno: -EPERM another user's; -EPROTO it is no such socket. */
int kr_control_link_open(struct kr_control_link *link, const char *path) KR_MUST_CHECK;
void kr_control_link_close(struct kr_control_link *link);
/* 0 and the answer, which is of one of the two types; -errno. */
int kr_control_link_ask(const struct kr_control_link *link, const struct kr_cp_message *question,
	enum kr_cp_type wanted, struct kr_cp_message *answer) KR_MUST_CHECK;

#endif
