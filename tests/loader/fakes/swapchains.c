/* SPDX-License-Identifier: Apache-2.0 */
/* Swapchains of the fake drivers' own, and what they do for those of the platform. */
#include "icd.h"

#include <string.h>
#include <unistd.h>

static struct fake_control *const c = &fake_control;

#define SAY_CALLED() (c->seen_function = __func__)

/* --- its own --- */

static VKAPI_ATTR VkResult VKAPI_CALL
create_swapchain(VkDevice device, const VkSwapchainCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
	c->seen_surface = info->surface;
	c->seen_old_swapchain = info->oldSwapchain;
	c->swapchains_created++;
	*out = (VkSwapchainKHR)(uintptr_t)0x5ca1ab1e;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
queue_present(VkQueue handle, const VkPresentInfoKHR *info)
{
	c->seen_presented = info->pSwapchains[0];
	return info->swapchainCount == 1 ? VK_SUCCESS : VK_ERROR_UNKNOWN;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_shared(VkDevice device, uint32_t count, const VkSwapchainCreateInfoKHR *infos,
	const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
	SAY_CALLED();
	c->seen_surface = infos[count - 1].surface;
	for (uint32_t i = 0; i < count; i++)
		out[i] = (VkSwapchainKHR)(uintptr_t)0x5ca1ab1e;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_group_modes(VkDevice device, VkSurfaceKHR surface, VkDeviceGroupPresentModeFlagsKHR *modes)
{
	SAY_CALLED();
	c->seen_surface = surface;
	*modes = VK_DEVICE_GROUP_PRESENT_MODE_REMOTE_BIT_KHR;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_group_caps(VkDevice device, VkDeviceGroupPresentCapabilitiesKHR *caps)
{
	SAY_CALLED();
	caps->modes = VK_DEVICE_GROUP_PRESENT_MODE_REMOTE_BIT_KHR;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_swapchain(VkDevice device, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator)
{
	SAY_CALLED();
	c->seen_swapchain = swapchain;
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_images(VkDevice device, VkSwapchainKHR swapchain, uint32_t *count, VkImage *out)
{
	SAY_CALLED();
	c->seen_swapchain = swapchain;
	*count = 7;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
acquire_next(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore,
	VkFence fence, uint32_t *index)
{
	SAY_CALLED();
	c->seen_swapchain = swapchain;
	*index = (uint32_t)timeout;
	return VK_SUBOPTIMAL_KHR;
}

static VKAPI_ATTR VkResult VKAPI_CALL
acquire_next2(VkDevice device, const VkAcquireNextImageInfoKHR *info, uint32_t *index)
{
	SAY_CALLED();
	c->seen_swapchain = info->swapchain;
	*index = (uint32_t)info->timeout;
	return VK_SUBOPTIMAL_KHR;
}

static VkResult
seen(VkSwapchainKHR swapchain, const char *function)
{
	c->seen_swapchain = swapchain;
	c->seen_function = function;
	return VK_SUBOPTIMAL_KHR;
}

static VKAPI_ATTR VkResult VKAPI_CALL
release_images_ext(VkDevice device, const VkReleaseSwapchainImagesInfoEXT *info)
{
	return seen(info->swapchain, __func__);
}

static VKAPI_ATTR VkResult VKAPI_CALL
release_images_khr(VkDevice device, const VkReleaseSwapchainImagesInfoKHR *info)
{
	return seen(info->swapchain, __func__);
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_for_present(VkDevice device, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout)
{
	return seen(swapchain, __func__);
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_for_present2(VkDevice device, VkSwapchainKHR swapchain, const VkPresentWait2InfoKHR *info)
{
	return seen(swapchain, __func__);
}

static VKAPI_ATTR VkResult VKAPI_CALL
get_status(VkDevice device, VkSwapchainKHR swapchain)
{
	return seen(swapchain, __func__);
}

static VKAPI_ATTR void VKAPI_CALL
set_hdr(VkDevice device, uint32_t count, const VkSwapchainKHR *swapchains,
	const VkHdrMetadataEXT *metadata)
{
	for (uint32_t i = 0; i < count; i++) {
		seen(swapchains[i], __func__);
		c->seen_hdr_sum += metadata[i].maxLuminance;
	}
}

/* --- for the platform's: images of buffers, free at once, done at once --- */

static VKAPI_ATTR VkResult VKAPI_CALL
get_usage(VkDevice device, VkFormat format, VkImageUsageFlags image_usage, int *usage)
{
	*usage = 0;
	return VK_SUCCESS;
}

static void
look_at_chain(const void *chain)
{
	for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
		if (s->sType == VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR)
			c->seen_image_swapchain =
				((const VkImageSwapchainCreateInfoKHR *)(const void *)s)->swapchain;
		else if ((int)s->sType == (int)VK_STRUCTURE_TYPE_NATIVE_BUFFER_ANDROID)
			c->seen_native = *(const VkNativeBufferANDROID *)(const void *)s;
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_image(VkDevice device, const VkImageCreateInfo *info, const VkAllocationCallbacks *allocator,
	VkImage *out)
{
	c->seen_image_swapchain = VK_NULL_HANDLE;
	memset(&c->seen_native, 0, sizeof(c->seen_native));
	look_at_chain(info->pNext);
	*out = (VkImage)(uintptr_t)(0x1000 + ++c->images);
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks *allocator)
{
	c->images -= image != VK_NULL_HANDLE;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_images(VkDevice device, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	SAY_CALLED();
	memset(&c->seen_native, 0, sizeof(c->seen_native));
	for (uint32_t i = 0; i < count; i++)
		look_at_chain(infos[i].pNext);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
acquire_image(VkDevice device, VkImage image, int take_fd, VkSemaphore semaphore, VkFence fence)
{
	if (take_fd >= 0)
		close(take_fd);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
release_image(VkQueue queue, uint32_t count, const VkSemaphore *waits, VkImage image, int *fd)
{
	*fd = -1;
	return VK_SUCCESS;
}

/* --- layouts of images, of swapchains too --- */

/* Structures of Vulkan 1.4, which not every registry has. */
struct layout_info {
	VkStructureType type;
	const void *next;
	const VkImageCreateInfo *image;
	const void *subresource;
};

static void
get_layout(const struct layout_info *info, VkBaseOutStructure *layout)
{
	VkSubresourceLayout *out = (void *)(layout + 1);

	c->seen_image_chain_count = 0;
	for (const VkBaseInStructure *s = info->image->pNext; s; s = s->pNext) {
		if (c->seen_image_chain_count < KR_ARRAY_LEN(c->seen_image_chain))
			c->seen_image_chain[c->seen_image_chain_count++] = s->sType;
	}
	out->rowPitch = info->image->extent.width;
}

static VKAPI_ATTR void VKAPI_CALL
layout_of_core(VkDevice device, const struct layout_info *info, VkBaseOutStructure *layout)
{
	SAY_CALLED();
	get_layout(info, layout);
}

static VKAPI_ATTR void VKAPI_CALL
layout_of_extension(VkDevice device, const struct layout_info *info, VkBaseOutStructure *layout)
{
	SAY_CALLED();
	get_layout(info, layout);
}

#define FN(name, function)                                                                         \
	{                                                                                          \
		"vk" name, (PFN_vkVoidFunction)function                                            \
	}
static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} functions[] = {
	FN("CreateSwapchainKHR", create_swapchain),
	FN("CreateSharedSwapchainsKHR", create_shared),
	FN("DestroySwapchainKHR", destroy_swapchain),
	FN("GetSwapchainImagesKHR", get_images),
	FN("AcquireNextImageKHR", acquire_next),
	FN("AcquireNextImage2KHR", acquire_next2),
	FN("QueuePresentKHR", queue_present),
	FN("GetDeviceGroupPresentCapabilitiesKHR", get_group_caps),
	FN("GetDeviceGroupSurfacePresentModesKHR", get_group_modes),
	FN("ReleaseSwapchainImagesEXT", release_images_ext),
	FN("ReleaseSwapchainImagesKHR", release_images_khr),
	FN("WaitForPresentKHR", wait_for_present),
	FN("WaitForPresent2KHR", wait_for_present2),
	FN("GetSwapchainStatusKHR", get_status),
	FN("SetHdrMetadataEXT", set_hdr),
	FN("CreateImage", create_image),
	FN("DestroyImage", destroy_image),
	FN("BindImageMemory2", bind_images),
	FN("GetSwapchainGrallocUsageANDROID", get_usage),
	FN("AcquireImageANDROID", acquire_image),
	FN("QueueSignalReleaseImageANDROID", release_image),
	FN("GetDeviceImageSubresourceLayout", layout_of_core),
	FN("GetDeviceImageSubresourceLayoutKHR", layout_of_extension),
};

PFN_vkVoidFunction
fake_swapchains_find(const char *name)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(functions); i++) {
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	}
	return NULL;
}
