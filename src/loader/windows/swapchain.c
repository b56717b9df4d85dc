/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swapchain functions at the bottom of a device's chain: ours go to wsi, the driver's to the
 * driver. A device may have both kinds; while it has none of ours, calls go straight on.
 */
#include "loader/windows/swapchain.h"

#include <stdlib.h>

#include "loader/devices/hooks.h"
#include "loader/handles/handles.h"
#include "loader/messages/messages.h"
#include "loader/windows/surface.h"
#include "util/alloc.h"
#include "util/enumerate.h"
#include "util/log.h"

/* Nothing could be returned that a program without a surface would look at (DESIGN rule 5). */
static void
check_surface(VkSurfaceKHR surface, const char *function)
{
	if (surface)
		return;
	kr_log(KR_LOG_FATAL | KR_LOG_ERROR | KR_LOG_VALIDATION,
		"%s: the surface is VK_NULL_HANDLE [VUID-VkSwapchainCreateInfoKHR-surface-parameter]",
		function);
	abort();
}

/* `info` as the driver may see it: its own surface, an old swapchain only when that is its own. */
static VkResult
translate(struct kr_device *device, VkSwapchainCreateInfoKHR *info)
{
	VkResult result = kr_vk_surface_get_drivers(kr_vk_surface_from_handle(info->surface),
		device->physical_device->owner, &info->surface);

	if (kr_swapchain_is_ours(device, info->oldSwapchain))
		info->oldSwapchain = VK_NULL_HANDLE;
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_CreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, VkSwapchainKHR *swapchain)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	struct kr_vk_surface *surface = kr_vk_surface_from_handle(info->surface);
	VkSwapchainCreateInfoKHR translated = *info;
	struct kr_wsi_surface *ours;
	VkResult result;

	check_surface(info->surface, "vkCreateSwapchainKHR");
	if (!kr_vk_surface_is_ours(surface, device->physical_device->owner)) {
		if (!device->driver.CreateSwapchainKHR)
			return VK_ERROR_EXTENSION_NOT_PRESENT;
		result = translate(device, &translated);
		if (result != VK_SUCCESS)
			return result;
		return device->driver.CreateSwapchainKHR(handle, &translated, allocator, swapchain);
	}
	if (!device->wsi) {
		kr_instance_log(device->instance, KR_LOG_ERROR,
			"vkCreateSwapchainKHR: the device has no %s for a surface of the platform",
			VK_KHR_SWAPCHAIN_EXTENSION_NAME);
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	}
	result = kr_vk_surface_get_ours(surface, &ours);
	if (result != VK_SUCCESS)
		return result;
	if (!kr_swapchain_is_ours(device, info->oldSwapchain))
		translated.oldSwapchain = VK_NULL_HANDLE;
	return kr_wsi_create_swapchain(device->wsi, ours, &translated, allocator, swapchain);
}

/* For displays of the driver's; never for surfaces of ours. */
static VKAPI_ATTR VkResult VKAPI_CALL
terminator_CreateSharedSwapchainsKHR(VkDevice handle, uint32_t count,
	const VkSwapchainCreateInfoKHR *infos, const VkAllocationCallbacks *allocator,
	VkSwapchainKHR *swapchains)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkSwapchainCreateInfoKHR *translated = kr_zalloc_array(allocator, KR_MAX(count, 1u),
		sizeof(*translated), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
	VkResult result = VK_SUCCESS;

	if (!translated)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		check_surface(infos[i].surface, "vkCreateSharedSwapchainsKHR");
		translated[i] = infos[i];
		if (kr_vk_surface_is_ours(kr_vk_surface_from_handle(infos[i].surface),
			    device->physical_device->owner))
			result = VK_ERROR_INCOMPATIBLE_DISPLAY_KHR;
		else
			result = translate(device, &translated[i]);
	}
	if (result == VK_SUCCESS)
		result = device->driver.CreateSharedSwapchainsKHR(
			handle, count, translated, allocator, swapchains);
	kr_free(allocator, translated);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL
terminator_DestroySwapchainKHR(
	VkDevice handle, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		kr_wsi_destroy_swapchain(device->wsi, swapchain);
	else if (swapchain && device->driver.DestroySwapchainKHR)
		device->driver.DestroySwapchainKHR(handle, swapchain, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetSwapchainImagesKHR(
	VkDevice handle, VkSwapchainKHR swapchain, uint32_t *count, VkImage *images)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	uint32_t room = kr_enumeration_room(images, count);
	VkResult result;

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_get_swapchain_images(device->wsi, swapchain, count, images);
	if (!device->driver.GetSwapchainImagesKHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	result = device->driver.GetSwapchainImagesKHR(handle, swapchain, count, images);
	kr_enumeration_fit(images, room, count);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain, uint64_t timeout,
	VkSemaphore semaphore, VkFence fence, uint32_t *index)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	VkAcquireNextImageInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR,
		.swapchain = swapchain,
		.timeout = timeout,
		.semaphore = semaphore,
		.fence = fence,
		.deviceMask = 1,
	};

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_acquire_next_image(device->wsi, &info, index);
	if (!device->driver.AcquireNextImageKHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.AcquireNextImageKHR(
		handle, swapchain, timeout, semaphore, fence, index);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_AcquireNextImage2KHR(
	VkDevice handle, const VkAcquireNextImageInfoKHR *info, uint32_t *index)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, info->swapchain))
		return kr_wsi_acquire_next_image(device->wsi, info, index);
	if (!device->driver.AcquireNextImage2KHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.AcquireNextImage2KHR(handle, info, index);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
	struct kr_device *device = kr_device_from_dispatchable(queue);

	if (kr_wsi_device_has_swapchains(device->wsi))
		return kr_wsi_queue_present(device->wsi, queue, info);
	if (!device->driver.QueuePresentKHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.QueuePresentKHR(queue, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDeviceGroupPresentCapabilitiesKHR(
	VkDevice handle, VkDeviceGroupPresentCapabilitiesKHR *caps)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (device->driver.GetDeviceGroupPresentCapabilitiesKHR)
		return device->driver.GetDeviceGroupPresentCapabilitiesKHR(handle, caps);
	for (uint32_t i = 0; i < VK_MAX_DEVICE_GROUP_SIZE; i++)
		caps->presentMask[i] = i == 0;
	caps->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetDeviceGroupSurfacePresentModesKHR(
	VkDevice handle, VkSurfaceKHR surface_handle, VkDeviceGroupPresentModeFlagsKHR *modes)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	struct kr_vk_surface *surface = kr_vk_surface_from_handle(surface_handle);
	const struct kr_instance_driver *owner = device->physical_device->owner;
	VkSurfaceKHR drivers = VK_NULL_HANDLE;
	VkResult result;

	/* None at all (VK_GOOGLE_surfaceless_query) is the driver's only where it can have any. */
	if (surface ? kr_vk_surface_is_ours(surface, owner)
		    : device->wsi &&
				!kr_extension_set_has(
					&owner->enabled, KR_EXT_VK_GOOGLE_surfaceless_query)) {
		*modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
		return VK_SUCCESS;
	}
	if (!device->driver.GetDeviceGroupSurfacePresentModesKHR)
		return VK_ERROR_EXTENSION_NOT_PRESENT;
	result = surface ? kr_vk_surface_get_drivers(surface, owner, &drivers) : VK_SUCCESS;
	if (result != VK_SUCCESS)
		return result;
	return device->driver.GetDeviceGroupSurfacePresentModesKHR(handle, drivers, modes);
}

/* Images that the application makes for swapchains of ours (W-06); so is the next. */
static VKAPI_ATTR VkResult VKAPI_CALL
terminator_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkImage *image)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (!kr_wsi_device_has_swapchains(device->wsi))
		return device->driver.CreateImage(handle, info, allocator, image);
	return kr_wsi_create_image(device->wsi, info, allocator, image);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_BindImageMemory2(VkDevice handle, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	PFN_vkBindImageMemory2 bind = device->driver.BindImageMemory2
		? device->driver.BindImageMemory2
		: device->driver.BindImageMemory2KHR;

	if (!kr_wsi_device_has_swapchains(device->wsi))
		return bind(handle, count, infos);
	return kr_wsi_bind_image_memory2(device->wsi, count, infos);
}

static const struct kr_hook hooks[] = {
	KR_HOOK(CreateSwapchainKHR, SURFACE),
	KR_HOOK(CreateSharedSwapchainsKHR, IF_DRIVERS),
	KR_HOOK(DestroySwapchainKHR, SWAPCHAIN),
	KR_HOOK(GetSwapchainImagesKHR, SWAPCHAIN),
	KR_HOOK(AcquireNextImageKHR, SWAPCHAIN),
	KR_HOOK(AcquireNextImage2KHR, SWAPCHAIN),
	KR_HOOK(QueuePresentKHR, SWAPCHAIN),
	KR_HOOK(GetDeviceGroupPresentCapabilitiesKHR, SWAPCHAIN),
	KR_HOOK(GetDeviceGroupSurfacePresentModesKHR, SURFACE),
	KR_HOOK(CreateImage, WITH_WSI),
	KR_HOOK(BindImageMemory2, WITH_WSI),
	KR_HOOK_BY(terminator_BindImageMemory2, BindImageMemory2KHR, WITH_WSI),
};
const struct kr_hooks kr_hooks_swapchain = {hooks, KR_ARRAY_LEN(hooks)};
