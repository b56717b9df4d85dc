/* SPDX-License-Identifier: Apache-2.0 */
/* See images.h. The device and what is made of it live as long as the process. */
#include "bench/painter/images.h"

#include <krafla/hardware_buffer.h>
#include <string.h>

#include "gralloc/buffer.h"

int
painter_images_open(struct painter_images *images, char reason[128])
{
	static const uint8_t any[VK_UUID_SIZE];
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};

	memset(images, 0, sizeof(*images));
	if (kr_paint_device_open(&images->device, any, any, reason))
		return -1;
	info.queueFamilyIndex = images->device.family;
	strcpy(reason, "no memory for it");
	return images->device.d.CreateCommandPool(images->device.device, &info, NULL, &images->pool)
		? -1
		: 0;
}

static void
record(const struct painter_images *images, const struct kr_gpu_image *image, const float color[4],
	VkCommandBuffer commands)
{
	const struct kr_device_table *d = &images->device.d;
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkClearColorValue value = {{color[0], color[1], color[2], color[3]}};
	VkImageMemoryBarrier goes, comes;

	kr_gpu_release_barrier(&images->device.gpu, image, VK_IMAGE_LAYOUT_GENERAL,
		VK_ACCESS_TRANSFER_WRITE_BIT, &goes);
	comes = goes;
	comes.srcAccessMask = 0;
	comes.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
	comes.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
	comes.newLayout = VK_IMAGE_LAYOUT_GENERAL;
	comes.srcQueueFamilyIndex = comes.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
	d->BeginCommandBuffer(commands, &begin);
	d->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &comes);
	d->CmdClearColorImage(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
		&comes.subresourceRange);
	d->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 1, &goes);
	d->EndCommandBuffer(commands);
}

static int
draw(const struct painter_images *images, const struct kr_gpu_image *image, const float color[4])
{
	const struct kr_device_table *d = &images->device.d;
	const VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = images->pool,
		.commandBufferCount = 1,
	};
	VkCommandBuffer commands;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};

	if (d->AllocateCommandBuffers(images->device.device, &info, &commands))
		return -1;
	record(images, image, color, commands);
	return d->QueueSubmit(images->device.queue, 1, &submit, VK_NULL_HANDLE) ||
			d->QueueWaitIdle(images->device.queue)
		? -1
		: 0;
}

struct kr_buffer *
painter_images_make(
	struct painter_images *images, uint32_t width, uint32_t height, const float color[4])
{
	const struct kr_buffer_desc desc = {width, height, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE | AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER};
	const struct kr_gpu_memory wanted = {
		.kind = KR_GPU_OPAQUE_FD,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = width,
		.height = height,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
			VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.mip_levels = 1,
		.array_layers = 1,
		.samples = 1,
	};
	struct kr_buffer *buffer = NULL;
	struct kr_gpu_image image;
	int fd;

	if (kr_gpu_image_create(&images->device.gpu, &wanted, &image))
		return NULL;
	if (!draw(images, &image, color) &&
		!kr_gpu_image_export(&images->device.gpu, &image, &fd) &&
		kr_buffer_from_gpu(&desc, &image.description, fd, &buffer))
		buffer = NULL;
	kr_gpu_image_destroy(&images->device.gpu, &image);
	return buffer;
}
