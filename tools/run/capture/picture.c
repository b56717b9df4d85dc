/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures between the display and the writers: see picture.h. */
#include "tools/run/capture/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <krafla/hardware_buffer.h>
#include <krafla/native_window.h>

#include "colour/space.h"
#include "composer/output/output.h"
#include "tools/run/capture/rows.h"

#define PIECE        256 /* pixels */
#define HALVES_BYTES 8

static bool
is_rgba(uint32_t format)
{
	return format == AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM ||
		format == AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM;
}

/* What a picture of the display has: floats on one that has none beyond 0 and 1 get 10 bits. */
static enum kr_capture_depth
own_depth(const struct kr_composed_frame *frame)
{
	switch (frame->format) {
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
		return KR_CAPTURE_10;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
		return kr_capture_depth_of(frame->dataspace) == KR_CAPTURE_FLOAT ? KR_CAPTURE_FLOAT
										 : KR_CAPTURE_10;
	default:
		return KR_CAPTURE_8;
	}
}

static int
make_room(struct kr_capture_picture *picture)
{
	size_t size = kr_capture_picture_size(picture);

	if (picture->copy_size >= size)
		return 0;
	free(picture->copy);
	picture->copy = malloc(size);
	picture->copy_size = picture->copy ? size : 0;
	return picture->copy ? 0 : -ENOMEM;
}

/* How its rows become pixels of its depth. False: nobody knows the format. */
static bool
choose_way(struct kr_capture_picture *picture, const struct kr_composed_frame *frame)
{
	picture->convert = NULL;
	picture->deepens = false;
	if (picture->depth == KR_CAPTURE_8) {
		picture->convert = kr_pixels_row(frame->format, KR_PIXELS_XBGR);
		if (!picture->convert)
			return false;
		if (is_rgba(frame->format))
			picture->convert = NULL;
		return true;
	}
	if (frame->format == kr_capture_pixel_format(picture->depth))
		return true;
	if (!kr_colour_has_format(frame->format))
		return false;
	picture->deepens = true;
	kr_colour_conversion_init(
		&picture->conversion, frame->format, picture->dataspace, picture->dataspace, false);
	return true;
}

int
kr_capture_picture_begin(struct kr_capture_picture *picture, const struct kr_composed_frame *frame,
	const struct kr_capture_taking *taking)
{
	picture->number = frame->number;
	picture->width = frame->width;
	picture->height = frame->height;
	picture->depth = taking->fixed ? taking->depth : own_depth(frame);
	picture->dataspace = kr_colour_resolve(frame->dataspace, HAL_DATASPACE_SRGB);
	picture->hdr = frame->hdr ? *frame->hdr : (struct kr_hdr_metadata){0};
	if (!choose_way(picture, frame))
		return -EINVAL;
	/* Also for one that stays: until it is written to, memory costs nothing. */
	if (make_room(picture) < 0)
		return -ENOMEM;
	picture->source = frame->pixels;
	picture->source_row_bytes = frame->row_bytes;
	picture->hold = NULL;
	if (frame->hold && kr_picture_hold_take(frame->hold))
		picture->hold = frame->hold;
	picture->stays = taking->as_is && picture->hold && picture->depth == KR_CAPTURE_8 &&
		!picture->convert && frame->row_bytes == frame->width * KR_RGBA_BYTES;
	return 0;
}

static bool
take_8(const struct kr_capture_picture *picture, const void *row, uint32_t *to)
{
	if (picture->stays)
		return kr_all_opaque(row, picture->width);
	if (picture->convert) {
		picture->convert(row, to, picture->width);
		kr_make_opaque(to, to, picture->width);
	} else {
		kr_make_opaque(row, to, picture->width);
	}
	return true;
}

/* By what the pixels mean, a piece at a time. */
static void
deepen(const struct kr_capture_picture *picture, const uint8_t *row, uint8_t *to)
{
	uint32_t format = kr_capture_pixel_format(picture->depth);
	uint32_t bytes = kr_capture_bytes(picture->depth), step;
	uint32_t source_bytes =
		picture->conversion.layout ? picture->conversion.layout->bytes : HALVES_BYTES;
	float pixels[PIECE * KR_COLOUR_CHANNELS];

	for (uint32_t x = 0; x < picture->width; x += step) {
		step = KR_MIN((uint32_t)PIECE, picture->width - x);
		kr_colour_to_floats(
			&picture->conversion, row + (size_t)x * source_bytes, pixels, step);
		kr_colour_pack(format, pixels, to + (size_t)x * bytes, step);
	}
}

bool
kr_capture_picture_take(
	const struct kr_capture_picture *picture, uint32_t from_row, uint32_t to_row)
{
	size_t row_bytes = (size_t)picture->width * kr_capture_bytes(picture->depth);
	bool fine = true;

	for (uint32_t y = from_row; y < to_row && fine; y++) {
		const void *row = picture->source + (size_t)y * picture->source_row_bytes;
		void *to = (uint8_t *)picture->copy + y * row_bytes;

		if (picture->depth == KR_CAPTURE_8) {
			fine = take_8(picture, row, to);
			continue;
		}
		if (picture->deepens)
			deepen(picture, row, to);
		else
			memcpy(to, row, row_bytes);
		if (picture->depth == KR_CAPTURE_10)
			kr_make_opaque_10(to, picture->width);
		else
			kr_make_opaque_halves(to, picture->width);
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
