/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers with memory of a GPU, as a producer would have them. */
#ifndef KR_BENCH_PAINTER_IMAGES_H
#define KR_BENCH_PAINTER_IMAGES_H

#include "tools/painter/device.h"

struct kr_buffer;

struct painter_images {
	struct kr_paint_device device; /* of krafla-painter's choice */
	VkCommandPool pool;
};

/* 0; -1 with a reason. */
int painter_images_open(struct painter_images *images, char reason[128]);
/* An RGBA buffer of one colour, given out for others to read; NULL: it can't be had. */
struct kr_buffer *painter_images_make(
	struct painter_images *images, uint32_t width, uint32_t height, const float color[4]);

#endif
