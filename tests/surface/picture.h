/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures that tests put into windows. */
#ifndef KR_TESTS_SURFACE_PICTURE_H
#define KR_TESTS_SURFACE_PICTURE_H

#include <stdint.h>

/* Writes 0xRRGGBB, with an alpha of 8 bits where a format has that. */
void picture_pixel(void *row, uint32_t x, uint32_t format, uint32_t alpha, uint32_t rgb);
/*
 * Where a quarter (0 left of 1, both above 2 and 3) comes to lie when the picture is flipped, then
 * turned clockwise.
 */
unsigned picture_place(unsigned quarter, int32_t transform);

#endif
