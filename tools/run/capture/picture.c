/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures between the display and the writers: see picture.h. */
#include "tools/run/capture/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/hardware_buffer.h>

#include "composer/output/output.h"
#include "gralloc/buffer.h"
#include "tools/run/capture/rows.h"

/* As they lie there, row behind row without what pads them. */
static int
copy(struct kr_capture_picture *picture, const struct kr_composed_frame *frame)
{
	size_t row = (size_t)frame->width * kr_format_bytes(frame->format);
	size_t size = row * frame->height;

	if (picture->copy_size < size) {
		free(picture->copy);
		picture->copy = malloc(size);
		picture->copy_size = picture->copy ? size : 0;
	}
	if (!picture->copy)
		return -ENOMEM;
	for (uint32_t y = 0; y < frame->height; y++)
		memcpy((uint8_t *)picture->copy + y * row,
			(const uint8_t *)frame->pixels + (size_t)y * frame->row_bytes, row);
	picture->pixels = picture->copy;
	picture->row_bytes = (uint32_t)row;
	return 0;
}

static bool
is_xrgb(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_B8G8R8A8_UNORM;
}

int
kr_capture_picture_take(struct kr_capture_picture *picture, const struct kr_composed_frame *frame)
{
	kr_pixels_row_fn to_xrgb = kr_pixels_to_xrgb(frame->format);

	if (!to_xrgb)
		return -EINVAL;
	picture->number = frame->number;
	picture->width = frame->width;
	picture->height = frame->height;
	picture->format = frame->format;
	picture->to_xrgb = is_xrgb(frame->format) ? NULL : to_xrgb;
	if (!frame->hold || !kr_picture_hold_take(frame->hold))
		return copy(picture, frame);
	picture->hold = frame->hold;
	picture->pixels = frame->pixels;
	picture->row_bytes = frame->row_bytes;
	return 0;
}

void
kr_capture_picture_drop(struct kr_capture_picture *picture)
{
	if (picture->hold)
		kr_picture_hold_drop(picture->hold);
	picture->hold = NULL;
	picture->pixels = NULL;
}

void
kr_capture_picture_finish(struct kr_capture_picture *picture)
{
	kr_capture_picture_drop(picture);
	free(picture->copy);
	*picture = (struct kr_capture_picture){0};
}

const uint32_t *
kr_capture_picture_row(const struct kr_capture_picture *picture, uint32_t y, uint32_t *scratch)
{
	const void *row = picture->pixels + (size_t)y * picture->row_bytes;

	if (!picture->to_xrgb)
		return row;
	picture->to_xrgb(row, scratch, picture->width);
	return scratch;
}

/* Where it is so already there is nothing to do, which is why it is looked for. */
bool
kr_capture_picture_is_rgba(const struct kr_capture_picture *picture)
{
	const void *pixels = picture->pixels;

	return (picture->format == AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM ||
		       picture->format == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM) &&
		picture->row_bytes == picture->width * KR_RGBA_BYTES &&
		kr_all_opaque(pixels, (size_t)picture->width * picture->height);
}
