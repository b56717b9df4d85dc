/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the device's copies of CPUs' memory lack for a picture: from that memory where the device
 * takes it, else through memory that it reads. Thread-safety: one thread.
 */
#ifndef KR_TOOLS_PAINTER_UPLOAD_H
#define KR_TOOLS_PAINTER_UPLOAD_H

#include "tools/painter/picture.h"

struct kr_paint_copies {
	VkBuffer from, to;
	size_t first, count; /* of the regions */
};

struct kr_paint_uploads {
	struct kr_paint_memory staging;
	VkDeviceSize staged; /* bytes of it in use */
	VkBufferCopy *regions;
	size_t region_count, region_room;
	struct kr_paint_copies copies[KR_RENDER_MAX_LAYERS];
	unsigned count;
};

/*
 * Replaces what was there, which nobody uses any more; what has to pass by the CPU is copied to
 * there. -ENOMEM; -ETIME somebody writes into a dma-buf.
 */
int kr_paint_uploads_prepare(const struct kr_paint_device *device, struct kr_paint_uploads *uploads,
	struct kr_paint_picture *picture) KR_MUST_CHECK;
void kr_paint_uploads_record(const struct kr_paint_device *device,
	const struct kr_paint_uploads *uploads, VkCommandBuffer commands);

#endif
