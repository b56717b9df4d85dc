/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the display protocol, each with at most one descriptor. */
#include "window/remote/message.h"

#include "util/fd.h"
#include "wire/packet.h"

_Static_assert(KR_DP_MAX_FDS == 1, "one descriptor a message");

void
kr_remote_copy_printable(char *to, const char *from)
{
	for (; *from; from++)
		*to++ = *from < ' ' || *from > '~' ? '?' : *from;
	*to = '\0';
}

int
kr_remote_send(int socket, const struct kr_dp_message *message, int fd)
{
	uint8_t bytes[KR_DP_MAX_SIZE];
	size_t size = kr_dp_encode(message, bytes);

	return kr_packet_send(socket, bytes, size, &fd, fd >= 0);
}

int
kr_remote_receive(int socket, struct kr_dp_message *message, int *fd)
{
	uint8_t bytes[KR_DP_MAX_SIZE];
	size_t size, count;
	int got = -1;
	int err = kr_packet_receive(socket, bytes, sizeof(bytes), &size, &got, 1, &count);

	if (err)
		return err;
	err = kr_dp_decode(bytes, size, count, message);
	if (err) {
		kr_fd_close(&got);
		return err;
	}
	*fd = got;
	return 0;
}
