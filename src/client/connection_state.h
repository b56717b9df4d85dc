/* SPDX-License-Identifier: Apache-2.0 */
/* What a connection is: for connection.c and connect.c alone. */
#ifndef KR_CLIENT_CONNECTION_STATE_H
#define KR_CLIENT_CONNECTION_STATE_H

#include "client/connection.h"
#include "util/kept_fd.h"

struct kr_connection {
	char *path;
	struct kr_kept_fd socket; /* none once it has ended */
	bool ended;
	char *lost; /* why; NULL without memory */
	uid_t user;
	uint32_t features;
	uint32_t max_requests;
	uint32_t serial; /* of the last request */
	/* Requests whose answers nobody waits for any more. */
	uint32_t overdue[8];
	size_t overdue_count;
};

/* 0, -ETIMEDOUT, -EBADF when this process has closed the socket, or as kr_packet_send. */
int kr_connection_send(struct kr_connection *connection, const struct kr_ls_message *message,
	int64_t deadline_ns) KR_MUST_CHECK;
/* One message. 0, -ETIMEDOUT, -EBADF as above, or as kr_packet_receive and kr_ls_decode. */
int kr_connection_receive(struct kr_connection *connection, struct kr_answer *answer,
	int64_t deadline_ns) KR_MUST_CHECK;

#endif
