/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout of the driver's own (W-13), as hardware that compresses has it: while an image is the
 * driver's, its buffer holds what nobody else can read, and beside it the driver knows of a colour
 * that the whole image has ("fast clear"), whatever the buffer holds.
 *
 *   acquired:  buffer = pixels ^ key, and perhaps "all is of colour c" beside it
 *   released:  buffer = pixels; the driver keeps the colour, and a sum of what it left
 *
 * So a consumer that gets a buffer without a release reads rubbish. Whoever changes a buffer
 * outside and doesn't have it acquired goes unseen, since the colour stands; acquire compares the
 * sum, and forgets the colour when it isn't that any more.
 *
 * A buffer has one, whichever of its images is acquired (W-06).
 *
 * Shared images are never the driver's alone, so that their buffers always hold plain pixels.
 *
 * Thread-safety: everything is guarded by the device's lock.
 */
#ifndef KR_NULL_OWN_LAYOUT_H
#define KR_NULL_OWN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kr_buffer;

struct null_own_layout {
	unsigned users;
	struct kr_buffer *buffer;
	uint32_t *pixels;
	uint32_t width; /* of the image, in words of 32 bits; all of the buffer's rows are kept */
	uint32_t height;
	uint32_t row; /* words from one row to the next */
	uint32_t rows;
	bool shared;
	bool acquired;
	bool has_colour;
	uint32_t colour;
	bool was_left;
	uint64_t left; /* sum of what release left */
};

/* Holds a reference of the buffer. 0 or -errno. */
int null_own_layout_create(struct kr_buffer *buffer, uint32_t width, uint32_t height, bool shared,
	struct null_own_layout **out);
/* Another image of the same buffer has it, too; each of them gives it back. */
struct null_own_layout *null_own_layout_ref(struct null_own_layout *layout);
void null_own_layout_unref(struct null_own_layout *layout);

/* Returns whether the buffer was changed since its release. */
bool null_own_layout_acquire(struct null_own_layout *layout);
void null_own_layout_release(struct null_own_layout *layout);

/* Of the whole image; of one pixel of 32 bits, within it. */
void null_own_layout_fill(struct null_own_layout *layout, uint32_t colour);
void null_own_layout_write(struct null_own_layout *layout, uint32_t x, uint32_t y, uint32_t pixel);
uint32_t null_own_layout_read(const struct null_own_layout *layout, uint32_t x, uint32_t y);
/*
 * The same for pixels of 2, 4 or 8 bytes: the whole image, unless somebody else has it; and those
 * bytes of it that begin `at` bytes into the buffer.
 */
void null_own_layout_clear(struct null_own_layout *layout, const uint8_t *pixel, uint32_t size);
void null_own_layout_copy(
	const struct null_own_layout *layout, size_t at, uint8_t *to, uint32_t size);

#endif
