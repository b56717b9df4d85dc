/* SPDX-License-Identifier: Apache-2.0 */
/* Which Vulkan formats lie in memory like which formats of buffers. */
#ifndef KR_ADAPTER_FORMAT_H
#define KR_ADAPTER_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include "util/vulkan.h"

/* Bytes of a texel that a buffer can have, 0 for formats that no buffer has. */
uint32_t kr_adapter_format_bytes(VkFormat format);
/* Whether an image of this format can be a view of a buffer of that (AHARDWAREBUFFER_FORMAT_*). */
bool kr_adapter_format_matches(VkFormat format, uint32_t buffer_format);
/* A buffer format for it, 0 if none. */
uint32_t kr_adapter_buffer_format(VkFormat format);

#endif
