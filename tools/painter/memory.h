/* SPDX-License-Identifier: Apache-2.0 */
/* VkBuffers with memory of their own, or of this process's mappings. Thread-safety: one thread. */
#ifndef KR_TOOLS_PAINTER_MEMORY_H
#define KR_TOOLS_PAINTER_MEMORY_H

#include "tools/painter/device.h"

struct kr_paint_memory {
	VkBuffer buffer; /* VK_NULL_HANDLE: none */
	VkDeviceMemory memory;
	VkDeviceSize size;
	void *data; /* NULL: the CPU doesn't see it */
};

enum kr_paint_memory_kind {
	KR_PAINT_OF_DEVICE, /* fast there */
	KR_PAINT_TO_DEVICE, /* written by the CPU, coherent, and copied from */
	KR_PAINT_TO_SHADER, /* the same, and near where shaders read it */
	KR_PAINT_TO_CPU,    /* read by the CPU: cached, coherent */
};

/* 0; -ENOMEM. */
int kr_paint_memory_init(const struct kr_paint_device *device, enum kr_paint_memory_kind kind,
	VkDeviceSize size, VkBufferUsageFlags usage, struct kr_paint_memory *memory) KR_MUST_CHECK;
/* As large as that at least: what was there goes. Nobody uses it meanwhile. */
int kr_paint_memory_grow(const struct kr_paint_device *device, enum kr_paint_memory_kind kind,
	VkDeviceSize size, VkBufferUsageFlags usage, struct kr_paint_memory *memory) KR_MUST_CHECK;
/* Over a mapping of this process that lives longer. -EOPNOTSUPP the driver doesn't take it. */
int kr_paint_memory_import(const struct kr_paint_device *device, void *data, VkDeviceSize size,
	VkBufferUsageFlags usage, struct kr_paint_memory *memory) KR_MUST_CHECK;
/* Safe on a zeroed one. */
void kr_paint_memory_finish(const struct kr_paint_device *device, struct kr_paint_memory *memory);

#endif
