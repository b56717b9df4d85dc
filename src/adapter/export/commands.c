/* SPDX-License-Identifier: Apache-2.0 */
/* See commands.h. */
#include "adapter/export/commands.h"

#define ALL VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
#define ANY (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

/* One barrier; what isn't said in it is added. */
static void
record_barrier(const struct kr_export_recording *r, VkCommandBuffer commands,
	VkPipelineStageFlags from, VkPipelineStageFlags to, VkImageMemoryBarrier barrier)
{
	barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
	barrier.image = r->image;
	barrier.subresourceRange = (VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	r->vk->CmdPipelineBarrier(commands, from, to, 0, 0, NULL, 0, NULL, 1, &barrier);
}

/* Within this device. */
static void
record_layout(const struct kr_export_recording *r, VkCommandBuffer commands, VkImageLayout from,
	VkImageLayout to)
{
	record_barrier(r, commands, ALL, ALL,
		(VkImageMemoryBarrier){
			.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
			.dstAccessMask = ANY,
			.oldLayout = from,
			.newLayout = to,
			.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
			.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		});
}

static void
record_give(const struct kr_export_recording *r, VkCommandBuffer commands)
{
	record_barrier(r, commands, ALL, ALL,
		(VkImageMemoryBarrier){
			.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
			.oldLayout = VK_IMAGE_LAYOUT_GENERAL,
			.newLayout = VK_IMAGE_LAYOUT_GENERAL,
			.srcQueueFamilyIndex = r->family,
			.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
		});
}

static void
record_take(const struct kr_export_recording *r, VkCommandBuffer commands)
{
	record_barrier(r, commands, ALL, ALL,
		(VkImageMemoryBarrier){
			.dstAccessMask = ANY,
			.oldLayout = VK_IMAGE_LAYOUT_GENERAL,
			.newLayout = VK_IMAGE_LAYOUT_GENERAL,
			.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
			.dstQueueFamilyIndex = r->family,
		});
	record_layout(r, commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

/* The CPU finds the pixels when the submission's fence has signalled. */
static void
record_copy(const struct kr_export_recording *r, VkCommandBuffer commands)
{
	const VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};

	record_layout(
		r, commands, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	r->vk->CmdCopyImageToBuffer(
		commands, r->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, r->buffer, 1, &r->whole);
	r->vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
	record_layout(r, commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
}

/* They may be pending several times: an image may go again before the last time is over. */
static VkResult
begin(const struct kr_export_recording *r, VkCommandBuffer commands)
{
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};

	return r->vk->BeginCommandBuffer(commands, &info);
}

VkResult
kr_export_record(const struct kr_export_recording *r, const struct kr_export_commands *commands)
{
	VkResult result = begin(r, commands->give);

	if (result != VK_SUCCESS)
		return result;
	record_layout(r, commands->give, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_GENERAL);
	record_give(r, commands->give);
	result = r->vk->EndCommandBuffer(commands->give);
	if (result == VK_SUCCESS)
		result = begin(r, commands->give_copied);
	if (result != VK_SUCCESS)
		return result;
	record_copy(r, commands->give_copied);
	record_give(r, commands->give_copied);
	result = r->vk->EndCommandBuffer(commands->give_copied);
	if (result == VK_SUCCESS)
		result = begin(r, commands->take);
	if (result != VK_SUCCESS)
		return result;
	record_take(r, commands->take);
	return r->vk->EndCommandBuffer(commands->take);
}
