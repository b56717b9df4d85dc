/* SPDX-License-Identifier: Apache-2.0 */
/* See message.h. */
#include "painter/message.h"

#include <string.h>

#include "util/fd.h"
#include "wire/packet.h"

uint32_t
kr_painter_bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

float
kr_painter_float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

int
kr_painter_send(int socket, const struct kr_painter_packet *packet)
{
	uint8_t bytes[KR_PP_MAX_SIZE];
	size_t size = kr_pp_encode(&packet->message, bytes), count = 0;

	while (count < KR_PP_MAX_FDS && packet->fds[count] >= 0)
		count++;
	return kr_packet_send(socket, bytes, size, packet->fds, count);
}

int
kr_painter_receive(int socket, struct kr_painter_packet *packet)
{
	uint8_t bytes[KR_PP_MAX_SIZE];
	size_t size, count;
	int err;

	memset(packet->fds, -1, sizeof(packet->fds));
	err = kr_packet_receive(
		socket, bytes, sizeof(bytes), &size, packet->fds, KR_PP_MAX_FDS, &count);
	if (err) {
		memset(packet->fds, -1, sizeof(packet->fds));
		return err;
	}
	err = kr_pp_decode(bytes, size, count, &packet->message);
	if (err)
		kr_painter_packet_close(packet);
	return err;
}

void
kr_painter_packet_close(struct kr_painter_packet *packet)
{
	for (size_t i = 0; i < KR_PP_MAX_FDS; i++)
		kr_fd_close(&packet->fds[i]);
}
