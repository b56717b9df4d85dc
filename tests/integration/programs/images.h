/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures that captures, screenshots and reference renderings are compared as. */
#ifndef KR_TESTS_IMAGES_H
#define KR_TESTS_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

struct image {
	uint32_t width;
	uint32_t height;
	uint8_t *rgb; /* 3 bytes a pixel, rows without gaps */
};

/* They fail the case when the file is no such picture. */
void image_load_png(struct image *image, const char *path);
void image_load_ppm(struct image *image, const char *path);
/* 32 bits a pixel, the lowest row first. */
void image_load_bmp(struct image *image, const char *path);
/*
 * The square part of `from` whose corner is at x = y = `at`; fails the case when it
 * isn't that large.
 */
void image_crop(struct image *image, const struct image *from, uint32_t at, uint32_t size);
void image_free(struct image *image);

/* The largest difference of any channel of any pixel; UINT32_MAX when the sizes differ. */
uint32_t image_difference(const struct image *a, const struct image *b);
/* Pixels that are not the colour of the first one: 0 for an empty picture. */
uint32_t image_drawn_pixels(const struct image *image);
/* How many different pictures `pattern` (a %d path) with the numbers from 1 to `count` names. */
unsigned image_count_different(const char *pattern, unsigned count);
/* Whether two files hold the same bytes; fails the case when one can't be read. */
bool files_equal(const char *a, const char *b);

#endif
