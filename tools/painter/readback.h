/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of the parent's buffers that pictures are read back to. The device writes into their
 * memory where it takes it, else the CPU copies from memory that it caches. What a slot doesn't
 * have yet of the canvas is counted, so that no more than that is copied. One thread.
 */
#ifndef KR_TOOLS_PAINTER_READBACK_H
#define KR_TOOLS_PAINTER_READBACK_H

#include <pixman.h>
#include "gralloc/buffer.h"
#include "painter/message.h"
#include "painter/painter.h"
#include "tools/painter/memory.h"

struct kr_paint_slot {
	struct kr_buffer *buffer; /* NULL: none yet */
	uint8_t *data;
	struct kr_paint_memory memory;
	bool imported;
	pixman_region32_t missing;
};

struct kr_paint_readback {
	struct kr_paint_slot slots[KR_PAINTER_RING];
};

/* Rows of a picture, from the first one to before the end. */
struct kr_paint_band {
	uint32_t first, end;
};
#define KR_PAINT_MAX_BANDS 64

void kr_paint_readback_init(struct kr_paint_readback *readback);
/* What the message says is a slot's buffer from now on; nobody uses the old one. */
int kr_paint_readback_set(const struct kr_paint_device *device, struct kr_paint_readback *readback,
	const struct kr_painter_packet *packet) KR_MUST_CHECK;
/* A slot for a picture of that size and pitch; NULL: it isn't one. */
struct kr_paint_slot *kr_paint_readback_slot(struct kr_paint_readback *readback, unsigned slot,
	uint32_t width, uint32_t height, uint32_t row_bytes);
/* Something of the canvas is drawn anew. */
void kr_paint_readback_add(struct kr_paint_readback *readback, pixman_region32_t *drawn);
/* The rows that a slot needs, which it has from then on. How many bands. */
unsigned kr_paint_slot_take(
	struct kr_paint_slot *slot, struct kr_paint_band bands[KR_PAINT_MAX_BANDS]);
/* It has nothing of the canvas. */
void kr_paint_slot_forget(struct kr_paint_slot *slot);
/* The device has written them. */
void kr_paint_slot_finish(
	struct kr_paint_slot *slot, const struct kr_paint_band *bands, unsigned count);

#endif
