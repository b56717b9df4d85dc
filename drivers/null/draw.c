/* SPDX-License-Identifier: Apache-2.0 */
#include "null/draw.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "gralloc/buffer.h"
#include "null/pixel.h"
#include "null/faults.h"
#include "null/mutants.h"
#include "util/clock.h"
#include "util/log.h"

/* Fences inside a dma-buf aren't waited for: acquires wait. */
static bool
begin(const struct kr_buffer_info *info, enum kr_dma_buf_access access)
{
	return !kr_buffer_begin_cpu(info, access, kr_clock_now());
}

/* The pixels of the image's buffer; NULL: it has none, or they can't be mapped. */
static uint8_t *
pixels_of(const struct null_image *image)
{
	void *pixels;

	if (!image->buffer)
		return NULL;
	if (kr_buffer_map(image->buffer, &pixels)) {
		kr_error("null: a native buffer can't be mapped, so nothing is drawn");
		return NULL;
	}
	return pixels;
}

static void
fill_rows(const struct null_image *image, uint8_t *pixels, const uint8_t *bytes, uint32_t size)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(image->buffer);
	uint32_t height = image->extent.height / (null_has_fault(clear_stops_halfway) ? 2 : 1);
	size_t row_bytes = info->row_bytes;

	if (null_has_fault(loses_the_last_row))
		height--;
	if (null_has_fault(packs_rows))
		row_bytes = (size_t)image->extent.width * size;

	uint32_t width = image->extent.width;

	if (null_has_fault(wide_is_cut))
		width = KR_MIN(width, 2048u);
	for (uint32_t y = 0; y < height; y++) {
		uint8_t *row = pixels + y * row_bytes;

		for (uint32_t x = 0; x < width; x++)
			memcpy(row + (size_t)x * size, bytes, size);
	}
}

static void
clear_buffer(struct null_image *image, const uint8_t *bytes, uint32_t size)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(image->buffer);
	uint8_t *pixels = pixels_of(image);
	bool began;

	if (!pixels || kr_format_bytes(info->desc.format) != size)
		return;
	began = begin(info, KR_DMA_BUF_WRITE);
	fill_rows(image, pixels, bytes, size);
	if (began)
		kr_buffer_end_cpu(info, KR_DMA_BUF_WRITE);
}

/* Whether a wrong driver draws nothing. */
static bool
loses(const struct null_image *image)
{
	if (!image->info.bound && null_has_fault(wants_memory))
		return true;
	if (fcntl(image->lent_fd, F_GETFD) < 0 && null_has_fault(borrows_the_handle))
		return true;
	if (image->shared && image->released && null_has_fault(shared_shows_once))
		return true;
	if (null_has_fault(fork_loses_drawing) && null_has_forked())
		return true;
	return null_has_fault(clear_is_lost);
}

void
null_draw_clear(struct null_image *image, const VkClearColorValue *colour)
{
	uint8_t bytes[NULL_PIXEL_MAX];
	uint32_t size = null_pixel_encode(image->format, colour, bytes);

	if (!image->buffer || !size || loses(image))
		return;
	if (null_has_fault(draws_into_the_newest))
		image = kr_container_of(image->device->natives.prev, struct null_image, link);
	memcpy(image->drawn, bytes, size);
	image->drawn_size = size;
	if (image->own)
		null_own_layout_clear(image->own, bytes, size);
	else
		clear_buffer(image, bytes, size);
}

void
null_draw_again(struct null_image *image)
{
	if (image->drawn_size && !image->own)
		clear_buffer(image, image->drawn, image->drawn_size);
}

void
null_draw_mask(struct null_image *image, uint8_t keep, uint8_t flip)
{
	uint8_t *pixels = pixels_of(image);

	for (uint64_t i = 0; pixels && i < kr_buffer_get_info(image->buffer)->size; i++)
		pixels[i] = (pixels[i] & keep) ^ flip;
}

void
null_draw_remember(struct null_image *image)
{
	const uint8_t *pixels = pixels_of(image);
	uint64_t size = pixels ? kr_buffer_get_info(image->buffer)->size : 0;

	free(image->remembered);
	image->remembered = size ? malloc(size) : NULL;
	if (image->remembered)
		memcpy(image->remembered, pixels, size);
}

static void
copy_pixel(struct null_image *image, const uint8_t *pixels, uint32_t x, uint32_t y, uint8_t *to,
	uint32_t size)
{
	const struct kr_buffer_info *info = kr_buffer_get_info(image->buffer);
	size_t at = (size_t)y * info->row_bytes + (size_t)x * size;

	if (null_has_fault(reads_what_it_drew) ||
		(at >= info->row_bytes && null_has_fault(reads_one_row)))
		memcpy(to, image->drawn, size);
	else if (image->own)
		null_own_layout_copy(image->own, at, to, size);
	else
		memcpy(to, pixels + at, size);
}

void
null_draw_copy(
	struct null_image *image, const struct null_buffer *to, const VkBufferImageCopy *region)
{
	uint32_t size = null_format_get(image->format).block_size;
	uint32_t row =
		region->bufferRowLength ? region->bufferRowLength : region->imageExtent.width;
	const uint8_t *pixels = image->remembered ? image->remembered : pixels_of(image);

	if (!pixels || !to->memory ||
		kr_format_bytes(kr_buffer_get_info(image->buffer)->desc.format) != size)
		return;
	for (uint32_t y = 0; y < region->imageExtent.height; y++) {
		for (uint32_t x = 0; x < region->imageExtent.width; x++) {
			uint32_t from_x = (uint32_t)region->imageOffset.x + x;
			uint32_t from_y = (uint32_t)region->imageOffset.y + y;
			VkDeviceSize at = region->bufferOffset + ((VkDeviceSize)y * row + x) * size;

			if (from_x < image->extent.width && from_y < image->extent.height &&
				at + size <= to->size && to->offset + at + size <= to->memory->size)
				copy_pixel(image, pixels, from_x, from_y,
					(uint8_t *)to->memory->data + to->offset + at, size);
		}
	}
}

void
null_draw_fill(
	const struct null_buffer *buffer, VkDeviceSize offset, VkDeviceSize size, uint32_t word)
{
	VkDeviceSize end = size == VK_WHOLE_SIZE ? buffer->size : offset + size;

	if (!buffer->memory)
		return;
	for (; offset + sizeof(word) <= end &&
		buffer->offset + offset + sizeof(word) <= buffer->memory->size;
		offset += sizeof(word))
		memcpy((char *)buffer->memory->data + buffer->offset + offset, &word, sizeof(word));
}
