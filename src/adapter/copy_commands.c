/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded commands of a copy. */
#include "adapter/image.h"

#include "util/alloc.h"

/* Everything before the copy has been done, and has left the image ready to be presented. */
static void
record_begin(const struct kr_device_table *vk, VkCommandBuffer commands, VkImage image)
{
	const VkImageMemoryBarrier to_source = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
		.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &to_source);
}

/* The application finds the image as it presented it; the CPU finds the pixels. */
static void
record_end(const struct kr_device_table *vk, VkCommandBuffer commands, VkImage image)
{
	const VkImageMemoryBarrier to_present = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	const VkMemoryBarrier to_host = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};

	vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
		NULL, 1, &to_present);
}

VkBufferImageCopy
kr_copy_whole(const struct kr_adapter_image *image)
{
	return (VkBufferImageCopy){
		.bufferRowLength = kr_buffer_get_info(image->buffer)->stride,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {image->extent.width, image->extent.height, 1},
	};
}

static VkResult
record(const struct kr_device_table *vk, VkCommandBuffer commands,
	const struct kr_adapter_image *image)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};
	const VkBufferImageCopy whole = kr_copy_whole(image);
	VkResult result = vk->BeginCommandBuffer(commands, &begin);

	if (result != VK_SUCCESS)
		return result;
	record_begin(vk, commands, image->handle);
	vk->CmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
		image->staging, 1, &whole);
	record_end(vk, commands, image->handle);
	return vk->EndCommandBuffer(commands);
}

/* The image was presented, and will be found so; the buffer is whoever's wrote last. */
static void
record_refresh(const struct kr_device_table *vk, VkCommandBuffer commands,
	const struct kr_adapter_image *image)
{
	const VkBufferImageCopy whole = kr_copy_whole(image);
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
		.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->handle,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};

	vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vk->CmdCopyBufferToImage(
		commands, image->staging, image->handle, barrier.newLayout, 1, &whole);
	barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
	barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
	vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

VkResult
kr_copy_commands_allocate(struct kr_adapter_device *device, struct kr_adapter_family *family,
	VkCommandBuffer *commands) KR_REQUIRES(device->image_lock)
{
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = family->index,
	};
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkResult result = VK_SUCCESS;

	if (!family->pool)
		result = device->vk.CreateCommandPool(
			device->handle, &pool, device->allocator, &family->pool);
	if (result != VK_SUCCESS)
		return result;
	info.commandPool = family->pool;
	result = device->vk.AllocateCommandBuffers(device->handle, &info, commands);
	if (result != VK_SUCCESS)
		*commands = VK_NULL_HANDLE;
	return result;
}

VkResult
kr_copy_commands_create(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	VkResult result = VK_SUCCESS;

	image->commands = kr_zalloc_array(device->allocator, device->family_count,
		sizeof(*image->commands), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
	if (!image->commands)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	kr_mutex_lock(&device->image_lock);
	for (uint32_t i = 0; i < device->family_count && result == VK_SUCCESS; i++) {
		if (!device->families[i].transfer)
			continue;
		result = kr_copy_commands_allocate(
			device, &device->families[i], &image->commands[i]);
		if (result == VK_SUCCESS)
			result = record(&device->vk, image->commands[i], image);
	}
	kr_mutex_unlock(&device->image_lock);
	return result;
}

VkResult
kr_copy_refresh_create(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	const struct kr_device_table *vk = &device->vk;
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkResult result =
		vk->CreateFence(device->handle, &fence, device->allocator, &image->refreshed);

	if (result != VK_SUCCESS)
		return result;
	kr_mutex_lock(&device->image_lock);
	result = kr_copy_commands_allocate(
		device, kr_adapter_queue_family(device->helper), &image->refresh);
	if (result == VK_SUCCESS)
		result = vk->BeginCommandBuffer(image->refresh, &begin);
	if (result == VK_SUCCESS) {
		record_refresh(vk, image->refresh, image);
		result = vk->EndCommandBuffer(image->refresh);
	}
	kr_mutex_unlock(&device->image_lock);
	return result;
}

void
kr_copy_commands_destroy(struct kr_adapter_device *device, struct kr_adapter_image *image)
{
	if (!image->commands)
		return;
	kr_mutex_lock(&device->image_lock);
	for (uint32_t i = 0; i < device->family_count; i++) {
		if (image->commands[i])
			device->vk.FreeCommandBuffers(
				device->handle, device->families[i].pool, 1, &image->commands[i]);
	}
	if (image->refresh)
		device->vk.FreeCommandBuffers(device->handle,
			kr_adapter_queue_family(device->helper)->pool, 1, &image->refresh);
	image->refresh = NULL;
	kr_mutex_unlock(&device->image_lock);
	kr_free(device->allocator, image->commands);
	image->commands = NULL;
}
