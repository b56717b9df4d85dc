/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of presents, and images that aren't presented at all: functions of extensions of
 * VK_KHR_swapchain. Of swapchains of ours wsi answers; with those of the driver's, it does.
 */
#include "loader/devices/hooks.h"
#include "loader/windows/swapchain.h"

static VkResult
release(VkDevice handle, const VkReleaseSwapchainImagesInfoEXT *info,
	PFN_vkReleaseSwapchainImagesEXT drivers)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, info->swapchain))
		return kr_wsi_release_swapchain_images(device->wsi, info);
	return drivers ? drivers(handle, info) : VK_ERROR_SURFACE_LOST_KHR;
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_ReleaseSwapchainImagesEXT(VkDevice handle, const VkReleaseSwapchainImagesInfoEXT *info)
{
	return release(handle, info,
		kr_device_from_dispatchable(handle)->driver.ReleaseSwapchainImagesEXT);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_ReleaseSwapchainImagesKHR(VkDevice handle, const VkReleaseSwapchainImagesInfoKHR *info)
{
	return release(handle, info,
		kr_device_from_dispatchable(handle)->driver.ReleaseSwapchainImagesKHR);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_WaitForPresentKHR(
	VkDevice handle, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_wait_for_present(device->wsi, swapchain, id, timeout);
	if (!device->driver.WaitForPresentKHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.WaitForPresentKHR(handle, swapchain, id, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_WaitForPresent2KHR(
	VkDevice handle, VkSwapchainKHR swapchain, const VkPresentWait2InfoKHR *info)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_wait_for_present(
			device->wsi, swapchain, info->presentId, info->timeout);
	if (!device->driver.WaitForPresent2KHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.WaitForPresent2KHR(handle, swapchain, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetSwapchainStatusKHR(VkDevice handle, VkSwapchainKHR swapchain)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_get_swapchain_status(device->wsi, swapchain);
	if (!device->driver.GetSwapchainStatusKHR)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.GetSwapchainStatusKHR(handle, swapchain);
}

static const struct kr_hook hooks[] = {
	KR_HOOK(ReleaseSwapchainImagesEXT, SWAPCHAIN),
	KR_HOOK(ReleaseSwapchainImagesKHR, SWAPCHAIN),
	KR_HOOK(WaitForPresentKHR, SWAPCHAIN),
	KR_HOOK(WaitForPresent2KHR, SWAPCHAIN),
	KR_HOOK(GetSwapchainStatusKHR, SWAPCHAIN),
};
const struct kr_hooks kr_hooks_swapchain_presents = {hooks, KR_ARRAY_LEN(hooks)};
