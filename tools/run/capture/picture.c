/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures between the display and the writers: see picture.h. */
#include "tools/run/capture/picture.h"

#include <errno.h>
#include <stdlib.h>

#include <krafla/hardware_buffer.h>

#include "composer/output/output.h"
#include "tools/run/capture/rows.h"

static bool
is_rgba(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM ||
		format == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM;
}

static int
make_room(struct kr_capture_picture *picture)
{
	size_t size = (size_t)picture->width * picture->height * KR_RGBA_BYTES;

	if (picture->copy_size >= size)
		return 0;
	free(picture->copy);
	picture->copy = malloc(size);
	picture->copy_size = picture->copy ? size : 0;
	return picture->copy ? 0 : -ENOMEM;
}

int
kr_capture_picture_begin(
	struct kr_capture_picture *picture, const struct kr_composed_frame *frame, bool as_is)
{
	kr_pixels_row_fn convert = kr_pixels_row(frame->format, KR_PIXELS_XBGR);

	if (!convert)
		return -EINVAL;
	picture->number = frame->number;
	picture->width = frame->width;
	picture->height = frame->height;
	/* Also for one that stays: until it is written to, memory costs nothing. */
	if (make_room(picture) < 0)
		return -ENOMEM;
	picture->source = frame->pixels;
	picture->source_row_bytes = frame->row_bytes;
	picture->convert = is_rgba(frame->format) ? NULL : convert;
	picture->hold = NULL;
	if (frame->hold && kr_picture_hold_take(frame->hold))
		picture->hold = frame->hold;
	picture->stays = as_is && picture->hold && !picture->convert &&
		frame->row_bytes == frame->width * KR_RGBA_BYTES;
	return 0;
}

bool
kr_capture_picture_take(
	const struct kr_capture_picture *picture, uint32_t from_row, uint32_t to_row)
{
	bool fine = true;

	for (uint32_t y = from_row; y < to_row && fine; y++) {
		const void *row = picture->source + (size_t)y * picture->source_row_bytes;
		uint32_t *to = picture->copy + (size_t)y * picture->width;

		if (picture->stays) {
			fine = kr_all_opaque(row, picture->width);
		} else if (picture->convert) {
			picture->convert(row, to, picture->width);
			kr_make_opaque(to, to, picture->width);
		} else {
			kr_make_opaque(row, to, picture->width);
		}
	}
	return fine;
}

static void
give_back(struct kr_capture_picture *picture)
{
	if (picture->hold)
		kr_picture_hold_drop(picture->hold);
	picture->hold = NULL;
	picture->source = NULL;
}

bool
kr_capture_picture_complete(struct kr_capture_picture *picture, bool fine)
{
	if (!fine) {
		picture->stays = false;
		return false;
	}
	picture->pixels = picture->stays ? (const void *)picture->source : picture->copy;
	if (!picture->stays)
		give_back(picture);
	return true;
}

void
kr_capture_picture_drop(struct kr_capture_picture *picture)
{
	give_back(picture);
	picture->pixels = NULL;
}

void
kr_capture_picture_finish(struct kr_capture_picture *picture)
{
	kr_capture_picture_drop(picture);
	free(picture->copy);
	*picture = (struct kr_capture_picture){0};
}
