/* SPDX-License-Identifier: Apache-2.0 */
/* The image, or VkBuffer, behind the description of a buffer. For this folder alone. */
#ifndef KR_GPU_ALLOCATOR_WANT_H
#define KR_GPU_ALLOCATOR_WANT_H

#include "gpu/gpu.h"
#include "gralloc/buffer.h"

/* 0, or -EOPNOTSUPP with a sentence: GPUs' memory can't be that. */
int kr_gpu_want(const struct kr_gpu *gpu, const struct kr_buffer_desc *desc,
	struct kr_gpu_memory *wanted, const char **reason) KR_MUST_CHECK;

#endif
