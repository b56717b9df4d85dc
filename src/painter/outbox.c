/* SPDX-License-Identifier: Apache-2.0 */
/* See outbox.h. */
#include "painter/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"

struct kept {
	struct kr_list link; /* kr_painter_outbox.kept */
	struct kr_painter_packet packet;
};

void
kr_painter_outbox_init(struct kr_painter_outbox *outbox, int socket)
{
	*outbox = (struct kr_painter_outbox){.socket = socket};
	kr_list_init(&outbox->kept);
}

static void
drop(struct kr_painter_outbox *outbox, struct kept *kept)
{
	kr_list_remove(&kept->link);
	outbox->count--;
	kr_painter_packet_close(&kept->packet);
	free(kept);
}

void
kr_painter_outbox_finish(struct kr_painter_outbox *outbox)
{
	struct kept *kept, *next;

	kr_list_for_each_safe (kept, next, &outbox->kept, link)
		drop(outbox, kept);
}

static int
keep(struct kr_painter_outbox *outbox, const struct kr_painter_packet *packet)
{
	struct kept *kept;
	int err = 0;

	if (outbox->count >= KR_PAINTER_OUTBOX_MAX)
		return -ENOBUFS;
	kept = malloc(sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	kept->packet.message = packet->message;
	memset(kept->packet.fds, -1, sizeof(kept->packet.fds));
	for (size_t i = 0; i < KR_PP_MAX_FDS && err == 0; i++)
		err = kr_fd_dup(packet->fds[i], &kept->packet.fds[i]);
	if (err) {
		kr_painter_packet_close(&kept->packet);
		free(kept);
		return err;
	}
	kr_list_append(&outbox->kept, &kept->link);
	outbox->count++;
	return 0;
}

/* Too many descriptors of this user may be on their way in sockets: they will arrive. */
static bool
is_for_later(int err)
{
	return err == -EAGAIN || err == -ENOBUFS || err == -ETOOMANYREFS;
}

int
kr_painter_outbox_send(struct kr_painter_outbox *outbox, const struct kr_painter_packet *packet)
{
	int err = -EAGAIN;

	if (kr_painter_outbox_is_empty(outbox))
		err = kr_painter_send(outbox->socket, packet);
	return is_for_later(err) ? keep(outbox, packet) : err;
}

int
kr_painter_outbox_flush(struct kr_painter_outbox *outbox)
{
	struct kept *kept, *next;

	kr_list_for_each_safe (kept, next, &outbox->kept, link) {
		int err = kr_painter_send(outbox->socket, &kept->packet);

		if (err)
			return is_for_later(err) ? 0 : err;
		drop(outbox, kept);
	}
	return 0;
}
