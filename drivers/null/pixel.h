/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of clears as the bytes of a pixel. */
#ifndef KR_NULL_PIXEL_H
#define KR_NULL_PIXEL_H

#include <stdint.h>
#include "util/vulkan.h"

#define NULL_PIXEL_MAX 8u

/* How many bytes, a power of two; 0, and nothing written: the format isn't drawn to. */
uint32_t null_pixel_encode(
	VkFormat format, const VkClearColorValue *colour, uint8_t bytes[NULL_PIXEL_MAX]);

#endif
