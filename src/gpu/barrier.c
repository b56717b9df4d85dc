/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership that comes from elsewhere and goes there. An image that all families share belongs to
 * none here, so that whichever queue has the image next may say the barrier; with a single family
 * it belongs to that.
 */
#include "gpu/gpu.h"

VkImageAspectFlags
kr_gpu_aspects(uint32_t format)
{
	switch ((VkFormat)format) {
	case VK_FORMAT_D16_UNORM:
	case VK_FORMAT_X8_D24_UNORM_PACK32:
	case VK_FORMAT_D32_SFLOAT:
		return VK_IMAGE_ASPECT_DEPTH_BIT;
	case VK_FORMAT_S8_UINT:
		return VK_IMAGE_ASPECT_STENCIL_BIT;
	case VK_FORMAT_D16_UNORM_S8_UINT:
	case VK_FORMAT_D24_UNORM_S8_UINT:
	case VK_FORMAT_D32_SFLOAT_S8_UINT:
		return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
	default:
		return VK_IMAGE_ASPECT_COLOR_BIT;
	}
}

static uint32_t
family_here(const struct kr_gpu *gpu)
{
	return gpu->family_count > 1 ? VK_QUEUE_FAMILY_IGNORED : gpu->families[0];
}

/* A dma-buf may be written by what has no Vulkan. */
static uint32_t
family_there(const struct kr_gpu *gpu, const struct kr_gpu_image *image)
{
	return image->description.kind == KR_GPU_DMA_BUF && gpu->foreign
		? VK_QUEUE_FAMILY_FOREIGN_EXT
		: VK_QUEUE_FAMILY_EXTERNAL;
}

static VkImageMemoryBarrier
whole(const struct kr_gpu_image *image)
{
	return (VkImageMemoryBarrier){
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.image = image->image,
		.subresourceRange =
			{
				.aspectMask = kr_gpu_aspects(image->description.format),
				.levelCount = VK_REMAINING_MIP_LEVELS,
				.layerCount = VK_REMAINING_ARRAY_LAYERS,
			},
	};
}

void
kr_gpu_acquire_barrier(const struct kr_gpu *gpu, const struct kr_gpu_image *image,
	VkImageLayout layout, VkAccessFlags access, VkImageMemoryBarrier *barrier)
{
	*barrier = whole(image);
	barrier->dstAccessMask = access;
	barrier->oldLayout = (VkImageLayout)image->description.layout;
	barrier->newLayout = layout;
	barrier->srcQueueFamilyIndex = family_there(gpu, image);
	barrier->dstQueueFamilyIndex = family_here(gpu);
}

void
kr_gpu_release_buffer_barrier(const struct kr_gpu *gpu, const struct kr_gpu_image *image,
	VkAccessFlags access, VkBufferMemoryBarrier *barrier)
{
	*barrier = (VkBufferMemoryBarrier){
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = access,
		.srcQueueFamilyIndex = family_here(gpu),
		.dstQueueFamilyIndex = family_there(gpu, image),
		.buffer = image->buffer,
		.size = VK_WHOLE_SIZE,
	};
}

void
kr_gpu_release_barrier(const struct kr_gpu *gpu, const struct kr_gpu_image *image,
	VkImageLayout layout, VkAccessFlags access, VkImageMemoryBarrier *barrier)
{
	*barrier = whole(image);
	barrier->srcAccessMask = access;
	barrier->oldLayout = layout;
	barrier->newLayout = (VkImageLayout)image->description.layout;
	barrier->srcQueueFamilyIndex = family_here(gpu);
	barrier->dstQueueFamilyIndex = family_there(gpu, image);
}
