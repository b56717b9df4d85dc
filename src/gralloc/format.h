/* SPDX-License-Identifier: Apache-2.0 */
/* Formats, for the files of this room; what others see of them: buffer.h. */
#ifndef KR_GRALLOC_FORMAT_H
#define KR_GRALLOC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "gralloc/buffer.h"

/* Whether CPUs can't have it: depth and stencil. */
bool kr_format_is_of_gpus(uint32_t format);
/* Whether it is one of YCbCr, in two planes. */
bool kr_format_is_planar(uint32_t format);
/* Of what rows are multiples, in bytes. */
uint32_t kr_format_row_align(uint32_t format);
/* What rows of that pitch need in all; 0 for what CPUs can't have. */
uint64_t kr_format_size(uint32_t format, uint32_t row_bytes, uint32_t height);

#endif
