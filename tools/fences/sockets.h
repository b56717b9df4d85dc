/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's table of the unix sockets of this network namespace: by sock_diag, else
 * /proc/net/unix. It is how fences are found whose descriptors may not be looked at.
 * Nobody's socket is touched.
 */
#ifndef KR_TOOLS_FENCES_SOCKETS_H
#define KR_TOOLS_FENCES_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macros.h"

struct kr_socket {
	uint32_t inode;
	uint32_t peer;   /* inode; 0: none, or closed, or not known */
	uint32_t queued; /* bytes to be received */
	bool seqpacket;
	bool read_only; /* nothing can be sent: as with a fence, whose producer listens to nobody */
	char name[108]; /* abstract, without its leading NUL */
	uint8_t name_len; /* 0: none */
};

struct kr_sockets {
	struct kr_socket *sockets; /* by inode */
	size_t count, room;
	bool detailed; /* peer, queued and read_only are known */
};

/* 0 or -errno when there is no table to be had. */
int kr_sockets_read(struct kr_sockets *table) KR_MUST_CHECK;
void kr_sockets_finish(struct kr_sockets *table);
const struct kr_socket *kr_sockets_find(const struct kr_sockets *table, uint64_t inode);

#endif
