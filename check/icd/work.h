/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and work of an ICD, for the files of this folder. Anything that goes wrong fails. */
#ifndef KR_CHECK_ICD_WORK_H
#define KR_CHECK_ICD_WORK_H

#include "check/rig/check.h"

#define ICD_SIZE   64
#define ICD_FORMAT VK_FORMAT_R8G8B8A8_UNORM

/* The first memory type among `types` with these properties; UINT32_MAX: there is none. */
uint32_t icd_find_memory(struct check *c, const struct check_device *device, uint32_t types,
	VkMemoryPropertyFlags properties);
/* Of the first type that can be mapped and is coherent. */
VkDeviceMemory icd_allocate(struct check *c, const struct check_device *device,
	const VkMemoryRequirements *needs, uint8_t **data);

struct icd_buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint8_t *data;
};
struct icd_buffer icd_make_buffer(
	struct check *c, const struct check_device *device, VkDeviceSize size);

/* One command buffer, which is waited for. */
VkCommandBuffer icd_begin(struct check *c, const struct check_device *device);
void icd_run(struct check *c, const struct check_device *device, VkCommandBuffer buffer);

/* Clears an image of undefined layout, and leaves it in another. */
void icd_clear(struct check *c, VkCommandBuffer buffer, VkImage image, const float rgba[4],
	VkImageLayout layout);
/* What the CPU writes, and what others write, is seen by whom it is for. */
void icd_barrier(struct check *c, VkCommandBuffer buffer);

/* Rows of pixels are `rgba`, as check_pixels has it. */
void icd_expect_pixels(struct check *c, const uint8_t *data, size_t row_bytes, const float rgba[4]);

#endif
