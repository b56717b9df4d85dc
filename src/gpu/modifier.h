/* SPDX-License-Identifier: Apache-2.0 */
/* Dma-bufs: DRM format modifiers, and where the planes of an image lie. For this room alone. */
#ifndef KR_GPU_MODIFIER_H
#define KR_GPU_MODIFIER_H

#include "gpu/gpu.h"

#define KR_GPU_MAX_MODIFIERS 64
#define KR_GPU_LINEAR        UINT64_C(0) /* DRM_FORMAT_MOD_LINEAR */

struct kr_gpu_modifiers {
	uint32_t count;
	uint64_t values[KR_GPU_MAX_MODIFIERS];
};

/*
 * In which tiling an image of `memory` is exported: sets it, and for that of modifiers those among
 * which the driver may choose: all that it has, LINEAR only where there is no other (or where
 * memory->tiling asks for it). False: in none.
 */
bool kr_gpu_modifiers_choose(
	const struct kr_gpu *gpu, struct kr_gpu_memory *memory, struct kr_gpu_modifiers *modifiers);
/* How many planes of memory an image of that modifier has; 0: there is no such modifier here. */
uint32_t kr_gpu_modifier_planes(const struct kr_gpu *gpu, uint32_t format, uint64_t modifier);
/* What the driver made: modifier, planes. */
VkResult kr_gpu_layouts_get(const struct kr_gpu *gpu, VkImage image, struct kr_gpu_memory *memory)
	KR_MUST_CHECK;
/*
 * Whether the planes of a LINEAR image lie as they do in `memory`, `*offset` bytes behind its
 * beginning.
 */
bool kr_gpu_same_layout(const struct kr_gpu *gpu, VkImage image, const struct kr_gpu_memory *memory,
	uint64_t *offset);

#endif
