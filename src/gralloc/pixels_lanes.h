/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for processors that have more than the compiler may take for granted. They give the same
 * bytes as those of pixels.c. Thread-safe.
 */
#ifndef KR_GRALLOC_PIXELS_LANES_H
#define KR_GRALLOC_PIXELS_LANES_H

#include "gralloc/pixels.h"

/* As kr_pixels_row; NULL also when this processor has nothing better. */
kr_pixels_row_fn kr_pixels_lanes_row(uint32_t format, enum kr_pixels_order order);

#endif
