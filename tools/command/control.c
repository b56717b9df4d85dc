/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a control socket: see control.h. */
#include "tools/command/control.h"

#include <errno.h>

#include "wire/packet.h"

_Static_assert(KR_CP_MAX_FDS == 0, "no descriptors");

int
kr_control_send(int socket, const struct kr_cp_message *message)
{
	uint8_t bytes[KR_CP_MAX_SIZE];

	return kr_packet_send(socket, bytes, kr_cp_encode(message, bytes), NULL, 0);
}

int
kr_control_receive(int socket, struct kr_cp_message *message)
{
	uint8_t bytes[KR_CP_MAX_SIZE];
	size_t size, count;
	int err = kr_packet_receive(socket, bytes, sizeof(bytes), &size, NULL, 0, &count);

	return err ? err : kr_cp_decode(bytes, size, count, message);
}

void
kr_control_put_place(struct kr_cp_place *message, const struct kr_layout_place *place)
{
	message->set = place->set;
	message->x = place->x;
	message->y = place->y;
	message->width = place->width;
	message->height = place->height;
	message->z = place->z;
	message->alpha = (uint32_t)(place->alpha * KR_CONTROL_OPAQUE + 0.5f);
	message->visible = place->visible;
}

int
kr_control_get_place(const struct kr_cp_place *message, struct kr_layout_place *place)
{
	const uint32_t known =
		KR_PLACE_POSITION | KR_PLACE_SIZE | KR_PLACE_Z | KR_PLACE_ALPHA | KR_PLACE_VISIBLE;
	const struct kr_layout_place got = {
		.set = message->set,
		.x = message->x,
		.y = message->y,
		.width = message->width,
		.height = message->height,
		.z = message->z,
		.alpha = (float)message->alpha / KR_CONTROL_OPAQUE,
		.visible = message->visible,
	};

	if (got.set & ~known || !kr_layout_place_is_valid(&got))
		return -EINVAL;
	*place = got;
	return 0;
}
