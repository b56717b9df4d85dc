/* SPDX-License-Identifier: Apache-2.0 */
/* See readback.h. */
#include "tools/painter/readback.h"

#include <errno.h>
#include <string.h>

#include "gralloc/handle.h"

void
kr_paint_readback_init(struct kr_paint_readback *readback)
{
	memset(readback, 0, sizeof(*readback));
	for (unsigned i = 0; i < KR_PAINTER_RING; i++)
		pixman_region32_init(&readback->slots[i].missing);
}

void
kr_paint_slot_forget(struct kr_paint_slot *slot)
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(slot->buffer)->desc;

	pixman_region32_union_rect(&slot->missing, &slot->missing, 0, 0, desc->width, desc->height);
}

static int
import_handle(const struct kr_painter_packet *packet, struct kr_buffer **buffer)
{
	const struct kr_pp_ring *message = &packet->message.ring;
	native_handle_t *handle;
	int err = kr_handle_create(1, KR_ARRAY_LEN(message->handle), &handle);

	if (err)
		return err;
	handle->data[0] = packet->fds[0];
	memcpy(handle->data + 1, message->handle, sizeof(message->handle));
	err = kr_buffer_import(handle, buffer);
	(void)kr_handle_delete(handle);
	return err;
}

/* Into its own memory; else there is memory beside it. */
static int
give_memory(const struct kr_paint_device *device, struct kr_paint_slot *slot)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(slot->buffer);
	void *data;
	int err = kr_buffer_map(slot->buffer, &data);

	if (err)
		return err;
	slot->data = data;
	slot->imported = !kr_buffer_backend_is_dma_buf(info->backend) &&
		!kr_paint_memory_import(
			device, data, info->size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &slot->memory);
	return slot->imported ? 0
			      : kr_paint_memory_init(device, KR_PAINT_TO_CPU, info->size,
					VK_BUFFER_USAGE_TRANSFER_DST_BIT, &slot->memory);
}

int
kr_paint_readback_set(const struct kr_paint_device *device, struct kr_paint_readback *readback,
	const struct kr_painter_packet *packet)
{
	struct kr_paint_slot *slot;
	int err;

	if (packet->message.ring.index >= KR_PAINTER_RING)
		return -EPROTO;
	slot = &readback->slots[packet->message.ring.index];
	kr_paint_memory_finish(device, &slot->memory);
	kr_buffer_unref(slot->buffer);
	slot->buffer = NULL;
	err = import_handle(packet, &slot->buffer);
	if (!err)
		err = give_memory(device, slot);
	if (err)
		return err;
	kr_paint_slot_forget(slot);
	return 0;
}

struct kr_paint_slot *
kr_paint_readback_slot(struct kr_paint_readback *readback, unsigned slot, uint32_t width,
	uint32_t height, uint32_t row_bytes)
{
	const struct kr_buffer_info *info;

	if (slot >= KR_PAINTER_RING || !readback->slots[slot].buffer)
		return NULL;
	info = kr_buffer_get_info(readback->slots[slot].buffer);
	if (info->desc.width != width || info->desc.height != height ||
		info->row_bytes != row_bytes || kr_format_bytes(info->desc.format) != 4)
		return NULL;
	return &readback->slots[slot];
}

void
kr_paint_readback_add(struct kr_paint_readback *readback, pixman_region32_t *drawn)
{
	for (unsigned i = 0; i < KR_PAINTER_RING; i++) {
		if (readback->slots[i].buffer)
			pixman_region32_union(
				&readback->slots[i].missing, &readback->slots[i].missing, drawn);
	}
}

unsigned
kr_paint_slot_take(struct kr_paint_slot *slot, struct kr_paint_band bands[KR_PAINT_MAX_BANDS])
{
	const struct kr_buffer_desc *desc = &kr_buffer_get_info(slot->buffer)->desc;
	const pixman_box32_t *boxes;
	unsigned bands_count = 0;
	int count;

	pixman_region32_intersect_rect(
		&slot->missing, &slot->missing, 0, 0, desc->width, desc->height);
	boxes = pixman_region32_rectangles(&slot->missing, &count);
	/* They lie from the top down; those that are full go to the last band. */
	for (int i = 0; i < count; i++) {
		struct kr_paint_band *last = bands_count ? &bands[bands_count - 1] : NULL;

		if (last &&
			((uint32_t)boxes[i].y1 <= last->end || bands_count == KR_PAINT_MAX_BANDS))
			last->end = KR_MAX(last->end, (uint32_t)boxes[i].y2);
		else
			bands[bands_count++] = (struct kr_paint_band){
				(uint32_t)boxes[i].y1, (uint32_t)boxes[i].y2};
	}
	pixman_region32_clear(&slot->missing);
	return bands_count;
}

void
kr_paint_slot_finish(struct kr_paint_slot *slot, const struct kr_paint_band *bands, unsigned count)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(slot->buffer);

	if (slot->imported)
		return;
	if (kr_buffer_begin_cpu(info, KR_DMA_BUF_WRITE, 0))
		return;
	for (unsigned i = 0; i < count; i++) {
		size_t from = (size_t)bands[i].first * info->row_bytes;

		memcpy(slot->data + from, (const uint8_t *)slot->memory.data + from,
			(size_t)(bands[i].end - bands[i].first) * info->row_bytes);
	}
	kr_buffer_end_cpu(info, KR_DMA_BUF_WRITE);
}
