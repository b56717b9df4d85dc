/* SPDX-License-Identifier: Apache-2.0 */
/* A description as Vulkan's structures, and what the driver says of them. For this room alone. */
#ifndef KR_GPU_INFO_H
#define KR_GPU_INFO_H

#include "gpu/gpu.h"

/* What vkCreateImage is given, chained; points into itself and at the gpu. */
struct kr_gpu_info {
	VkImageCreateInfo image;
	VkExternalMemoryImageCreateInfo external;
	VkImageFormatListCreateInfo formats;
	VkImageDrmFormatModifierExplicitCreateInfoEXT explicit_modifier;
	VkSubresourceLayout planes[KR_GPU_MAX_PLANES];
	VkFormat view_formats[KR_GPU_MAX_VIEW_FORMATS];
};

/* An image of exactly that description, with memory of that type. */
void kr_gpu_info_init(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, struct kr_gpu_info *info);
VkBufferCreateInfo kr_gpu_buffer_info(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryBufferCreateInfo *external);
/* By which it is exported. */
VkExternalMemoryHandleTypeFlagBits kr_gpu_handle_type(const struct kr_gpu_memory *memory);

/*
 * Whether numbers are such as may be put into a question to a driver at all: known flags, usage,
 * formats, and no zeros. NULL, or what is wrong.
 */
const char *kr_gpu_description_flaw(const struct kr_gpu_memory *memory);
/*
 * Whether the driver has images (or buffers) of a description with these
 * VkExternalMemoryFeatureFlags; false also for sizes beyond its limits. *only_dedicated may be
 * NULL.
 */
bool kr_gpu_supports(const struct kr_gpu *gpu, const struct kr_gpu_memory *memory,
	VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryFeatureFlags features,
	bool *only_dedicated);

#endif
