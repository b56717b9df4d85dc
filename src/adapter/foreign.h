/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a physical device can have AHardwareBuffers in Vulkan, and of which kind of memory.
 *
 * VK_ANDROID_external_memory_android_hardware_buffer wants VK_EXT_queue_family_foreign: buffers
 * come from, and go to, whoever. Where an ICD hasn't that, a device that draws by the CPU is tried:
 * when images keep their content through a hand-over to VK_QUEUE_FAMILY_FOREIGN_EXT and
 * VK_QUEUE_FAMILY_EXTERNAL and back, the ICD passes over families, and the adapter offers the
 * extension in its place. Other devices aren't tried, since they might pass by luck.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_ADAPTER_FOREIGN_H
#define KR_ADAPTER_FOREIGN_H

#include <stdbool.h>
#include "adapter/extensions.h"
#include "adapter/instance.h"

/* Found out once for the device. */
bool kr_adapter_offers_hardware_buffers(struct kr_adapter_gpu *gpu);
/* Why it doesn't, for people; NULL: it does. */
const char *kr_adapter_why_no_hardware_buffers(struct kr_adapter_gpu *gpu);
/* The ICD has VK_EXT_queue_family_foreign itself. */
bool kr_adapter_has_foreign(const struct kr_adapter_gpu *gpu);

/* An image over the mapping of a buffer: 2D, of one level and layer, in rows. */
bool kr_adapter_image_lies_in_host_memory(
	struct kr_adapter_gpu *gpu, const VkImageCreateInfo *info);
/* VkBuffers over the mapping of a buffer. */
bool kr_adapter_blobs_in_host_memory(struct kr_adapter_gpu *gpu);
/* Whether the ICD has such images in memory that it exports and imports. */
bool kr_adapter_image_lies_in_own_memory(
	const struct kr_adapter_gpu *gpu, const VkPhysicalDeviceImageFormatInfo2 *info);
/* AHARDWAREBUFFER_USAGE_* of buffers for such images. */
uint64_t kr_adapter_hardware_buffer_usage(VkImageUsageFlags usage, VkImageCreateFlags flags);

#endif
