/* SPDX-License-Identifier: Apache-2.0 */
/* The triangle's images as a program without a window system has them. */
#include "bench/triangle.h"

#include "bench/vulkan_calls.h"

#define IMAGES 3 /* as many as a swapchain has */

int
triangle_memory_type(struct triangle *t, uint32_t types, VkMemoryPropertyFlags flags)
{
	VkPhysicalDeviceMemoryProperties memory;

	INSTANCE_FN(t->vk, vkGetPhysicalDeviceMemoryProperties)(t->vk->gpu, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((types & (1u << i)) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
			return (int)i;
	}
	return -1;
}

static int
create_image(struct triangle *t, uint32_t i)
{
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = t->format,
		.extent = {t->extent.width, t->extent.height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
	};
	VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needed;
	int type;

	TRY(DEVICE_FN(t->vk, vkCreateImage)(t->vk->device, &info, NULL, &t->images[i]));
	DEVICE_FN(t->vk, vkGetImageMemoryRequirements)(t->vk->device, t->images[i], &needed);
	type = triangle_memory_type(t, needed.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	allocate.allocationSize = needed.size;
	allocate.memoryTypeIndex = (uint32_t)type;
	TRY(type < 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY
		     : DEVICE_FN(t->vk, vkAllocateMemory)(
			       t->vk->device, &allocate, NULL, &t->memories[i]));
	TRY(DEVICE_FN(t->vk, vkBindImageMemory)(t->vk->device, t->images[i], t->memories[i], 0));
	return 0;
}

int
triangle_create_offscreen(struct triangle *t, struct vulkan_child *vk)
{
	t->vk = vk;
	t->format = VK_FORMAT_R8G8B8A8_UNORM;
	t->layout_after = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
	for (; t->image_count < IMAGES; t->image_count++) {
		if (create_image(t, t->image_count))
			return 1;
	}
	return triangle_create_drawing(t);
}
