/* SPDX-License-Identifier: Apache-2.0 */
/* An image's commands: the producer clears it in a colour that its number tells, the consumer
 * copies it to where the processor can look. */
#include "bench/shared/shared.h"

#include "bench/vulkan_calls.h"

/* Memory that the processor reads; of two kinds the cached one. */
static uint32_t
host_type(const struct shared_end *end, uint32_t types)
{
	const VkMemoryPropertyFlags needed =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < end->gpu.memory.memoryTypeCount; i++) {
		VkMemoryPropertyFlags flags = end->gpu.memory.memoryTypes[i].propertyFlags;

		if (!(types & (1u << i)) || (flags & needed) != needed)
			continue;
		if (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
			return i;
		if (found == UINT32_MAX)
			found = i;
	}
	return found;
}

static int
create_copy(struct shared_end *end, struct shared_slot *slot)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = (VkDeviceSize)end->width * end->height * 4,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkDevice device = end->vk.device;
	VkMemoryRequirements needs;

	TRY(end->d.CreateBuffer(device, &info, NULL, &slot->copy));
	end->d.GetBufferMemoryRequirements(device, slot->copy, &needs);
	allocate.allocationSize = needs.size;
	allocate.memoryTypeIndex = host_type(end, needs.memoryTypeBits);
	if (allocate.memoryTypeIndex == UINT32_MAX)
		return 1;
	TRY(end->d.AllocateMemory(device, &allocate, NULL, &slot->copy_memory));
	TRY(end->d.BindBufferMemory(device, slot->copy, slot->copy_memory, 0));
	TRY(end->d.MapMemory(
		device, slot->copy_memory, 0, VK_WHOLE_SIZE, 0, (void **)(void *)&slot->pixels));
	return 0;
}

int
shared_slot_create(struct shared_end *end, struct shared_slot *slot)
{
	const VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = end->vk.pool,
		.commandBufferCount = 1,
	};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	TRY(end->d.AllocateCommandBuffers(end->vk.device, &commands, &slot->commands));
	TRY(end->d.CreateFence(end->vk.device, &fence, NULL, &slot->done));
	return end->producer ? 0 : create_copy(end, slot);
}

void
shared_slot_destroy(struct shared_end *end, struct shared_slot *slot)
{
	VkDevice device = end->vk.device;

	if (shared_slot_finish(end, slot))
		end->d.DeviceWaitIdle(device);
	kr_gpu_image_destroy(&end->gpu, &slot->image);
	if (slot->commands)
		end->d.FreeCommandBuffers(device, end->vk.pool, 1, &slot->commands);
	end->d.DestroyFence(device, slot->done, NULL);
	end->d.DestroySemaphore(device, slot->wait, NULL);
	end->d.DestroySemaphore(device, slot->signal, NULL);
	end->d.DestroyBuffer(device, slot->copy, NULL);
	end->d.FreeMemory(device, slot->copy_memory, NULL);
	*slot = (struct shared_slot){0};
}

/* Red and green are the number's last 16 bits; 128 and 255 stand beside them. */
static uint32_t
pixel_of(uint64_t number)
{
	return (uint32_t)(number & 0xffff) | 0xff800000u;
}

static void
draw(struct shared_end *end, struct shared_slot *slot, uint64_t number)
{
	const VkClearColorValue colour = {
		{(float)(number & 0xff) / 255, (float)(number >> 8 & 0xff) / 255, 128.0f / 255, 1}};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

	end->d.CmdClearColorImage(slot->commands, slot->image.image,
		VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &all);
}

static void
copy(struct shared_end *end, struct shared_slot *slot)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {end->width, end->height, 1},
	};

	end->d.CmdCopyImageToBuffer(slot->commands, slot->image.image,
		VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, slot->copy, 1, &region);
}

static int
record(struct shared_end *end, struct shared_slot *slot, uint64_t number)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	const VkMemoryBarrier host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};

	TRY(end->d.BeginCommandBuffer(slot->commands, &begin));
	end->d.CmdPipelineBarrier(slot->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &slot->acquire);
	if (end->producer)
		draw(end, slot, number);
	else
		copy(end, slot);
	end->d.CmdPipelineBarrier(slot->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0,
		end->producer ? 0 : 1, &host, 0, NULL, 1, &slot->release);
	TRY(end->d.EndCommandBuffer(slot->commands));
	return 0;
}

int
shared_slot_submit(struct shared_end *end, struct shared_slot *slot, uint64_t number)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const bool waits = slot->wait && (!end->producer || number >= SHARED_SLOTS);
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = waits,
		.pWaitSemaphores = &slot->wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &slot->commands,
		.signalSemaphoreCount = slot->signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &slot->signal,
	};

	if (shared_slot_finish(end, slot) || record(end, slot, number))
		return 1;
	TRY(end->d.QueueSubmit(end->vk.queue, 1, &submit, slot->done));
	slot->submitted = true;
	return 0;
}

int
shared_slot_finish(struct shared_end *end, struct shared_slot *slot)
{
	if (!slot->submitted)
		return 0;
	TRY(end->d.WaitForFences(end->vk.device, 1, &slot->done, VK_TRUE, UINT64_MAX));
	TRY(end->d.ResetFences(end->vk.device, 1, &slot->done));
	slot->submitted = false;
	return 0;
}

bool
shared_slot_shows(const struct shared_end *end, const struct shared_slot *slot, uint64_t number)
{
	const size_t last = (size_t)end->width * end->height - 1;

	return slot->pixels[0] == pixel_of(number) && slot->pixels[last] == pixel_of(number);
}
