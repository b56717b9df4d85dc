/* SPDX-License-Identifier: Apache-2.0 */
/* See ring.h. */
#include "painter/ring.h"

#include <errno.h>
#include <string.h>

#include "gralloc/buffer.h"

static void
drop(struct kr_painter_ring *ring, unsigned slot)
{
	kr_buffer_unref(ring->slots[slot].buffer);
	ring->slots[slot].buffer = NULL;
	ring->slots[slot].stale = false;
}

void
kr_painter_ring_finish(struct kr_painter_ring *ring)
{
	for (unsigned i = 0; i < KR_PAINTER_RING; i++)
		drop(ring, i);
}

/* Buffers of another size or order go when nobody has them. */
static void
fit(struct kr_painter_ring *ring, const struct kr_painter_request *request)
{
	if (ring->width == request->width && ring->height == request->height &&
		ring->order == request->order)
		return;
	ring->width = request->width;
	ring->height = request->height;
	ring->order = request->order;
	for (unsigned i = 0; i < KR_PAINTER_RING; i++) {
		if (ring->slots[i].out)
			ring->slots[i].stale = true;
		else
			drop(ring, i);
	}
}

static int
make(const struct kr_painter_request *request, struct kr_buffer **buffer)
{
	const struct kr_buffer_desc desc = {
		.width = request->width,
		.height = request->height,
		.layers = 1,
		.format = request->order == KR_PIXELS_XRGB ? AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM
							   : AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN,
	};
	void *data;
	int err = kr_buffer_allocate(&desc, buffer);

	if (err)
		return err;
	err = kr_buffer_map(*buffer, &data);
	if (err)
		kr_buffer_unref(*buffer);
	return err;
}

static int
tell(struct kr_painter_outbox *outbox, unsigned slot, const struct kr_buffer *buffer)
{
	const native_handle_t *handle = kr_buffer_handle(buffer);
	struct kr_painter_packet packet = {
		.message = {.type = KR_PP_RING, .ring = {.index = (uint8_t)slot}},
		.fds = {handle->data[0], -1},
	};

	if (handle->numFds != 1 || handle->numInts != KR_ARRAY_LEN(packet.message.ring.handle))
		return -EINVAL;
	memcpy(packet.message.ring.handle, handle->data + 1, sizeof(packet.message.ring.handle));
	return kr_painter_outbox_send(outbox, &packet);
}

int
kr_painter_ring_take(struct kr_painter_ring *ring, struct kr_painter_outbox *outbox,
	const struct kr_painter_request *request, unsigned *slot)
{
	unsigned free_slot = 0;
	int err;

	fit(ring, request);
	while (free_slot < KR_PAINTER_RING && ring->slots[free_slot].out)
		free_slot++;
	if (free_slot == KR_PAINTER_RING)
		return -EAGAIN;
	if (!ring->slots[free_slot].buffer) {
		struct kr_buffer *buffer;

		err = make(request, &buffer);
		if (err)
			return err;
		err = tell(outbox, free_slot, buffer);
		if (err) {
			kr_buffer_unref(buffer);
			return err;
		}
		ring->slots[free_slot].buffer = buffer;
	}
	ring->slots[free_slot].out = true;
	*slot = free_slot;
	return 0;
}

void
kr_painter_ring_give_back(struct kr_painter_ring *ring, unsigned slot)
{
	if (slot >= KR_PAINTER_RING)
		return;
	ring->slots[slot].out = false;
	if (ring->slots[slot].stale)
		drop(ring, slot);
}
