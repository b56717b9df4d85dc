/* SPDX-License-Identifier: Apache-2.0 */
/* What an image or VkBuffer needs, and giving it memory. For this room alone. */
#ifndef KR_GPU_MEMORY_H
#define KR_GPU_MEMORY_H

#include "gpu/gpu.h"

struct kr_gpu_needs {
	uint64_t size;
	uint64_t alignment;
	uint32_t types;
	bool dedicated; /* the driver wants that, or must have it */
	bool only_dedicated;
};

VkResult kr_gpu_buffer_make(const struct kr_gpu *gpu, VkExternalMemoryHandleTypeFlagBits type,
	struct kr_gpu_image *image) KR_MUST_CHECK;
void kr_gpu_needs_get(
	const struct kr_gpu *gpu, const struct kr_gpu_image *image, struct kr_gpu_needs *needs);
/*
 * Allocates `size` bytes as image->memory as its description says, dedicated or not, with `chain`
 * (an export or an import).
 */
VkResult kr_gpu_memory_allocate(const struct kr_gpu *gpu, struct kr_gpu_image *image,
	const void *chain, uint64_t size) KR_MUST_CHECK;
VkResult kr_gpu_memory_bind(
	const struct kr_gpu *gpu, const struct kr_gpu_image *image, uint64_t offset) KR_MUST_CHECK;

#endif
