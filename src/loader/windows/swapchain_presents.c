/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of presents, what they are presented with, and images that aren't presented at all:
 * functions of extensions of VK_KHR_swapchain. Of swapchains of ours wsi answers; with those of the
 * driver's, it does.
 */
#include "loader/devices/hooks.h"
#include "loader/windows/swapchain.h"
#include "util/enumerate.h"

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

/* Both kinds may come in one call. */
static VKAPI_ATTR void VKAPI_CALL
terminator_SetHdrMetadataEXT(VkDevice handle, uint32_t count, const VkSwapchainKHR *swapchains,
	const VkHdrMetadataEXT *metadata)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	for (uint32_t i = 0; i < count; i++) {
		if (kr_swapchain_is_ours(device, swapchains[i]))
			kr_wsi_set_hdr_metadata(device->wsi, swapchains[i], &metadata[i]);
		else if (device->driver.SetHdrMetadataEXT)
			device->driver.SetHdrMetadataEXT(handle, 1, &swapchains[i], &metadata[i]);
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_SetSwapchainPresentTimingQueueSizeEXT(
	VkDevice handle, VkSwapchainKHR swapchain, uint32_t size)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_set_timing_queue_size(swapchain, size);
	if (!device->driver.SetSwapchainPresentTimingQueueSizeEXT)
		return VK_ERROR_UNKNOWN;
	return device->driver.SetSwapchainPresentTimingQueueSizeEXT(handle, swapchain, size);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetSwapchainTimingPropertiesEXT(VkDevice handle, VkSwapchainKHR swapchain,
	VkSwapchainTimingPropertiesEXT *properties, uint64_t *counter)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_get_timing_properties(swapchain, properties, counter);
	if (!device->driver.GetSwapchainTimingPropertiesEXT)
		return VK_ERROR_SURFACE_LOST_KHR;
	return device->driver.GetSwapchainTimingPropertiesEXT(
		handle, swapchain, properties, counter);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetSwapchainTimeDomainPropertiesEXT(VkDevice handle, VkSwapchainKHR swapchain,
	VkSwapchainTimeDomainPropertiesEXT *properties, uint64_t *counter)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_get_time_domains(swapchain, properties, counter);
	if (!device->driver.GetSwapchainTimeDomainPropertiesEXT)
		return VK_ERROR_SURFACE_LOST_KHR;
	return device->driver.GetSwapchainTimeDomainPropertiesEXT(
		handle, swapchain, properties, counter);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPastPresentationTimingEXT(VkDevice handle,
	const VkPastPresentationTimingInfoEXT *info,
	VkPastPresentationTimingPropertiesEXT *properties)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, info->swapchain))
		return kr_wsi_get_past_timing(device->wsi, info, properties);
	if (!device->driver.GetPastPresentationTimingEXT)
		return VK_ERROR_OUT_OF_DATE_KHR;
	return device->driver.GetPastPresentationTimingEXT(handle, info, properties);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetRefreshCycleDurationGOOGLE(
	VkDevice handle, VkSwapchainKHR swapchain, VkRefreshCycleDurationGOOGLE *refresh)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_get_refresh_cycle(swapchain, refresh);
	if (!device->driver.GetRefreshCycleDurationGOOGLE)
		return VK_ERROR_SURFACE_LOST_KHR;
	return device->driver.GetRefreshCycleDurationGOOGLE(handle, swapchain, refresh);
}

static VKAPI_ATTR VkResult VKAPI_CALL
terminator_GetPastPresentationTimingGOOGLE(VkDevice handle, VkSwapchainKHR swapchain,
	uint32_t *count, VkPastPresentationTimingGOOGLE *past)
{
	struct kr_device *device = kr_device_from_dispatchable(handle);
	uint32_t room = kr_enumeration_room(past, count);
	VkResult result;

	if (kr_swapchain_is_ours(device, swapchain))
		return kr_wsi_get_past_timing_google(swapchain, count, past);
	if (!device->driver.GetPastPresentationTimingGOOGLE)
		return VK_ERROR_OUT_OF_DATE_KHR;
	result = device->driver.GetPastPresentationTimingGOOGLE(handle, swapchain, count, past);
	kr_enumeration_fit(past, room, count);
	return result;
}

static const struct kr_hook hooks[] = {
	KR_HOOK(ReleaseSwapchainImagesEXT, SWAPCHAIN),
	KR_HOOK(ReleaseSwapchainImagesKHR, SWAPCHAIN),
	KR_HOOK(WaitForPresentKHR, SWAPCHAIN),
	KR_HOOK(WaitForPresent2KHR, SWAPCHAIN),
	KR_HOOK(GetSwapchainStatusKHR, SWAPCHAIN),
	KR_HOOK(SetHdrMetadataEXT, SWAPCHAIN),
	KR_HOOK(SetSwapchainPresentTimingQueueSizeEXT, SWAPCHAIN),
	KR_HOOK(GetSwapchainTimingPropertiesEXT, SWAPCHAIN),
	KR_HOOK(GetSwapchainTimeDomainPropertiesEXT, SWAPCHAIN),
	KR_HOOK(GetPastPresentationTimingEXT, SWAPCHAIN),
	KR_HOOK(GetRefreshCycleDurationGOOGLE, SWAPCHAIN),
	KR_HOOK(GetPastPresentationTimingGOOGLE, SWAPCHAIN),
};
const struct kr_hooks kr_hooks_swapchain_presents = {hooks, KR_ARRAY_LEN(hooks)};
