/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swapchain functions at the bottom of a device's chain: ours go to wsi, the driver's to the driver.
 * A device may have both kinds; while it has none of ours, calls go straight on.
 */
#ifndef KR_LOADER_SWAPCHAIN_H
#define KR_LOADER_SWAPCHAIN_H

#include "util/vulkan.h"

VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_CreateSwapchainKHR(VkDevice device,
	const VkSwapchainCreateInfoKHR *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkSwapchainKHR *pSwapchain);
/* For displays of the driver's; never for surfaces of ours. */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_CreateSharedSwapchainsKHR(VkDevice device,
	uint32_t swapchainCount, const VkSwapchainCreateInfoKHR *pCreateInfos,
	const VkAllocationCallbacks *pAllocator, VkSwapchainKHR *pSwapchains);
VKAPI_ATTR void VKAPI_CALL kr_bottom_DestroySwapchainKHR(
	VkDevice device, VkSwapchainKHR swapchain, const VkAllocationCallbacks *pAllocator);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetSwapchainImagesKHR(VkDevice device,
	VkSwapchainKHR swapchain, uint32_t *pSwapchainImageCount, VkImage *pSwapchainImages);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_AcquireNextImageKHR(VkDevice device,
	VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore, VkFence fence,
	uint32_t *pImageIndex);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_AcquireNextImage2KHR(
	VkDevice device, const VkAcquireNextImageInfoKHR *pAcquireInfo, uint32_t *pImageIndex);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_QueuePresentKHR(
	VkQueue queue, const VkPresentInfoKHR *pPresentInfo);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetDeviceGroupPresentCapabilitiesKHR(
	VkDevice device, VkDeviceGroupPresentCapabilitiesKHR *pCapabilities);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetDeviceGroupSurfacePresentModesKHR(
	VkDevice device, VkSurfaceKHR surface, VkDeviceGroupPresentModeFlagsKHR *pModes);
/* Images that the application makes for swapchains of ours (W-06). */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_CreateImage(VkDevice device,
	const VkImageCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
	VkImage *pImage);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_BindImageMemory2(
	VkDevice device, uint32_t bindInfoCount, const VkBindImageMemoryInfo *pBindInfos);

#endif
