/* SPDX-License-Identifier: Apache-2.0 */
/* Formats, for the files of this room; what others see of them: buffer.h. */
#ifndef KR_GRALLOC_FORMAT_H
#define KR_GRALLOC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "gralloc/buffer.h"

/* Whether it is depth, stencil or both. */
bool kr_format_is_depth(uint32_t format);
/* Whether it is one of YCbCr, in two planes. */
bool kr_format_is_planar(uint32_t format);
/* Of what rows are multiples, in bytes. */
uint32_t kr_format_row_align(uint32_t format);
/* What rows of that pitch need in all, of one layer; 0 for an unknown format. */
uint64_t kr_format_size(uint32_t format, uint32_t row_bytes, uint32_t height);
/* As kr_format_bytes and kr_format_layout, of depth and stencil, too, and of all layers. */
uint32_t kr_format_pixel_bytes(uint32_t format);
int kr_format_lay_out(const struct kr_buffer_desc *desc, uint32_t *row_bytes, uint64_t *size)
	KR_MUST_CHECK;

#endif
