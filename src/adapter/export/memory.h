/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images in memory that a driver exports (T1): what the adapter's own may be, so that whoever
 * imports the memory makes the same one by its description (gralloc/gpu_memory.h), and the memory.
 * Images and memory are the driver's: nothing here knows of native buffers.
 */
#ifndef KR_ADAPTER_EXPORT_MEMORY_H
#define KR_ADAPTER_EXPORT_MEMORY_H

#include <stdbool.h>
#include "gen/tables.h"
#include "gpu/gpu.h"
#include "util/macros.h"

/*
 * Whether such an image can lie in memory that the driver exports, and whatever `info` says of it
 * can be said to others: all of it is in *memory then, but for what its memory is. Its usage grows
 * by what copies and who looks at it need.
 */
bool kr_export_describe(
	const struct kr_gpu *gpu, VkImageCreateInfo *info, struct kr_gpu_memory *memory);
/* `info` with what the driver has to be told of such an image, behind its chain. */
struct kr_export_info {
	VkImageCreateInfo create;
	VkExternalMemoryImageCreateInfo external;
};
void kr_export_info_init(
	const struct kr_gpu *gpu, const VkImageCreateInfo *info, struct kr_export_info *made);
/* Its memory, and what of *memory is known then. The image is bound to nothing yet. */
VkResult kr_export_memory_allocate(const struct kr_gpu *gpu, VkImage image,
	struct kr_gpu_memory *memory, VkDeviceMemory *made) KR_MUST_CHECK;

#endif
