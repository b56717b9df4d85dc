/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture on its way from the display to the writers. It comes as what the display has, in any
 * format, valid as long as the call that shows it or as it is held. Writers take it from there in
 * bands, several at once, as each reads memory that no cache has yet: they make R, G, B, 255 of it,
 * row behind row, which all formats are made of, and the display has its buffer back before
 * anything is encoded. Where it is that already and is only to be written, they look whether every
 * fourth byte is 255, and leave it where it is.
 *
 * One thread begins, then any number take bands, then one completes it; after that it is only read
 * until one drops it.
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
	const uint32_t *pixels; /* when it is complete: R, G, B, 255 in memory, without gaps */
	/* What it is made of. */
	const uint8_t *source;
	uint32_t source_row_bytes;
	kr_pixels_row_fn convert;     /* NULL: only the fourth byte may be wrong */
	struct kr_picture_hold *hold; /* NULL: the source ends with the call */
	bool stays;     /* the source is the picture, unless a fourth byte isn't 255 */
	uint32_t *copy; /* kept from picture to picture */
	size_t copy_size;
};

/*
 * During the call that shows it. `as_is`: the display's own memory will do. 0; -ENOMEM; -EINVAL: a
 * format that nobody knows.
 */
int kr_capture_picture_begin(struct kr_capture_picture *picture,
	const struct kr_composed_frame *frame, bool as_is) KR_MUST_CHECK;
/* Takes rows. False: the source isn't what it was hoped to be. */
bool kr_capture_picture_take(
	const struct kr_capture_picture *picture, uint32_t from_row, uint32_t to_row);
/*
 * All rows were taken, `fine` by all. False: they have to be taken again, and then will be
 * converted. True: it is complete, and the display has its buffer back unless it stays there.
 */
bool kr_capture_picture_complete(struct kr_capture_picture *picture, bool fine);
/* The pixels aren't read any more. */
void kr_capture_picture_drop(struct kr_capture_picture *picture);
/* Also of one that is all zero. */
void kr_capture_picture_finish(struct kr_capture_picture *picture);

#endif
