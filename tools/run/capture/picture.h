/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture on its way from the display to the writers: the display's own pixels while it lends
 * them, else a copy. They stay in the format that they came in; who writes them converts them, so
 * that the display's thread doesn't. One thread takes and drops; any number may read meanwhile.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_PICTURE_H
#define KR_TOOLS_RUN_CAPTURE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gralloc/pixels.h"
#include "util/macros.h"

struct kr_composed_frame;
struct kr_picture_hold;

struct kr_capture_picture {
	uint64_t number; /* the display's, from 1 */
	uint32_t width;
	uint32_t height;
	uint32_t row_bytes;
	uint32_t format; /* AHARDWAREBUFFER_FORMAT_* */
	const uint8_t *pixels;
	kr_pixels_row_fn to_xrgb;     /* NULL: they are that already */
	struct kr_picture_hold *hold; /* NULL: the pixels are `copy` */
	void *copy;                   /* kept from picture to picture */
	size_t copy_size;
};

/*
 * During the call that shows it: holds the pixels, or makes a copy, whose memory is used again by
 * the next picture that is taken here. 0; -ENOMEM; -EINVAL: a format that nobody knows.
 */
int kr_capture_picture_take(
	struct kr_capture_picture *picture, const struct kr_composed_frame *frame) KR_MUST_CHECK;
/* The pixels aren't read any more. */
void kr_capture_picture_drop(struct kr_capture_picture *picture);
/* Also of one that is all zero. */
void kr_capture_picture_finish(struct kr_capture_picture *picture);

/*
 * A row as words 0xXXRRGGBB, X being anything: the picture's own memory, or `scratch`, which has
 * room for a row.
 */
const uint32_t *kr_capture_picture_row(
	const struct kr_capture_picture *picture, uint32_t y, uint32_t *scratch);
/* Whether its memory is, as it lies there, R, G, B and 255 for each pixel, row after row. */
bool kr_capture_picture_is_rgba(const struct kr_capture_picture *picture);

#endif
