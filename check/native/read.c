/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an image by the device: copied to memory of the host's. */
#include "check/native/native.h"

#include <string.h>

struct reader {
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkDeviceSize size;
	VkCommandBuffer commands;
};

static uint32_t
choose_memory(struct check *c, const struct check_device *device, uint32_t bits)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties properties;

	CHECK_CALL(c, vkGetPhysicalDeviceMemoryProperties, device->physical, &properties);
	for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
		if ((bits & UINT32_C(1) << i) &&
			(properties.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	check_fail(c, "a buffer can't have memory that the host sees");
}

static void
make_buffer(struct check *c, const struct check_device *device, struct reader *reader)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = reader->size,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs;
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};

	CHECK_SUCCESS(c, vkCreateBuffer, device->device, &info, NULL, &reader->buffer);
	CHECK_CALL(c, vkGetBufferMemoryRequirements, device->device, reader->buffer, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = choose_memory(c, device, needs.memoryTypeBits);
	CHECK_SUCCESS(c, vkAllocateMemory, device->device, &allocate, NULL, &reader->memory);
	CHECK_SUCCESS(c, vkBindBufferMemory, device->device, reader->buffer, reader->memory, 0);
}

static void
make_commands(struct check *c, const struct check_device *device, struct reader *reader)
{
	const VkCommandPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->family,
	};
	VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};

	CHECK_SUCCESS(c, vkCreateCommandPool, device->device, &info, NULL, &allocate.commandPool);
	CHECK_SUCCESS(c, vkAllocateCommandBuffers, device->device, &allocate, &reader->commands);
}

static void
barrier(struct check *c, const struct reader *reader, const struct check_image *image,
	VkImageLayout from, VkImageLayout to)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	CHECK_CALL(c, vkCmdPipelineBarrier, reader->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* The image comes in the layout in which it was released, and goes in it. */
static void
record(struct check *c, const struct reader *reader, const struct check_image *image)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {image->width, image->height, 1},
	};
	const VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};

	CHECK_SUCCESS(c, vkBeginCommandBuffer, reader->commands, &begin);
	barrier(c, reader, image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
		VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	CHECK_CALL(c, vkCmdCopyImageToBuffer, reader->commands, image->image,
		VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, reader->buffer, 1, &region);
	barrier(c, reader, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
	CHECK_CALL(c, vkCmdPipelineBarrier, reader->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	CHECK_SUCCESS(c, vkEndCommandBuffer, reader->commands);
}

void
native_read(struct check *c, struct check_device *device, const struct check_image *image,
	VkSemaphore wait, uint32_t *pixels)
{
	struct reader reader = {
		.size = (VkDeviceSize)image->width * image->height * sizeof(*pixels)};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait ? 1 : 0,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &reader.commands,
	};
	VkFence done = native_vk_fence(c, device);
	void *data;

	make_buffer(c, device, &reader);
	make_commands(c, device, &reader);
	record(c, &reader, image);
	CHECK_SUCCESS(c, vkQueueSubmit, device->queues[0], 1, &submit, done);
	native_wait(c, device, done, "copying an image");
	CHECK_SUCCESS(c, vkMapMemory, device->device, reader.memory, 0, reader.size, 0, &data);
	memcpy(pixels, data, reader.size);
	CHECK_CALL(c, vkUnmapMemory, device->device, reader.memory);
}
