/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and work of an ICD: see work.h. */
#include "check/icd/work.h"

#define WAIT_NS (UINT64_C(5) * 1000 * 1000 * 1000)

uint32_t
icd_find_memory(struct check *c, const struct check_device *device, uint32_t types,
	VkMemoryPropertyFlags properties)
{
	VkPhysicalDeviceMemoryProperties memory = {0};

	CHECK_CALL(c, vkGetPhysicalDeviceMemoryProperties, device->physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((types & 1u << i) &&
			(memory.memoryTypes[i].propertyFlags & properties) == properties)
			return i;
	}
	return UINT32_MAX;
}

VkDeviceMemory
icd_allocate(struct check *c, const struct check_device *device, const VkMemoryRequirements *needs,
	uint8_t **data)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs->size,
		.memoryTypeIndex = icd_find_memory(c, device, needs->memoryTypeBits,
			VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
	};
	VkDeviceMemory memory;
	void *mapped = NULL;

	CHECK(c, info.memoryTypeIndex != UINT32_MAX,
		"no memory that can be mapped and is coherent, among the types %#x",
		needs->memoryTypeBits);
	CHECK_SUCCESS(c, vkAllocateMemory, device->device, &info, NULL, &memory);
	CHECK_SUCCESS(c, vkMapMemory, device->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped);
	CHECK(c, mapped, "vkMapMemory gave VK_SUCCESS and NULL");
	*data = mapped;
	return memory;
}

struct icd_buffer
icd_make_buffer(struct check *c, const struct check_device *device, VkDeviceSize size)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs = {0};
	struct icd_buffer made;

	CHECK_SUCCESS(c, vkCreateBuffer, device->device, &info, NULL, &made.buffer);
	CHECK_CALL(c, vkGetBufferMemoryRequirements, device->device, made.buffer, &needs);
	CHECK(c, needs.size >= size, "a buffer of %llu bytes needs %llu bytes of memory",
		(unsigned long long)size, (unsigned long long)needs.size);
	made.memory = icd_allocate(c, device, &needs, &made.data);
	CHECK_SUCCESS(c, vkBindBufferMemory, device->device, made.buffer, made.memory, 0);
	return made;
}

VkCommandBuffer
icd_begin(struct check *c, const struct check_device *device)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->family,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	VkCommandBuffer buffer;

	CHECK_SUCCESS(c, vkCreateCommandPool, device->device, &pool, NULL, &info.commandPool);
	CHECK_SUCCESS(c, vkAllocateCommandBuffers, device->device, &info, &buffer);
	CHECK_SUCCESS(c, vkBeginCommandBuffer, buffer, &begin);
	return buffer;
}

void
icd_run(struct check *c, const struct check_device *device, VkCommandBuffer buffer)
{
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &buffer,
	};
	VkFence fence;
	VkResult result;

	icd_barrier(c, buffer);
	CHECK_SUCCESS(c, vkEndCommandBuffer, buffer);
	CHECK_SUCCESS(c, vkCreateFence, device->device, &fence_info, NULL, &fence);
	CHECK_SUCCESS(c, vkQueueSubmit, device->queues[0], 1, &submit, fence);
	result = CHECK_CALL(c, vkWaitForFences, device->device, 1, &fence, VK_TRUE, WAIT_NS);
	CHECK(c, result != VK_TIMEOUT, "what was submitted isn't done within 5 s");
	check_success(c, "vkWaitForFences", result);
}

void
icd_barrier(struct check *c, VkCommandBuffer buffer)
{
	const VkMemoryBarrier memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
			VK_ACCESS_HOST_READ_BIT,
	};
	const VkPipelineStageFlags stages =
		VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;

	CHECK_CALL(
		c, vkCmdPipelineBarrier, buffer, stages, stages, 0, 1, &memory, 0, NULL, 0, NULL);
}

void
icd_clear(struct check *c, VkCommandBuffer buffer, VkImage image, const float rgba[4],
	VkImageLayout layout)
{
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkClearColorValue color = {.float32 = {rgba[0], rgba[1], rgba[2], rgba[3]}};

	CHECK_CALL(c, vkCmdPipelineBarrier, buffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	CHECK_CALL(c, vkCmdClearColorImage, buffer, image, barrier.newLayout, &color, 1,
		&barrier.subresourceRange);
	barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
	barrier.oldLayout = barrier.newLayout;
	barrier.newLayout = layout;
	CHECK_CALL(c, vkCmdPipelineBarrier, buffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void
icd_expect_pixels(struct check *c, const uint8_t *data, size_t row_bytes, const float rgba[4])
{
	for (uint32_t y = 0; y < ICD_SIZE; y++) {
		for (uint32_t x = 0; x < ICD_SIZE; x++) {
			const uint8_t *is = data + y * row_bytes + x * (size_t)4;

			for (int i = 0; i < 4; i++) {
				int want = (int)(rgba[i] * 255.0f + 0.5f);

				CHECK(c, is[i] >= want - 1 && is[i] <= want + 1,
					"pixel %u,%u is %02x %02x %02x %02x in memory, and byte %d of what was drawn is %02x",
					x, y, is[0], is[1], is[2], is[3], i, want);
			}
		}
	}
}
