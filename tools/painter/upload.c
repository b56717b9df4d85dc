/* SPDX-License-Identifier: Apache-2.0 */
/* See upload.h. */
#include "tools/painter/upload.h"

#include <errno.h>
#include <string.h>

#include "util/array.h"

#define MOST_REGIONS 65536

static int
add_region(struct kr_paint_uploads *uploads, VkDeviceSize from, VkDeviceSize to, VkDeviceSize size)
{
	VkBufferCopy *region = kr_array_add(
		&uploads->regions, &uploads->region_count, &uploads->region_room, sizeof(*region));

	if (!region)
		return -ENOMEM;
	*region = (VkBufferCopy){from, to, size};
	uploads->copies[uploads->count].count++;
	return 0;
}

/*
 * A box as regions: whole rows in one where it takes most of them anyway, or where there are too
 * many regions already.
 */
static int
add_box(struct kr_paint_uploads *uploads, const struct kr_paint_source *source,
	const pixman_box32_t *box)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(source->buffer);
	const uint32_t bytes = kr_format_bytes(info->desc.format);
	const VkDeviceSize pitch = info->row_bytes;
	VkDeviceSize at = (VkDeviceSize)box->x1 * bytes;
	VkDeviceSize width = (VkDeviceSize)(box->x2 - box->x1) * bytes;
	int err = 0;

	if (width * 2 >= pitch || uploads->region_count > MOST_REGIONS) {
		at = (VkDeviceSize)box->y1 * pitch;
		return add_region(uploads, at, at, (VkDeviceSize)(box->y2 - box->y1) * pitch);
	}
	for (int32_t y = box->y1; y < box->y2 && !err; y++)
		err = add_region(
			uploads, (VkDeviceSize)y * pitch + at, (VkDeviceSize)y * pitch + at, width);
	return err;
}

/* What a source lacks, as regions from its own memory. */
static int
add_source(
	struct kr_paint_uploads *uploads, struct kr_paint_source *source, pixman_region32_t *needs)
{
	struct kr_paint_copies *copies = &uploads->copies[uploads->count];
	const pixman_box32_t *boxes;
	int count, err = 0;

	pixman_region32_subtract(needs, needs, &source->valid);
	if (!pixman_region32_not_empty(needs))
		return 0;
	*copies = (struct kr_paint_copies){
		source->mapped.buffer, source->copy.buffer, uploads->region_count, 0};
	boxes = pixman_region32_rectangles(needs, &count);
	for (int i = 0; i < count && !err; i++)
		err = add_box(uploads, source, &boxes[i]);
	if (err)
		return err;
	uploads->count++;
	pixman_region32_union(&source->valid, &source->valid, needs);
	return 0;
}

/* Regions come from there, one behind the other; it grows before anything is copied. */
static VkDeviceSize
place_staged(
	struct kr_paint_uploads *uploads, const struct kr_paint_copies *copies, VkDeviceSize staged)
{
	for (size_t i = 0; i < copies->count; i++) {
		VkBufferCopy *region = &uploads->regions[copies->first + i];

		region->srcOffset = staged;
		staged += (region->size + 63) & ~(VkDeviceSize)63;
	}
	return staged;
}

static int
fill_staged(struct kr_paint_uploads *uploads, const struct kr_paint_copies *copies,
	const struct kr_paint_source *source)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(source->buffer);
	int err = kr_buffer_begin_cpu(info, KR_DMA_BUF_READ, 0);

	if (err)
		return err;
	for (size_t i = 0; i < copies->count; i++) {
		const VkBufferCopy *region = &uploads->regions[copies->first + i];

		memcpy((uint8_t *)uploads->staging.data + region->srcOffset,
			(const uint8_t *)source->data + region->dstOffset, region->size);
	}
	kr_buffer_end_cpu(info, KR_DMA_BUF_READ);
	return 0;
}

int
kr_paint_uploads_prepare(const struct kr_paint_device *device, struct kr_paint_uploads *uploads,
	struct kr_paint_picture *picture)
{
	struct kr_paint_source *staged[KR_RENDER_MAX_LAYERS];
	int err = 0;

	uploads->count = 0;
	uploads->region_count = 0;
	uploads->staged = 0;
	for (uint32_t i = 0; i < picture->count && !err; i++) {
		struct kr_paint_source *source = picture->sources[i];
		unsigned before = uploads->count;
		pixman_region32_t needs;

		if (!source || !source->copy.buffer)
			continue;
		pixman_region32_init(&needs);
		kr_paint_picture_needs(picture, i, &needs);
		err = add_source(uploads, source, &needs);
		pixman_region32_fini(&needs);
		if (err || uploads->count == before)
			continue;
		staged[before] = source->mapped.buffer ? NULL : source;
		if (staged[before])
			uploads->staged =
				place_staged(uploads, &uploads->copies[before], uploads->staged);
	}
	if (!err && uploads->staged)
		err = kr_paint_memory_grow(device, KR_PAINT_TO_DEVICE, uploads->staged,
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &uploads->staging);
	for (unsigned i = 0; i < uploads->count && !err; i++) {
		if (!staged[i])
			continue;
		uploads->copies[i].from = uploads->staging.buffer;
		err = fill_staged(uploads, &uploads->copies[i], staged[i]);
	}
	/* What isn't copied now isn't there. */
	for (uint32_t i = 0; i < picture->count && err; i++) {
		if (picture->sources[i])
			pixman_region32_clear(&picture->sources[i]->valid);
	}
	return err;
}

void
kr_paint_uploads_record(const struct kr_paint_device *device,
	const struct kr_paint_uploads *uploads, VkCommandBuffer commands)
{
	for (unsigned i = 0; i < uploads->count; i++)
		device->d.CmdCopyBuffer(commands, uploads->copies[i].from, uploads->copies[i].to,
			(uint32_t)uploads->copies[i].count,
			uploads->regions + uploads->copies[i].first);
}
