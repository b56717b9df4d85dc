/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/allocator/first.h"

#include "util/clock.h"

#define LIMIT_NS (5 * KR_NSEC_PER_SEC)

/* Formats of one plane that vkCmdClearColorImage takes. */
static bool
can_be_cleared(const struct kr_gpu_session *s, const struct kr_gpu_image *image)
{
	if (!(image->description.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) ||
		image->description.format >= VK_FORMAT_G8B8G8R8_422_UNORM)
		return false;
	return s->draws || kr_gpu_aspects(image->description.format) == VK_IMAGE_ASPECT_COLOR_BIT;
}

static void
barrier(const struct kr_gpu_session *s, VkCommandBuffer commands, const VkImageMemoryBarrier *image)
{
	s->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, image);
}

static void
record_image(
	const struct kr_gpu_session *s, VkCommandBuffer commands, const struct kr_gpu_image *image)
{
	const VkImageLayout written = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	const VkClearColorValue zero = {.uint32 = {0}};
	const VkClearDepthStencilValue far = {0, 0};
	bool clear = can_be_cleared(s, image);
	VkImageMemoryBarrier begins, goes;

	kr_gpu_release_barrier(
		&s->gpu, image, written, clear ? VK_ACCESS_TRANSFER_WRITE_BIT : 0, &goes);
	begins = goes;
	begins.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
	begins.newLayout = written;
	begins.srcAccessMask = 0;
	begins.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	begins.srcQueueFamilyIndex = begins.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
	if (clear)
		barrier(s, commands, &begins);
	else
		goes.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
	if (clear && kr_gpu_aspects(image->description.format) == VK_IMAGE_ASPECT_COLOR_BIT)
		s->CmdClearColorImage(
			commands, image->image, written, &zero, 1, &goes.subresourceRange);
	else if (clear)
		s->CmdClearDepthStencilImage(
			commands, image->image, written, &far, 1, &goes.subresourceRange);
	barrier(s, commands, &goes);
}

static void
record_buffer(
	const struct kr_gpu_session *s, VkCommandBuffer commands, const struct kr_gpu_image *image)
{
	VkBufferMemoryBarrier goes;

	s->CmdFillBuffer(commands, image->buffer, 0, VK_WHOLE_SIZE, 0);
	kr_gpu_release_buffer_barrier(&s->gpu, image, VK_ACCESS_TRANSFER_WRITE_BIT, &goes);
	s->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 1, &goes, 0, NULL);
}

static VkResult
record(const struct kr_gpu_session *s, VkCommandBuffer commands, const struct kr_gpu_image *image)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	VkResult result = s->BeginCommandBuffer(commands, &begin);

	if (result != VK_SUCCESS)
		return result;
	if (image->image)
		record_image(s, commands, image);
	else
		record_buffer(s, commands, image);
	return s->EndCommandBuffer(commands);
}

static VkResult
submit(const struct kr_gpu_session *s, VkCommandBuffer commands, VkFence fence)
{
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};
	VkResult result = s->QueueSubmit(s->queue, 1, &info, fence);

	if (result != VK_SUCCESS)
		return result;
	result = s->WaitForFences(s->gpu.device, 1, &fence, VK_TRUE, LIMIT_NS);
	return result == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : result;
}

VkResult
kr_gpu_first_content(const struct kr_gpu_session *s, const struct kr_gpu_image *image)
{
	const VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
		.queueFamilyIndex = s->family,
	};
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = 1,
	};
	VkCommandBuffer commands;
	VkFence fence = VK_NULL_HANDLE;
	VkResult result = s->CreateCommandPool(s->gpu.device, &pool_info, NULL, &info.commandPool);

	if (result != VK_SUCCESS)
		return result;
	result = s->CreateFence(s->gpu.device, &fence_info, NULL, &fence);
	if (result == VK_SUCCESS)
		result = s->AllocateCommandBuffers(s->gpu.device, &info, &commands);
	if (result == VK_SUCCESS)
		result = record(s, commands, image);
	if (result == VK_SUCCESS)
		result = submit(s, commands, fence);
	if (fence)
		s->DestroyFence(s->gpu.device, fence, NULL);
	s->DestroyCommandPool(s->gpu.device, info.commandPool, NULL);
	return result;
}
