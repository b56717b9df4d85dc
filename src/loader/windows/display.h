/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VK_KHR_display and VK_KHR_get_display_properties2 on instances with several drivers: one that lacks
 * VK_KHR_display has no displays; one that lacks the second form is asked in the first. Modes are in
 * display_mode.h.
 */
#ifndef KR_LOADER_DISPLAY_H
#define KR_LOADER_DISPLAY_H

#include "loader/handles/handles.h"
#include "util/vulkan.h"

/* Terminators. */
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceDisplayPropertiesKHR(
	VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount,
	VkDisplayPropertiesKHR *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceDisplayPlanePropertiesKHR(
	VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount,
	VkDisplayPlanePropertiesKHR *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetDisplayPlaneSupportedDisplaysKHR(
	VkPhysicalDevice physicalDevice, uint32_t planeIndex, uint32_t *pDisplayCount,
	VkDisplayKHR *pDisplays);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetDisplayPlaneCapabilitiesKHR(
	VkPhysicalDevice physicalDevice, VkDisplayModeKHR mode, uint32_t planeIndex,
	VkDisplayPlaneCapabilitiesKHR *pCapabilities);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceDisplayProperties2KHR(
	VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount,
	VkDisplayProperties2KHR *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceDisplayPlaneProperties2KHR(
	VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount,
	VkDisplayPlaneProperties2KHR *pProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetDisplayPlaneCapabilities2KHR(
	VkPhysicalDevice physicalDevice, const VkDisplayPlaneInfo2KHR *pDisplayPlaneInfo,
	VkDisplayPlaneCapabilities2KHR *pCapabilities);

#endif
