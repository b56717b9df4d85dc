/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical device queries that Vulkan 1.1 has in a second form, on drivers which don't give that
 * form to this instance (those of 1.0, and newer ones to an application of 1.0): answered from the
 * first form, chained structures left alone. Layers rely on them by the version of the device alone.
 */
#ifndef KR_LOADER_PROPERTIES2_H
#define KR_LOADER_PROPERTIES2_H

#include "loader/handles.h"
#include "util/vulkan.h"

/* Fills the core names and the KHR names from each other, and notes which queries there are. */
void kr_properties2_prepare(struct kr_driver_instance *driver);

/* Terminators, for core and KHR names. */
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceFeatures2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures2 *pFeatures);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceProperties2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceProperties2 *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceFormatProperties2(
	VkPhysicalDevice physicalDevice, VkFormat format, VkFormatProperties2 *pFormatProperties);
VKAPI_ATTR VkResult VKAPI_CALL kr_bottom_GetPhysicalDeviceImageFormatProperties2(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceImageFormatInfo2 *pInfo,
	VkImageFormatProperties2 *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceQueueFamilyProperties2(
	VkPhysicalDevice physicalDevice, uint32_t *pCount, VkQueueFamilyProperties2 *pProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceMemoryProperties2(
	VkPhysicalDevice physicalDevice, VkPhysicalDeviceMemoryProperties2 *pMemoryProperties);
VKAPI_ATTR void VKAPI_CALL kr_bottom_GetPhysicalDeviceSparseImageFormatProperties2(
	VkPhysicalDevice physicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2 *pInfo,
	uint32_t *pCount, VkSparseImageFormatProperties2 *pProperties);

#endif
