/* SPDX-License-Identifier: Apache-2.0 */
/* What both ends of the display protocol need (docs/display-protocol.md). */
#ifndef KR_WINDOW_REMOTE_MESSAGE_H
#define KR_WINDOW_REMOTE_MESSAGE_H

#include "wire/display_protocol.h"
#include "util/macros.h"

/* Memory that one producer may announce in all. */
#define KR_REMOTE_MAX_BYTES (UINT64_C(4) << 30)

enum kr_remote_error {
	KR_REMOTE_ERROR_PROTOCOL = 1, /* a message that the protocol doesn't allow */
	KR_REMOTE_ERROR_VERSION = 2,
	KR_REMOTE_ERROR_RESOURCES = 3, /* memory, descriptors */
};

/* What people will read is printable ASCII, whatever was sent. `to` has the room of `from`. */
void kr_remote_copy_printable(char *to, const char *from);

/* Encodes and sends; `fd` -1 none, borrowed. As kr_packet_send. */
int kr_remote_send(int socket, const struct kr_dp_message *message, int fd) KR_MUST_CHECK;
/*
 * Receives and decodes; *fd is the caller's, -1 none. 0; -EAGAIN; -EPIPE; anything else is a packet
 * that breaks the protocol, or one that could not be taken in for want of descriptors (-EMFILE).
 */
int kr_remote_receive(int socket, struct kr_dp_message *message, int *fd) KR_MUST_CHECK;

#endif
