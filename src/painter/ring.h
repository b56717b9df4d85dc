/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of buffers that readbacks come in: the parent's memory, which the painter maps too.
 * Thread-safety: one thread at a time.
 */
#ifndef KR_PAINTER_RING_H
#define KR_PAINTER_RING_H

#include <stdbool.h>
#include <stdint.h>
#include "gralloc/pixels.h"
#include "painter/outbox.h"
#include "painter/painter.h"
#include "util/macros.h"

struct kr_painter_ring {
	struct {
		struct kr_buffer *buffer; /* NULL: not made yet, or of another size */
		bool out;                 /* with the painter, or whoever looks at a result */
		bool stale;               /* made anew when it comes back */
	} slots[KR_PAINTER_RING];
	uint32_t width, height;
	enum kr_pixels_order order;
};

void kr_painter_ring_finish(struct kr_painter_ring *ring);
/*
 * Takes a slot that is free for a picture of that size; the painter is told of a new buffer.
 * -EAGAIN all are out; -ENOMEM..., those of kr_painter_outbox_send.
 */
int kr_painter_ring_take(struct kr_painter_ring *ring, struct kr_painter_outbox *outbox,
	const struct kr_painter_request *request, unsigned *slot) KR_MUST_CHECK;
void kr_painter_ring_give_back(struct kr_painter_ring *ring, unsigned slot);

#endif
