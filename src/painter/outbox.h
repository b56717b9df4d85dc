/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be sent to a painter that doesn't read just now: in order, and bounded. Thread-safety:
 * one thread at a time.
 */
#ifndef KR_PAINTER_OUTBOX_H
#define KR_PAINTER_OUTBOX_H

#include <stdbool.h>
#include "painter/message.h"
#include "util/list.h"
#include "util/macros.h"

#define KR_PAINTER_OUTBOX_MAX 256

struct kr_painter_outbox {
	int socket;          /* borrowed */
	struct kr_list kept; /* struct kept.link */
	unsigned count;
};

void kr_painter_outbox_init(struct kr_painter_outbox *outbox, int socket);
void kr_painter_outbox_finish(struct kr_painter_outbox *outbox);
/*
 * Sends a packet, or keeps it with duplicates of its descriptors. 0; -ENOBUFS there are too many;
 * -ENOMEM, -EMFILE; -EPIPE.
 */
int kr_painter_outbox_send(struct kr_painter_outbox *outbox, const struct kr_painter_packet *packet)
	KR_MUST_CHECK;
/* As far as the other end takes them. 0, also when some stay; -EPIPE... */
int kr_painter_outbox_flush(struct kr_painter_outbox *outbox) KR_MUST_CHECK;
static inline bool
kr_painter_outbox_is_empty(const struct kr_painter_outbox *outbox)
{
	return kr_list_empty(&outbox->kept);
}

#endif
