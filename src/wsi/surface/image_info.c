/* SPDX-License-Identifier: Apache-2.0 */
/* What the images of a swapchain are. */
#include "wsi/surface/image_info.h"

#include "chain/chain.h"
#include "gen/tables.h"
#include "util/log.h"
#include "wsi/surface/swapchain_flags.h"
#include "wsi/surface/usage_flags2.h"

static VkResult
refuse(const char *what)
{
	kr_error("vkCreateSwapchainKHR: %s", what);
	return VK_ERROR_INITIALIZATION_FAILED;
}

VkImageCreateFlags
kr_wsi_image_flags(VkSwapchainCreateFlagsKHR flags)
{
	VkImageCreateFlags image = 0;

	if (flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR)
		image |= VK_IMAGE_CREATE_PROTECTED_BIT;
	/* VkSwapchainCreateInfoKHR: views of another format may have usages that this one lacks. */
	if (flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR)
		image |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
	if (flags & VK_SWAPCHAIN_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT)
		image |= VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
	return image;
}

/* Puts a structure in front of the chain of the images. */
static void
chain(struct kr_wsi_image_info *image, void *structure)
{
	VkBaseOutStructure *s = structure;

	s->pNext = (VkBaseOutStructure *)(uintptr_t)image->create.pNext;
	image->create.pNext = s;
}

static VkResult
add_formats(struct kr_wsi_image_info *image, const VkSwapchainCreateInfoKHR *info)
{
	const VkImageFormatListCreateInfo *list =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
	bool found = false;

	if (!(info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR)) {
		/* One format, its own, says nothing. */
		if (list && list->viewFormatCount > 1)
			return refuse("a format list without the flag for mutable formats");
		return VK_SUCCESS;
	}
	for (uint32_t i = 0; list && i < list->viewFormatCount; i++)
		found |= list->pViewFormats[i] == info->imageFormat;
	if (!found)
		return refuse("mutable formats need a list with the swapchain's own among them");
	image->formats = *list;
	chain(image, &image->formats);
	return VK_SUCCESS;
}

static VkResult
add_compression(struct kr_wsi_image_info *image, const VkSwapchainCreateInfoKHR *info, bool enabled)
{
	const VkImageCompressionControlEXT *control =
		kr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT);

	if (!control)
		return VK_SUCCESS;
	if (!enabled)
		return refuse("the feature imageCompressionControlSwapchain isn't enabled");
	image->compression = *control;
	chain(image, &image->compression);
	return VK_SUCCESS;
}

/* Usage in 64 bits takes the place of the other; buffers of windows have none of the newer ones. */
static VkResult
set_usage(struct kr_wsi_image_info *image, const VkSwapchainCreateInfoKHR *info)
{
	const struct kr_wsi_usage_flags2 *usage =
		kr_chain_find(info->pNext, KR_IMAGE_USAGE_FLAGS_2);

	if (usage && usage->usage > UINT32_MAX)
		return refuse("image usage beyond 32 bits");
	image->create.usage = usage ? (VkImageUsageFlags)usage->usage : info->imageUsage;
	return VK_SUCCESS;
}

VkResult
kr_wsi_image_info_init(struct kr_wsi_image_info *image, const VkSwapchainCreateInfoKHR *info,
	bool compression_control)
{
	VkResult result;

	*image = (struct kr_wsi_image_info){
		.create =
			{
				.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
				.flags = kr_wsi_image_flags(info->flags),
				.imageType = VK_IMAGE_TYPE_2D,
				.format = info->imageFormat,
				.extent = {info->imageExtent.width, info->imageExtent.height, 1},
				.mipLevels = 1,
				.arrayLayers = 1,
				.samples = VK_SAMPLE_COUNT_1_BIT,
				.tiling = VK_IMAGE_TILING_OPTIMAL,
				.sharingMode = info->imageSharingMode,
				.queueFamilyIndexCount = info->queueFamilyIndexCount,
				.pQueueFamilyIndices = info->pQueueFamilyIndices,
				.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
			},
		.protected_memory = info->flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR,
		.deferred = info->flags & VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT,
		.shared = info->presentMode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
			info->presentMode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR,
	};
	result = set_usage(image, info);
	if (result == VK_SUCCESS)
		result = add_formats(image, info);
	if (result == VK_SUCCESS)
		result = add_compression(image, info, compression_control);
	return result;
}

PFN_vkGetPhysicalDeviceImageFormatProperties2
kr_wsi_image_format2(const struct kr_wsi_gpu *gpu)
{
	const struct kr_instance_table *f = gpu->functions;

	if (!gpu->image_format2)
		return NULL;
	return f->GetPhysicalDeviceImageFormatProperties2
		? f->GetPhysicalDeviceImageFormatProperties2
		: f->GetPhysicalDeviceImageFormatProperties2KHR;
}

static bool
usable2(PFN_vkGetPhysicalDeviceImageFormatProperties2 ask, VkPhysicalDevice gpu,
	const struct kr_wsi_image_info *image, VkImageFormatProperties *limits)
{
	const VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = image->create.pNext,
		.format = image->create.format,
		.type = image->create.imageType,
		.tiling = image->create.tiling,
		.usage = image->create.usage,
		.flags = image->create.flags,
	};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};

	if (ask(gpu, &info, &properties) != VK_SUCCESS)
		return false;
	*limits = properties.imageFormatProperties;
	return true;
}

bool
kr_wsi_image_info_usable(const struct kr_wsi_gpu *gpu, const struct kr_wsi_image_info *image,
	VkImageFormatProperties *limits)
{
	PFN_vkGetPhysicalDeviceImageFormatProperties2 ask = kr_wsi_image_format2(gpu);
	const VkImageCreateInfo *create = &image->create;

	/* Plain images are a question of version 1.0, and every driver's. */
	if (create->pNext || create->flags)
		return ask && usable2(ask, gpu->handle, image, limits);
	return gpu->functions->GetPhysicalDeviceImageFormatProperties(gpu->handle, create->format,
		       create->imageType, create->tiling, create->usage, 0, limits) == VK_SUCCESS;
}
