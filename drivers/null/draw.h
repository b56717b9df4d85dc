/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few commands that the driver executes, so that what it leaves in buffers can be looked at.
 * Images that aren't of native buffers, or of buffers that aren't gralloc's, hold nothing.
 */
#ifndef KR_NULL_DRAW_H
#define KR_NULL_DRAW_H

#include "null/null.h"

/* The callers hold the device's lock. The whole image. */
void null_draw_clear(struct null_image *image, const VkClearColorValue *colour);
/* What lies outside of the image or the buffer isn't copied. */
void null_draw_copy(
	struct null_image *image, const struct null_buffer *to, const VkBufferImageCopy *region);
/* For wrong drivers: each byte of the buffer, (byte & keep) ^ flip. */
void null_draw_mask(struct null_image *image, uint8_t keep, uint8_t flip);
/* ... the last clear once more; what the buffer holds now is what is read from then on. */
void null_draw_again(struct null_image *image);
void null_draw_remember(struct null_image *image);
void null_draw_fill(
	const struct null_buffer *buffer, VkDeviceSize offset, VkDeviceSize size, uint32_t word);

#endif
