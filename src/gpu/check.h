/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others say and send, on its way to the driver: everything that can be known of it before.
 * For this room alone.
 */
#ifndef KR_GPU_CHECK_H
#define KR_GPU_CHECK_H

#include "gpu/gpu.h"

struct kr_gpu_import {
	const struct kr_gpu *gpu;
	int fd;
	bool made; /* the image is the caller's, in the tiling that its description says */
	struct kr_gpu_image image;
	VkExternalMemoryHandleTypeFlagBits type; /* by which the driver gets the memory */
	uint64_t offset;                         /* in the memory, where the image begins */
	const char *reason;
};

/*
 * Checks image.description and the descriptor, and makes image.image or .buffer unless it is made:
 * without memory, and there also after a failure. 0 or as kr_gpu_memory_check.
 */
int kr_gpu_import_prepare(struct kr_gpu_import *import) KR_MUST_CHECK;
/* Only what needs no descriptor, and the tiling that such an image has here. */
int kr_gpu_import_plan(struct kr_gpu_import *import) KR_MUST_CHECK;

#endif
