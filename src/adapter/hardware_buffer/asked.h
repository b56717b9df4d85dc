/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers whose properties were asked for, before images and VkBuffers for them are made. */
#ifndef KR_ADAPTER_HARDWARE_BUFFER_ASKED_H
#define KR_ADAPTER_HARDWARE_BUFFER_ASKED_H

#include "adapter/hardware_buffer/hardware_buffer.h"

/* The oldest is forgotten for a newer one. */
#define KR_AHB_MAX_ASKED 64

struct kr_ahb_asked {
	bool unused;
	bool is_dma_buf;
	uint64_t id; /* the buffer's */
	struct kr_buffer_desc desc;
	struct kr_gpu_memory memory; /* of a dma-buf */
};

void kr_ahb_asked_remember(struct kr_adapter_device *device, const struct kr_buffer_info *info);
/*
 * Whether the latest of that size, layers and format was a dma-buf, and what it says; it is no
 * longer remembered.
 */
bool kr_ahb_asked_take_image(struct kr_adapter_device *device, const VkImageCreateInfo *image,
	struct kr_gpu_memory *memory);
/* The same of BLOBs that are large enough. */
bool kr_ahb_asked_take_buffer(struct kr_adapter_device *device, const VkBufferCreateInfo *buffer,
	struct kr_gpu_memory *memory);

#endif
