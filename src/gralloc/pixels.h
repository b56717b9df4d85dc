/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of pixels of every format, turned into one of the two that displays here are made of. For
 * readers on the CPU that have no use for more than 8 bits a channel. Thread-safe.
 */
#ifndef KR_GRALLOC_PIXELS_H
#define KR_GRALLOC_PIXELS_H

#include <stdint.h>

enum kr_pixels_order {
	KR_PIXELS_XRGB, /* words 0xXXRRGGBB: B, G, R, X in memory */
	KR_PIXELS_XBGR, /* words 0xXXBBGGRR: R, G, B, X in memory */
};

/*
 * Converts `width` pixels that begin at `from`, which is aligned to the size of a pixel, and lies
 * apart from `to`. Each channel gets the nearest value that it can have, halves upwards; numbers
 * below 0 and what is no number become 0, numbers above 1 become 1. X is whatever it is.
 */
typedef void (*kr_pixels_row_fn)(const void *from, uint32_t *restrict to, uint32_t width);

/* The function for AHARDWAREBUFFER_FORMAT_*; NULL for a format that is unknown here. */
kr_pixels_row_fn kr_pixels_row(uint32_t format, enum kr_pixels_order order);
/* The same for any processor. */
kr_pixels_row_fn kr_pixels_plain_row(uint32_t format, enum kr_pixels_order order);
/* kr_pixels_row with KR_PIXELS_XRGB. */
kr_pixels_row_fn kr_pixels_to_xrgb(uint32_t format);
/* Turns one order into the other, in place. */
void kr_pixels_swap(uint32_t *row, uint32_t width);

#endif
