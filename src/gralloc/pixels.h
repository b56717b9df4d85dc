/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of pixels of every format, turned into what the displays here are made of: words
 * 0xXXRRGGBB, that is B, G, R, X in memory. For readers on the CPU that have no use for
 * more than 8 bits a channel.
 */
#ifndef KR_GRALLOC_PIXELS_H
#define KR_GRALLOC_PIXELS_H

#include <stdint.h>

/*
 * Converts `width` pixels that begin at `from`, which is aligned to the size of a pixel. Each
 * channel gets the nearest value that it can have, halves upwards; numbers below 0 and what is no
 * number become 0, numbers above 1 become 1. X is whatever it is. Thread-safe.
 */
typedef void (*kr_pixels_row_fn)(const void *from, uint32_t *to, uint32_t width);

/* The function for AHARDWAREBUFFER_FORMAT_*; NULL for a format that is unknown here. */
kr_pixels_row_fn kr_pixels_to_xrgb(uint32_t format);

#endif
