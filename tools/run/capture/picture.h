/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture on its way from the display to the writers. It comes as what the display has, in any
 * format, valid as long as the call that shows it or as it is held. Writers take it from there in
 * bands, several at once, as each reads memory that no cache has yet: they make pixels of one of
 * three depths of it, opaque, row behind row, which all formats are made of, and the display has
 * its buffer back before anything is encoded. Where it is that already, in 8 bits, and is only to
 * be written, they look whether every fourth byte is 255, and leave it where it is.
 *
 * One thread begins, then any number take bands, then one completes it; after that it is only read
 * until one drops it.
 */
#ifndef KR_TOOLS_RUN_CAPTURE_PICTURE_H
#define KR_TOOLS_RUN_CAPTURE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "colour/convert.h"
#include "colour/hdr.h"
#include "gralloc/pixels.h"
#include "util/macros.h"

struct kr_composed_frame;
struct kr_picture_hold;

/* How many bits a channel has, and how its pixels lie in memory, without gaps. */
enum kr_capture_depth {
	KR_CAPTURE_8,     /* R, G, B, 255, a byte each */
	KR_CAPTURE_10,    /* R10G10B10A2: red in the lowest bits of a word, the two highest are 1 */
	KR_CAPTURE_FLOAT, /* R, G, B, 1.0, a half each */
};

/* Of what a display of that colour draws. */
enum kr_capture_depth kr_capture_depth_of(int32_t dataspace);
/* Of a pixel. */
static inline uint32_t
kr_capture_bytes(enum kr_capture_depth depth)
{
	return depth == KR_CAPTURE_FLOAT ? 8 : 4;
}

/* AHARDWAREBUFFER_FORMAT_*. */
uint32_t kr_capture_pixel_format(enum kr_capture_depth depth);

/* What a picture is to be. */
struct kr_capture_taking {
	bool as_is;                  /* the display's own memory will do */
	bool fixed;                  /* the depth is that, whatever the display has */
	enum kr_capture_depth depth; /* with `fixed` */
};

struct kr_capture_picture {
	uint64_t number; /* the display's, from 1 */
	uint32_t width;
	uint32_t height;
	enum kr_capture_depth depth;
	int32_t dataspace;          /* HAL_DATASPACE_*: what its numbers mean */
	struct kr_hdr_metadata hdr; /* of its windows; `has` is 0 where they say nothing */
	const void *pixels;         /* when it is complete, of its depth */
	/* What it is made of. */
	const uint8_t *source;
	uint32_t source_row_bytes;
	kr_pixels_row_fn convert; /* to 8 bits; NULL: only the fourth byte may be wrong */
	struct kr_colour_conversion conversion; /* to another depth, if `deepens` */
	bool deepens;
	struct kr_picture_hold *hold; /* NULL: the source ends with the call */
	bool stays; /* the source is the picture, unless a fourth byte isn't 255 */
	void *copy; /* kept from picture to picture */
	size_t copy_size;
};

/* During the call that shows it. 0; -ENOMEM; -EINVAL: a format that nobody knows. */
int kr_capture_picture_begin(struct kr_capture_picture *picture,
	const struct kr_composed_frame *frame, const struct kr_capture_taking *taking)
	KR_MUST_CHECK;
/* Takes rows. False: the source isn't what it was hoped to be. */
bool kr_capture_picture_take(
	const struct kr_capture_picture *picture, uint32_t from_row, uint32_t to_row);
/*
 * All rows were taken, `fine` by all. False: they have to be taken again, and then will be
 * converted. True: it is complete, and the display has its buffer back unless it stays there.
 */
bool kr_capture_picture_complete(struct kr_capture_picture *picture, bool fine);
/* A row of one that is complete. */
static inline const void *
kr_capture_picture_row(const struct kr_capture_picture *picture, uint32_t y)
{
	return (const uint8_t *)picture->pixels +
		(size_t)y * picture->width * kr_capture_bytes(picture->depth);
}

/* All of its pixels. */
static inline size_t
kr_capture_picture_size(const struct kr_capture_picture *picture)
{
	return (size_t)picture->width * picture->height * kr_capture_bytes(picture->depth);
}

/* The pixels aren't read any more. */
void kr_capture_picture_drop(struct kr_capture_picture *picture);
/* Also of one that is all zero. */
void kr_capture_picture_finish(struct kr_capture_picture *picture);

#endif
